import { recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { bedrockClaude, bedrockConverse } from "./bedrock.ts";
import { openaiReply, openaiStream } from "./compatible.ts";
import { ANSWER, dataEvents, eventStream, type FakeType, PIECES, REFUSED } from "./fake-type.ts";
import { geminiQuestion, geminiReply, geminiStream } from "./native-formats.ts";
import { spark } from "./spark.ts";
import { hunyuan } from "./tencent.ts";
import { chatglm } from "./zhipu.ts";

const qianfan: FakeType = {
  type: 15,
  model: "ERNIE-4.0-8K",
  key: "api-key|secret-key",
  objection: ({ path, query, body }) => {
    if (query.get("access_token") !== "24.token") return "Access token invalid";
    if (recordsOf(body.messages).length % 2 === 0) return "the length of messages must be an odd number";
    return path.endsWith("/wenxinworkshop/chat/completions_pro") ? null : `no such page: ${path}`;
  },
  question: ({ messages }) => textOf(recordsOf(messages).at(-1)?.content) ?? "",
  reply: () =>
    Response.json({
      id: "as-1",
      object: "chat.completion",
      created: 1,
      result: ANSWER,
      is_truncated: false,
      need_clear_history: false,
      usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
    }),
  stream: () =>
    eventStream(
      dataEvents(
        PIECES.map((result, at) => ({
          id: "as-1",
          sentence_id: at,
          is_end: at === PIECES.length - 1,
          result,
          need_clear_history: false,
          // The count of the answer stays behind.
          usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 + at * 4 },
        })),
      ),
    ),
  refusal: { status: 400, answer: () => ({ error_code: 336003, error_msg: REFUSED }) },
  otherPaths: ({ path, query }) => {
    if (path !== "/oauth/2.0/token") return null;
    const isKnown =
      query.get("grant_type") === "client_credentials" &&
      query.get("client_id") === "api-key" &&
      query.get("client_secret") === "secret-key";
    return isKnown
      ? Response.json({ access_token: "24.token", expires_in: 2_592_000 })
      : Response.json({ error: "invalid_client", error_description: "unknown client id" }, { status: 401 });
  },
};

/** Express mode: its key goes as it is. The exchange for service accounts has a test of its own. */
const vertex: FakeType = {
  type: 41,
  model: "gemini-2.5-pro",
  key: "upstream",
  objection: ({ path, headers }) => {
    if (headers.get("x-goog-api-key") !== "upstream") return "API key not valid";
    return path.startsWith("/v1/publishers/google/models/gemini-2.5-pro:") ? null : `no such page: ${path}`;
  },
  question: geminiQuestion,
  reply: geminiReply,
  stream: geminiStream,
  refusal: {
    status: 400,
    answer: () =>
      Response.json([{ error: { code: 400, message: REFUSED, status: "INVALID_ARGUMENT" } }], { status: 400 }),
  },
};

const GENERATION = "/api/v1/services/aigc/text-generation/generation";

/** Chats of OpenAI's clients go to the address that imitates it; the test of a connection goes to its own. */
const dashscope: FakeType = {
  type: 17,
  model: "qwen-plus",
  key: "upstream",
  objection: ({ path, headers }) => {
    if (headers.get("authorization") !== "Bearer upstream") return "InvalidApiKey";
    return path === "/compatible-mode/v1/chat/completions" || path === GENERATION ? null : `no such page: ${path}`;
  },
  question: ({ messages, input }) => textOf(recordsOf(messages ?? recordOf(input)?.messages).at(-1)?.content) ?? "",
  reply({ path }) {
    if (path !== GENERATION) return openaiReply();
    const choices = [{ message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }];
    return Response.json({ output: { choices }, usage: { input_tokens: 20, output_tokens: 9 }, request_id: "r" });
  },
  stream: openaiStream,
  refusal: {
    status: 400,
    answer: () => Response.json({ error: { code: "invalid_parameter_error", message: REFUSED } }, { status: 400 }),
  },
  otherPaths: ({ path }) =>
    path === "/compatible-mode/v1/models" ? Response.json({ data: [{ id: "model-b" }, { id: "model-a" }] }) : null,
  models: ["model-b", "model-a"],
};

/** Services that verify signatures or exchange keys, and those with more than one face. */
export const signedTypes: readonly FakeType[] = [
  hunyuan,
  qianfan,
  chatglm,
  spark,
  bedrockClaude,
  bedrockConverse,
  vertex,
  dashscope,
];
