import { type JsonObject, recordOf } from "../../../../src/formats/json.ts";
import type { Leaf } from "../requests/build.ts";
import type { Answer } from "./follow.ts";
import { streamOf } from "./streams.ts";

const logprob = (at: number): JsonObject => ({
  ...{ token: `mk${at}z`, logprob: -0.1 * at, bytes: [109, 107] },
  top_logprobs: [{ token: `mk${at + 1}z`, logprob: -0.2 * at, bytes: [109] }],
});

/** One rich answer of each format whose providers have no official client with types, and words that an end may have instead. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  converse: {
    output: {
      message: {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "mk1z", signature: "mk2z" } } },
          { reasoningContent: { redactedContent: "mk3z" } },
          { text: "mk4z" },
          { toolUse: { toolUseId: "mk5z", name: "mk6z", input: { mk7z: "mk8z" } } },
        ],
      },
    },
    stopReason: "max_tokens",
    usage: { inputTokens: 1001, outputTokens: 1002, cacheReadInputTokens: 1003, cacheWriteInputTokens: 1004 },
    serviceTier: { type: "priority" },
  },
  // https://docs.cohere.com/v2/reference/chat
  cohere: {
    id: "mk1z",
    finish_reason: "MAX_TOKENS",
    message: {
      role: "assistant",
      tool_plan: "mk2z",
      content: [
        { type: "thinking", thinking: "mk3z" },
        { type: "text", text: "mk4z and more" },
      ],
      tool_calls: [{ id: "mk5z", type: "function", function: { name: "mk6z", arguments: '{"mk7z":"mk8z"}' } }],
      citations: [
        {
          ...{ start: 1, end: 4, text: "mk9z" },
          sources: [{ type: "document", id: "1", document: { url: "https://example.org/mk10z", title: "mk11z" } }],
        },
      ],
    },
    usage: { tokens: { input_tokens: 1001, output_tokens: 1002 }, cached_tokens: 103 },
  },
  // https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
  ollama: {
    model: "mk1z",
    created_at: "2026-01-01T00:00:05Z",
    message: {
      role: "assistant",
      content: "mk2z",
      thinking: "mk3z",
      tool_calls: [{ id: "mk4z", function: { name: "mk5z", arguments: { mk6z: "mk7z" } } }],
    },
    logprobs: [logprob(8)],
    done: true,
    done_reason: "length",
    prompt_eval_count: 1001,
    eval_count: 1002,
  },
  // https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope
  dashscope: {
    request_id: "mk1z",
    output: {
      search_info: { search_results: [{ url: "https://example.org/mk2z", title: "mk3z" }] },
      choices: [
        {
          finish_reason: "length",
          message: {
            role: "assistant",
            content: [{ text: "mk4z" }],
            reasoning_content: "mk5z",
            tool_calls: [{ id: "mk6z", type: "function", function: { name: "mk7z", arguments: '{"mk8z":"mk9z"}' } }],
          },
          logprobs: { content: [logprob(10)] },
        },
      ],
    },
    usage: {
      ...{ input_tokens: 1001, output_tokens: 1002, total_tokens: 2003 },
      prompt_tokens_details: { cached_tokens: 103 },
      output_tokens_details: { reasoning_tokens: 104 },
    },
  },
  // https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
  ernie: {
    id: "mk1z",
    created: 1005,
    result: "mk2z",
    function_call: { name: "mk3z", arguments: '{"mk4z":"mk5z"}' },
    is_end: true,
    finish_reason: "length",
    usage: { prompt_tokens: 1001, total_tokens: 2003 },
  },
  // https://cloud.tencent.com/document/api/1729/105701
  hunyuan: {
    Response: {
      ...{ Id: "mk1z", Created: 1005 },
      SearchInfo: { SearchResults: [{ Url: "https://example.org/mk8z", Title: "mk9z" }] },
      Choices: [
        {
          FinishReason: "tool_calls",
          Message: {
            ...{ Role: "assistant", Content: "mk2z", ReasoningContent: "mk3z" },
            ToolCalls: [{ Id: "mk4z", Type: "function", Function: { Name: "mk5z", Arguments: '{"mk6z":"mk7z"}' } }],
          },
        },
      ],
      Usage: { PromptTokens: 1001, CompletionTokens: 1002, TotalTokens: 2003 },
    },
  },
  // https://open.bigmodel.cn/dev/api
  zhipu: {
    success: true,
    data: {
      choices: [{ role: "assistant", content: '"mk1z"' }],
      usage: { prompt_tokens: 1001, completion_tokens: 1002, total_tokens: 2003 },
    },
  },
  // https://ai.google.dev/palm_docs/deprecation
  palm: { candidates: [{ author: "1", content: "mk1z" }] },
  // https://docs.dify.ai/api-reference/chats/send-chat-message
  dify: {
    ...{ event: "message", message_id: "mk1z", answer: "mk2z <details><summary>So</summary>mk3z</details>" },
    metadata: {
      usage: { prompt_tokens: 1001, completion_tokens: 1002 },
      retriever_resources: [{ document_name: "mk4z", content: "mk5z" }],
    },
  },
  // https://docs.aiproxy.io
  "ai-proxy": { answer: "mk1z", documents: [{ title: "mk2z", url: "https://example.org/mk3z" }], model: "mk4z" },
  // https://www.xfyun.cn/doc/spark/Web.html
  spark: {
    header: { code: 0, sid: "mk1z", status: 2 },
    payload: {
      choices: {
        status: 2,
        text: [
          {
            ...{ content: "mk2z", reasoning_content: "mk3z", index: 0 },
            function_call: { name: "mk4z", arguments: '{"mk5z":"mk6z"}' },
          },
        ],
      },
      usage: { text: { prompt_tokens: 1001, completion_tokens: 1002, total_tokens: 2003 } },
    },
  },
};

/** The ends of an answer in the formats' words: one is as good as another to see whether it arrives. */
const ENDS: ReadonlySet<string> = new Set(["stopReason", "finish_reason", "done_reason"]);

function leavesOf(owner: JsonObject | unknown[], path: string): Leaf[] {
  return Object.entries(owner).flatMap(([name, value]): Leaf[] => {
    const at = Array.isArray(owner) ? path : path === "" ? name : `${path}.${name}`;
    const key = Array.isArray(owner) ? Number(name) : name;
    const inner = Array.isArray(value) ? value : recordOf(value);
    if (inner) return leavesOf(inner, at);
    const base = { path: at, owner, key, isOptional: true };
    if (typeof value === "number") return [{ ...base, marker: null, others: [] }];
    const [marker] = /mk\d+z/.exec(String(value)) ?? [];
    if (marker !== undefined) return [{ ...base, marker, others: [] }];
    return ENDS.has(name) || name === "created_at"
      ? [{ ...base, marker: null, others: ["stop", "2026-01-01T00:00:09Z"] }]
      : [];
  });
}

/** The answers, each by its members. */
export const samples = (): Answer[] =>
  Object.entries(BODIES).map(([format, sample]) => {
    const body = structuredClone(sample);
    return { format, body, leaves: leavesOf(body, ""), stream: streamOf(format) };
  });
