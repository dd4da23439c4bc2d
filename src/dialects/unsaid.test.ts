import { expect, test } from "bun:test";
import { decodeRequest as readMessages } from "./anthropic/decode-request.ts";
import type { ChatDialect, Conversation } from "./conversation.ts";
import { decodeRequest as readGemini } from "./gemini/decode-request.ts";
import { decodeRequest as readChat } from "./openai-chat/decode-request.ts";
import { decodeRequest as readResponses } from "./openai-responses/decode-request.ts";
import { providerCodecs } from "./provider-codecs.ts";

const talk = { model: "m", messages: [{ role: "user", content: "hi" }] };
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** Each format with a member that only it has words for, and one that says nothing. */
const FOREIGN: readonly (readonly [string, Conversation])[] = [
  ["prediction", readChat({ ...talk, prediction: {}, web_search_options: null, enable_thinking: false })],
  ["truncation", readResponses({ model: "m", input: "hi", truncation: "auto", store: false, background: null })],
  ["mcp_servers", readMessages({ ...talk, max_tokens: 9, mcp_servers: [], container: null })],
  [
    "cachedContent",
    readGemini({ contents, cachedContent: "cachedContents/1", labels: null }, { model: "m", stream: false }),
  ],
];
const TARGETS: readonly ChatDialect[] = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "ollama",
  "cohere",
  "dashscope",
];
const PAIRS = FOREIGN.flatMap(([name, talked]) =>
  TARGETS.filter((target) => target !== talked.extra.dialect).map((target) => [name, target, talked] as const),
);

test.each(PAIRS)("%s is named where it stays behind: %s", (name, target, conversation) => {
  const dropped = new Set<string>();
  const newId = (prefix: string) => `${prefix}1`;
  providerCodecs[target].encodeRequest(
    conversation,
    { model: "gemini-2.5-flash", defaultMaxTokens: 4096, newId },
    dropped,
  );
  expect([...dropped]).toEqual([name]);
});

test("what the target takes all the same is not named", () => {
  const dropped = new Set<string>();
  const conversation = readChat({ ...talk, keep_alive: "5m", options: { num_ctx: 4096 } });
  const target = { model: "m", defaultMaxTokens: 9, newId: () => "1" };
  expect(providerCodecs.ollama.encodeRequest(conversation, target, dropped)).toMatchObject({ keep_alive: "5m" });
  expect([...dropped]).toEqual([]);
});
