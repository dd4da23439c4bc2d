import { generateKeyPairSync } from "node:crypto";
import { type JsonObject, parseJson, recordOf } from "../../../src/formats/json.ts";
import { type Answer, GHENT, type Sent } from "../../contracts/matrix/conversation.ts";
import { anthropic, bedrock } from "../../contracts/matrix/upstreams/anthropic.ts";
import type { FakeUpstream } from "../../contracts/matrix/upstreams/fake.ts";
import { gemini } from "../../contracts/matrix/upstreams/gemini.ts";
import { mistral } from "../../contracts/matrix/upstreams/mistral.ts";
import { openaiChat } from "../../contracts/matrix/upstreams/openai-chat.ts";
import { openaiResponses } from "../../contracts/matrix/upstreams/openai-responses.ts";
import { cohere } from "../../contracts/matrix/upstreams/own-formats/cohere.ts";
import { converse } from "../../contracts/matrix/upstreams/own-formats/converse.ts";
import { dashscope, dashscopeImitation } from "../../contracts/matrix/upstreams/own-formats/dashscope.ts";
import { hunyuan } from "../../contracts/matrix/upstreams/own-formats/hunyuan.ts";
import { ollama } from "../../contracts/matrix/upstreams/own-formats/ollama.ts";
import { ANSWER, LOOKING, THOUGHT } from "./families.ts";
import { startUpstream } from "./start-upstream.ts";

/** A provider under its own address, as strict as it is about requests. */
export type ServedFamily = Readonly<{
  name: string;
  /** Who answers at an address; null: nobody. */
  fakeAt(path: string): FakeUpstream | null;
  fake: FakeUpstream;
  other?: string;
  /** Address of the channel behind the server's own. */
  base?: string;
  /** Made of the server's address; absent: the fake's. */
  key?(url: string): string;
  /** Proves the thought: the second turn must bring it back. */
  proof?: string | RegExp;
  silentOnCache?: boolean;
}>;

const own = (name: string, fake: FakeUpstream, rest: Partial<ServedFamily> = {}): ServedFamily => ({
  name,
  fake,
  fakeAt: () => fake,
  ...rest,
});

/** OpenAI's chats at another address, and its Responses where the service has them. */
function imitation(
  name: string,
  type: number,
  chats: string,
  rest: Partial<ServedFamily> & { responses?: string } = {},
) {
  const model = rest.fake?.model ?? "some-model";
  const placed = (fake: FakeUpstream, at: string, path: string): FakeUpstream => ({
    ...fake,
    type,
    model,
    objection: (requestPath, body) =>
      requestPath === at ? fake.objection(path, body) : `No such page: ${requestPath}`,
  });
  const chat = placed(openaiChat, chats, "/v1/chat/completions");
  const { responses, ...more } = rest;
  const other = responses ? placed(openaiResponses, responses, "/v1/responses") : null;
  const fakeAt = (path: string) => (path.endsWith("/responses") ? other : chat);
  return own(name, chat, { ...more, fakeAt, fake: chat });
}

const PROJECT = "/v1/projects/p/locations/global/publishers";
const onVertex = (fake: FakeUpstream, publisher: string, method: RegExp, path: string): FakeUpstream => ({
  ...fake,
  type: 41,
  isStream: (requestPath, body, headers) => /:stream/.test(requestPath) || fake.isStream(requestPath, body, headers),
  objection: (requestPath, body) =>
    requestPath.startsWith(`${PROJECT}/${publisher}/models/`) && method.test(requestPath)
      ? fake.objection(path, body)
      : `No such page: ${requestPath}`,
});
const vertexClaude: FakeUpstream = {
  ...anthropic,
  objection: (path, { anthropic_version: version, ...body }) =>
    version === "vertex-2023-10-16" ? anthropic.objection(path, body) : "anthropic_version: Field required",
};

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** A key of Vertex AI, whose tokens are asked for at the same server. */
export const serviceAccount = (url: string): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "p",
    client_email: "c@p.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${url}/token`,
  });
const CLAUDE_PROOF = "c2lnbmVk";
/** The sealed thought, or a reference to it: the provider has it. */
const SEALED_PROOF = /c2VhbGVk|"item_reference","id":"rs_1"/;
const GEMINI_PROOF = "dGhvdWdodA==";

/** Every provider whose format or address is one of its own. */
export const SERVED_FAMILIES: readonly ServedFamily[] = [
  imitation("Azure OpenAI", 3, "/openai/deployments/some-model/chat/completions", {
    other: "2025-04-01-preview",
    responses: "/openai/responses",
  }),
  own("OpenAI Responses", openaiResponses, { proof: SEALED_PROOF }),
  own("Ollama", ollama, { silentOnCache: true }),
  imitation("a custom address", 8, "/own/some-model/chat", { base: "/own/{model}/chat" }),
  own("DashScope", dashscope, {
    // Clients of chats are sent to the address that imitates OpenAI.
    fakeAt: (path) => (path.startsWith("/compatible-mode/") ? dashscopeImitation : dashscope),
  }),
  imitation("OpenRouter", 20, "/v1/chat/completions"),
  own("Bedrock Claude", bedrock, { proof: CLAUDE_PROOF }),
  own("Cohere", cohere),
  own("Vertex Gemini", onVertex(gemini, "google", /:(streamG|g)enerateContent$/, "/v1beta/models/gemini-2.5-flash:"), {
    key: serviceAccount,
    proof: GEMINI_PROOF,
  }),
  own("Vertex Claude", onVertex(vertexClaude, "anthropic", /:(streamR|r)awPredict$/, "/v1/messages"), {
    key: serviceAccount,
    proof: CLAUDE_PROOF,
  }),
  own("Mistral", mistral),
  imitation("DeepSeek", 43, "/v1/chat/completions"),
  imitation("xAI", 48, "/v1/chat/completions", { responses: "/v1/responses" }),
  own("Bedrock Converse", converse),
  own("Hunyuan", hunyuan, { silentOnCache: true }),
];

const USAGE = { prompt: 20, cached: 5, completion: 9 };
const FIRST: Answer = { thought: THOUGHT, text: LOOKING, calls: [GHENT], finish: "tool_calls", usage: USAGE };
const SECOND: Answer = { thought: "", text: ANSWER, calls: [], finish: "stop", usage: USAGE };

/** Starts the provider: asked for the weather it reasons and calls a tool, given its result it answers. `understood`: of the last request. */
export function startServed(family: ServedFamily) {
  const state: { understood: Sent | null } = { understood: null };
  const upstream = startUpstream(({ path, headers, text }) => {
    if (path === "/token") return Response.json({ access_token: "ya29.token", expires_in: 3600 });
    const fake = family.fakeAt(path);
    if (!fake) return new Response("404 page not found", { status: 404 });
    if (family.key && headers.get("authorization") !== "Bearer ya29.token") return fake.refuse("no such token");
    const body: JsonObject = recordOf(parseJson(text)) ?? {};
    const objection = fake.objection(path, body);
    if (objection !== null) return fake.refuse(objection);
    state.understood = fake.read(body);
    const hasToolResult = state.understood.results.length > 0;
    return fake.speak(hasToolResult ? SECOND : FIRST, fake.isStream(path, body, headers));
  });
  return { ...upstream, state };
}
