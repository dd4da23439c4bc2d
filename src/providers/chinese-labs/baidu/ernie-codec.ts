import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type {
  Conversation,
  DialogTurn,
  Part,
  Tool,
  ToolCallPart,
  ToolResultPart,
} from "../../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { outputLimit, recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { compact, countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { pairCalls, resultMedia, resultText } from "../../../formats/tools/pair-calls.ts";

const SUPPORTED_FIELDS = [
  "max_tokens",
  "temperature",
  "top_p",
  "stop",
  "user",
  "response_format",
  "tools",
  "tool_choice",
];
/** Fields of Qianfan that clients may set. */
const OWN = ["penalty_score", "disable_search", "enable_citation", "enable_trace"];
const MAX_STOPS = 4;

/**
 * Writes a request for Qianfan's v1 chat: an odd number of messages, the first and last by the user. Source:
 * https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
 */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { sampling, extra, tools, toolChoice, format } = conversation;
  const chat = encodeChat({ ...conversation, turns: [] }, target, dropped);
  recordDropped(chat, [...SUPPORTED_FIELDS, ...OWN], dropped);
  if (sampling.stop.length > MAX_STOPS) dropped.add("stop");
  if (format?.type === "schema") dropped.add("response_format");
  if (toolChoice?.type === "required" || toolChoice?.type === "allowed") dropped.add("tool_choice");
  const own = extra.dialect === "openai-chat" ? OWN.map((name) => [name, extra.members[name]]) : [];
  const functions = toolChoice?.type === "none" ? [] : tools.flatMap((tool) => functionOf(tool, dropped));
  return compact({
    ...Object.fromEntries(own),
    messages: messagesOf(pairCalls(conversation.turns, target.newId), dropped),
    system: systemText(conversation),
    stream: conversation.stream || null,
    // A temperature of 0 and a limit of 1 token are rejected.
    temperature: sampling.temperature === null ? null : Math.min(1, Math.max(0.01, sampling.temperature)),
    top_p: sampling.topP === null ? null : Math.min(1, Math.max(0, sampling.topP)),
    max_output_tokens: outputLimit(sampling.maxOutputTokens, 2, dropped),
    stop: sampling.stop.length > 0 ? sampling.stop.slice(0, MAX_STOPS) : null,
    response_format: format && format.type !== "text" ? "json_object" : null,
    user_id: conversation.user,
    functions: functions.length > 0 ? functions : null,
    tool_choice: toolChoice?.type === "tool" ? { type: "function", function: { name: toolChoice.name } } : null,
  });
}

function functionOf(tool: Tool, dropped: Dropped): JsonObject[] {
  if (tool.type !== "function") {
    dropped.add(`tools: ${tool.name}`);
    return [];
  }
  const { name, description, parameters, strict } = tool;
  if (strict) dropped.add("strict");
  return [{ name, description: description ?? name, parameters: parameters ?? { type: "object", properties: {} } }];
}

/** A message can hold one call: the first of parallel calls stays a call, the others become text. */
function messagesOf(turns: readonly DialogTurn[], dropped: Dropped): JsonObject[] {
  const messages = turns.map(({ role, parts }): JsonObject => {
    const call = parts.find((part): part is ToolCallPart => part.type === "tool-call");
    const result = parts.find((part): part is ToolResultPart => part.type === "tool-result");
    const rest = textOfMedia(
      role,
      parts.filter((part) => part !== call && part !== result),
      dropped,
    );
    if (call) return { role, content: rest, function_call: { name: call.name, arguments: call.input || "{}" } };
    if (!result) return { role, content: rest || "..." };
    const media = textOfMedia(role, resultMedia(result), dropped);
    return {
      role: "function",
      name: result.name ?? "",
      content: [resultText(result), media, rest].filter((text) => text !== "").join("\n"),
    };
  });
  if (messages[0]?.role === "assistant") messages.unshift({ role: "user", content: "..." });
  if (messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: "..." });
  return messages;
}

const textOfMedia = (role: DialogTurn["role"], parts: Part[], dropped: Dropped): string =>
  flattenTurns({ turns: [{ role, parts }] }, dropped).find((line) => line.role === role)?.text ?? "";

/** Baidu Qianfan's v1 chat: the text is in `result`, errors have status 200. */
export const ernieCodec = chunkedCodec({
  dialect: "ernie",
  encodeRequest,
  reader: () => readEvent,
  isAnswer: (body) => textOf(body.result) !== null || recordOf(body.function_call) !== null,
  decodeError,
});

function readEvent(body: JsonObject): ParsedEvent {
  const usage = recordOf(body.usage);
  const call = recordOf(body.function_call);
  const last = body.is_end !== false;
  const chunk = {
    id: body.id,
    created: body.created,
    choices: [
      {
        index: 0,
        delta: { content: body.result, ...(call && { function_call: { name: call.name, arguments: call.arguments } }) },
        finish_reason: last ? finishOf(body) : null,
      },
    ],
    // The completion count of a stream's events is stale: it is derived from the total.
    usage: usage && { prompt_tokens: usage.prompt_tokens, total_tokens: countOf(usage.total_tokens) ?? 0 },
  };
  return { chunk, last };
}

function finishOf({ finish_reason, need_clear_history, is_truncated }: JsonObject): string {
  if (need_clear_history === true) return "content_filter";
  if (is_truncated === true) return "length";
  const native = textOf(finish_reason);
  return !native || native === "normal" ? "stop" : native;
}

/** HTTP statuses for Qianfan's error codes. */
const STATUSES: Readonly<Record<number, readonly number[]>> = {
  400: [336001, 336002, 336003, 336006, 336007, 336103],
  401: [13, 14, 15, 110, 111],
  403: [6],
  404: [3, 336005],
  429: [4, 17, 18, 19, 336501, 336502, 336503, 336504, 336505],
  500: [1, 336000],
  503: [2, 336100],
};

function decodeError(status: number, body: unknown): ReplyError | null {
  const { error_code: code, error_msg: message } = recordOf(body) ?? {};
  if (typeof code !== "number") return status >= 400 ? errorOf(status, body) : null;
  const known = Object.entries(STATUSES).find(([, codes]) => codes.includes(code));
  return serviceError(known ? Number(known[0]) : 502, String(code), textOf(message) ?? "");
}
