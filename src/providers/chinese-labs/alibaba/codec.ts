import type { Dropped, ProviderCodec, Target } from "../../../formats/conversation/codec.ts";
import { type Reply, ReplyCollector } from "../../../formats/conversation/collect-reply.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { NO_REASONING } from "../../../formats/conversation/conversation.ts";
import type { ReplyError, ReplyEvent, StreamDecoder, WireEvent } from "../../../formats/conversation/reply.ts";
import type { ReasoningControl } from "../../../formats/conversation/service.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { recordForeignFields } from "../../../formats/helpers/dropped-fields.ts";
import { isSilent } from "../../../formats/helpers/silent-messages.ts";
import { compact, type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { reasoningMembers } from "../../../formats/openai-chat/request/reasoning-setting.ts";
import { ChatStreamDecoder } from "../../../formats/openai-chat/response/stream-decoder.ts";
import { requestsStrictTools } from "../../../formats/tools/pair-calls.ts";
import { extractSearch } from "../../../formats/tools/web-search.ts";

/** In both of its APIs. Source: https://help.aliyun.com/en/model-studio/deep-thinking */
export const QWEN_REASONING: readonly ReasoningControl[] = [
  { on: { enable_thinking: true }, off: { enable_thinking: false }, budget: ["thinking_budget"] },
];

const UNKNOWN = [
  "frequency_penalty",
  "logit_bias",
  "user",
  "metadata",
  "service_tier",
  "verbosity",
  "modalities",
  "audio",
  "prompt_cache_key",
];
/** Fields of DashScope that clients may set. */
const OWN = ["enable_search", "search_options", "repetition_penalty", "enable_code_interpreter"];

/**
 * Writes a request for DashScope's own generation API. Source:
 * https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-dashscope
 */
function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { searches, rest: conversation } = extractSearch(source, "dashscope", dropped);
  // These two have other names and limits here.
  const others = { ...conversation.sampling, topK: null, stop: [] };
  const { sampling, extra, stream, reasoning } = conversation;
  const chat = encodeChat({ ...conversation, sampling: others, reasoning: NO_REASONING }, target, dropped);
  const thinking = reasoningMembers(reasoning.setting, { reasoning: QWEN_REASONING }, target.model, target.info);
  if (!thinking.isHonored) dropped.add("reasoning_effort");
  for (const name of UNKNOWN) if (chat[name] !== undefined) dropped.add(name);
  recordForeignFields(conversation, OWN, dropped);
  const { toolChoice } = conversation;
  const allowed = toolChoice?.type === "allowed" ? toolChoice : null;
  const mustCall = toolChoice?.type === "required" || allowed?.mode === "required";
  if (mustCall) dropped.add("tool_choice");
  if (requestsStrictTools(conversation)) dropped.add("strict");
  const own = extra.dialect === "openai-chat" ? OWN.map((name) => [name, extra.members[name]]) : [];
  const messages = recordsOf(chat.messages).flatMap((message) => {
    const written = messageOf(message, dropped);
    return isSilent(written, message) ? [] : [written];
  });
  return {
    model: target.model,
    input: { messages },
    parameters: compact({
      ...Object.fromEntries(own),
      ...(searches && { enable_search: searches }),
      result_format: "message",
      incremental_output: stream || null,
      max_tokens: sampling.maxOutputTokens,
      temperature: sampling.temperature === null ? null : Math.min(1.99, Math.max(0, sampling.temperature)),
      // Both 0 and 1 are rejected.
      top_p: sampling.topP === null ? null : Math.min(0.999, Math.max(0.001, sampling.topP)),
      top_k: sampling.topK,
      presence_penalty: sampling.presencePenalty,
      seed: sampling.seed,
      stop: sampling.stop.length > 0 ? sampling.stop : null,
      n: sampling.n,
      logprobs: sampling.logprobs,
      top_logprobs: sampling.topLogprobs,
      tools: allowed ? offered(recordsOf(chat.tools), allowed.names) : chat.tools,
      tool_choice: mustCall || allowed ? "auto" : chat.tool_choice,
      parallel_tool_calls: chat.parallel_tool_calls,
      response_format: chat.response_format,
      ...thinking.members,
    }),
  };
}

/** If the request allows only some tools, the others are left out. */
const offered = (tools: readonly JsonObject[], names: readonly string[]): JsonObject[] =>
  tools.filter((tool) => names.includes(textOf(recordOf(tool.function)?.name) ?? ""));

/** Content parts have their kind as the member name. */
function messageOf(message: JsonObject, dropped: Dropped): JsonObject {
  const { reasoning_details: _, ...rest } = message;
  if (!Array.isArray(message.content)) return rest;
  const content = recordsOf(message.content).flatMap((part): JsonObject[] => {
    if (part.type === "text") return [compact({ text: part.text, cache_control: part.cache_control })];
    const image = textOf(recordOf(part.image_url)?.url);
    if (image !== null) return [{ image }];
    const video = textOf(recordOf(part.video_url)?.url);
    if (video !== null) return [{ video }];
    const { data, format } = recordOf(part.input_audio) ?? {};
    if (data !== undefined) return [{ audio: `data:audio/${textOf(format) ?? "wav"};base64,${data}` }];
    dropped.add(textOf(part.type) ?? "content");
    return [];
  });
  return { ...rest, content };
}

/** Reads DashScope's own stream: each event equals an OpenAI chunk. */
class DashScopeStreamDecoder implements StreamDecoder {
  readonly #chunks: ChatStreamDecoder;

  constructor(newId: (prefix: string) => string) {
    this.#chunks = new ChatStreamDecoder(newId);
  }

  get ended(): boolean {
    return this.#chunks.ended;
  }

  push({ event, data }: WireEvent): ReplyEvent[] {
    const body = recordOf(parseJson(data));
    if (!body) return [];
    const error = event === "error" || !recordOf(body.output) ? decodeError(200, body) : null;
    if (error) return [{ type: "error", error }];
    const steps = this.#chunks.push({ event: "", data: JSON.stringify(chunkOf(body)) });
    if (steps.some(({ type }) => type === "finish")) this.#chunks.ended = true;
    return steps;
  }

  end(): ReplyEvent[] {
    return this.#chunks.end();
  }
}

/** Older models respond with plain text. */
function chunkOf({ output, usage, request_id }: JsonObject): JsonObject {
  const answer = recordOf(output) ?? {};
  const reported = recordsOf(answer.choices);
  const sources = recordsOf(recordOf(answer.search_info)?.search_results).map(({ url, title }) => ({
    type: "url_citation",
    url_citation: { url, title },
  }));
  const choices =
    reported.length > 0 ? reported : [{ message: { content: answer.text }, finish_reason: answer.finish_reason }];
  return {
    id: request_id,
    choices: choices.map(({ message, finish_reason, logprobs }, index) => ({
      index,
      delta: { ...deltaOf(recordOf(message) ?? {}), annotations: sources },
      logprobs,
      // Until the end, the finish reason is the string "null".
      finish_reason: finish_reason === "null" ? null : finish_reason,
    })),
    usage,
  };
}

function deltaOf(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  return { ...message, content: recordsOf(content).map((part) => (part.image ? { image_url: part.image } : part)) };
}

/** Reads a complete response, which equals a stream of one event; null if it has no output. */
function decodeReply(body: JsonObject): Reply | null {
  if (!recordOf(body.output)) return null;
  let made = 0;
  // Missing ids derive from the response's own, so that they differ between turns.
  const seed = (textOf(body.request_id) ?? "").replace(/[^A-Za-z0-9]/g, "").slice(-16);
  const decoder = new DashScopeStreamDecoder((prefix) => `${prefix}${seed}${made++}`);
  const collector = new ReplyCollector();
  for (const step of decoder.push({ event: "", data: JSON.stringify(body) })) collector.push(step);
  for (const step of decoder.end()) collector.push(step);
  return collector.reply;
}

/**
 * Statuses by the beginning of an error's code, as the service documents them, for errors that come without one
 * (https://help.aliyun.com/zh/model-studio/error-code).
 */
const STATUSES: readonly (readonly [codes: RegExp, status: number])[] = [
  [/^(InvalidApiKey|invalid_api_key|NotAuthorized)/i, 401],
  [/^(Model\.|Workspace\.|App\.)?AccessDenied|^AllocationQuota\.FreeTierOnly/i, 403],
  [/^(ModelNotFound|model_not_found|WorkSpaceNotFound|NotFound)/i, 404],
  [/^(RequestTimeOut|ResponseTimeout)/i, 504],
  [/^(Throttling|LimitRequests|limit_requests|insufficient_quota|PrepaidBillOverdue|PostpaidBillOverdue)/i, 429],
  [/^(ModelUnavailable|ModelServingError|ServiceUnavailable)/i, 503],
  [/^(InternalError|SystemError|ModelServiceFailed|InvokePluginFailed)/i, 500],
  [
    /^(Invalid|invalid_|BadRequest|Unsupported|Arrearage|DataInspectionFailed|data_inspection_failed|FlowNotPublished)/i,
    400,
  ],
];

const statusOf = (code: string): number => STATUSES.find(([codes]) => codes.test(code))?.[1] ?? 502;

/** Errors have the shape {code, message, request_id}, inside a stream, too. */
function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(body);
  const code = textOf(answer?.code);
  const message = textOf(answer?.message);
  if (!answer || answer.output || !code || message === null) return errorOf(status, body);
  const own = status < 400 ? (numberOf(answer.status_code) ?? statusOf(code)) : status;
  return serviceError(own, code, message);
}

/** DashScope's own generation API (text and multimodal). */
export const dashscopeCodec: ProviderCodec = {
  dialect: "dashscope",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new DashScopeStreamDecoder(newId),
  decodeError,
};
