import type { JsonObject } from "../../../../src/formats/json.ts";
import { chatOf } from "../../../../src/providers/contract/chat.ts";
import { channelTypes, providerOf } from "../../../../src/providers/registry.ts";

const data = (...events: readonly JsonObject[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const named = (...events: readonly (readonly [name: string, event: JsonObject])[]): string =>
  events.map(([name, event]) => `event: ${name}\n${data(event)}`).join("");
const lines = (...events: readonly JsonObject[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");

const hunyuan = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ Id: "mk1z", Created: 1005, Choices: [{ Index: 0, Delta: delta, FinishReason: "", ...more }] },
});
const dashscope = (message: JsonObject, finish_reason = "null", more: JsonObject = {}): JsonObject => ({
  request_id: "mk1z",
  output: { choices: [{ finish_reason, message: { role: "assistant", ...message } }], ...more },
});
const spark = (status: number, text: JsonObject, more: JsonObject = {}): JsonObject => ({
  header: { code: 0, sid: "mk1z", status },
  payload: { choices: { status, text: [{ index: 0, ...text }] }, ...more },
});
const ollama = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ model: "mk1z", created_at: "2026-01-01T00:00:05Z", message: { role: "assistant", ...message }, done: false },
  ...more,
});

/**
 * The answers of `samples.ts` as their formats stream them, with the same markers: as each service frames them, but for Bedrock's
 * binary frames, which have tests of their own, and Spark's, which are messages of a WebSocket.
 */
const STREAMS: Readonly<Record<string, string>> = {
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
  converse: named(
    ["messageStart", { role: "assistant" }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "mk1z" } } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "mk2z" } } }],
    ["contentBlockDelta", { contentBlockIndex: 1, delta: { reasoningContent: { redactedContent: "mk3z" } } }],
    ["contentBlockDelta", { contentBlockIndex: 2, delta: { text: "mk4z" } }],
    ["contentBlockStart", { contentBlockIndex: 3, start: { toolUse: { toolUseId: "mk5z", name: "mk6z" } } }],
    ["contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: '{"mk7z":' } } }],
    ["contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: '"mk8z"}' } } }],
    ["messageStop", { stopReason: "max_tokens" }],
    ["metadata", { usage: { inputTokens: 1001, outputTokens: 1002 }, serviceTier: { type: "priority" } }],
  ),
  // https://docs.cohere.com/v2/docs/streaming
  cohere: named(
    ["message-start", { type: "message-start", id: "mk1z", delta: { message: { role: "assistant" } } }],
    ["tool-plan-delta", { type: "tool-plan-delta", delta: { message: { tool_plan: "mk2z" } } }],
    [
      "content-start",
      { type: "content-start", index: 0, delta: { message: { content: { type: "thinking", thinking: "" } } } },
    ],
    ["content-delta", { type: "content-delta", index: 0, delta: { message: { content: { thinking: "mk3z" } } } }],
    ["content-start", { type: "content-start", index: 1, delta: { message: { content: { type: "text", text: "" } } } }],
    ["content-delta", { type: "content-delta", index: 1, delta: { message: { content: { text: "mk4z and more" } } } }],
    [
      "citation-start",
      {
        type: "citation-start",
        index: 0,
        delta: {
          message: {
            citations: {
              ...{ start: 1, end: 4, text: "mk9z" },
              sources: [{ type: "document", id: "1", document: { url: "https://example.org/mk10z", title: "mk11z" } }],
            },
          },
        },
      },
    ],
    [
      "tool-call-start",
      {
        type: "tool-call-start",
        index: 0,
        delta: {
          message: { tool_calls: { id: "mk5z", type: "function", function: { name: "mk6z", arguments: "" } } },
        },
      },
    ],
    [
      "tool-call-delta",
      {
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: '{"mk7z":"mk8z"}' } } } },
      },
    ],
    [
      "message-end",
      {
        type: "message-end",
        delta: { finish_reason: "MAX_TOKENS", usage: { tokens: { input_tokens: 1001, output_tokens: 1002 } } },
      },
    ],
  ),
  // https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
  ollama: lines(
    ollama({ content: "", thinking: "mk3z" }),
    ollama({ content: "mk2z" }),
    ollama({ content: "", tool_calls: [{ id: "mk4z", function: { name: "mk5z", arguments: { mk6z: "mk7z" } } }] }),
    ollama({ content: "" }, { done: true, done_reason: "length", prompt_eval_count: 1001, eval_count: 1002 }),
  ),
  // https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope
  dashscope: [
    dashscope({ content: [], reasoning_content: "mk5z" }),
    dashscope({ content: [{ text: "mk4z" }] }, "null", {
      search_info: { search_results: [{ url: "https://example.org/mk2z", title: "mk3z" }] },
    }),
    dashscope({ tool_calls: [{ index: 0, id: "mk6z", type: "function", function: { name: "mk7z", arguments: "" } }] }),
    dashscope(
      { tool_calls: [{ index: 0, id: "", type: "function", function: { arguments: '{"mk8z":"mk9z"}' } }] },
      "length",
    ),
  ]
    .map((event, at) => `id:${at + 1}\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(event)}\n\n`)
    .join(""),
  // https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
  ernie: data(
    { id: "mk1z", created: 1005, result: "mk2z", is_end: false },
    {
      ...{ id: "mk1z", created: 1005, result: "", is_end: true, finish_reason: "length" },
      function_call: { name: "mk3z", arguments: '{"mk4z":"mk5z"}' },
    },
  ),
  // https://www.xfyun.cn/doc/spark/Web.html
  spark: data(
    spark(0, { content: "", reasoning_content: "mk3z" }),
    spark(1, { content: "mk2z" }),
    spark(
      2,
      { content: "", function_call: { name: "mk4z", arguments: '{"mk5z":"mk6z"}' } },
      { usage: { text: { prompt_tokens: 1001, completion_tokens: 1002, total_tokens: 2003 } } },
    ),
  ),
  // https://cloud.tencent.com/document/api/1729/105701
  hunyuan: data(
    hunyuan({ Role: "assistant", ReasoningContent: "mk3z" }),
    {
      ...hunyuan({ Content: "mk2z" }),
      SearchInfo: { SearchResults: [{ Url: "https://example.org/mk8z", Title: "mk9z" }] },
    },
    hunyuan({ ToolCalls: [{ Index: 0, Id: "mk4z", Type: "function", Function: { Name: "mk5z", Arguments: "" } }] }),
    hunyuan(
      { ToolCalls: [{ Index: 0, Id: "", Type: "function", Function: { Name: "", Arguments: '{"mk6z":"mk7z"}' } }] },
      { FinishReason: "tool_calls" },
    ),
  ),
  // https://open.bigmodel.cn/dev/api
  zhipu: `event:add\nid:1\ndata:mk1z\n\nevent:finish\nid:1\ndata:\nmeta:{"usage":{"prompt_tokens":1001,"total_tokens":2003}}\n\n`,
  // https://docs.dify.ai/api-reference/chats/send-chat-message
  dify: data(
    { event: "agent_thought", message_id: "mk1z", thought: "mk3z", tool: "search" },
    { event: "message", message_id: "mk1z", answer: "mk2z" },
    { event: "message_end", message_id: "mk1z", metadata: { usage: { prompt_tokens: 1001, completion_tokens: 1002 } } },
  ),
  // https://docs.aiproxy.io
  "ai-proxy": data(
    { content: "mk1z", finish: false, model: "m" },
    { content: "", finish: true, documents: [{ title: "mk2z", url: "https://example.org/mk3z" }] },
  ),
};

/** The stream of a format's sample as server-sent events, as the gateway reads it; null: the format has none of its own. */
export function streamOf(format: string): string | null {
  const wire = STREAMS[format];
  if (wire === undefined) return null;
  if (format === "converse") return wire;
  const provider = channelTypes.map(({ id }) => providerOf(id)).find((one) => one?.chat?.formats.includes(format));
  const framing = provider && chatOf(provider).streaming.framing;
  if (!framing) return wire;
  const pieces: Uint8Array[] = [];
  const controller = { enqueue: (piece: Uint8Array) => pieces.push(piece), desiredSize: 1, error() {}, terminate() {} };
  const transformer = framing();
  const bytes = Buffer.from(wire);
  // Cut in the middle, as networks do.
  for (const part of [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)])
    transformer.transform?.(part, controller);
  transformer.flush?.(controller);
  return Buffer.concat(pieces).toString();
}
