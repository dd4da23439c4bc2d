import type { ChatRow } from "./chat-rows.ts";

/** Apps that many people use, and how each takes a key and the address of its server. */
const USUAL_CHATS: readonly ChatRow[] = [
  { name: "NextChat", link: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  {
    name: "Lobe Chat",
    link: 'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
  },
  {
    name: "AI as Workspace",
    link: 'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { name: "AMA 问天", link: "ama://set-api-key?server={address}&key={key}" },
  { name: "OpenCat", link: "opencat://team/join?domain={address}&token={key}" },
];

/** Those of them that a list of links lacks, by name. */
export const missingChats = (rows: readonly ChatRow[]): ChatRow[] =>
  USUAL_CHATS.filter(({ name }) => !rows.some((row) => row.name === name));
