import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type {
  Conversation,
  Part,
  Tool,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from "../../../formats/conversation/conversation.ts";
import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { pairCalls } from "../../../formats/tools/pair-calls.ts";
import { resultMedia, resultText } from "../../../formats/tools/tool-result.ts";

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
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
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
    max_output_tokens: sampling.maxOutputTokens === null ? null : Math.max(2, sampling.maxOutputTokens),
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
function messagesOf(turns: readonly Turn[], dropped: Dropped): JsonObject[] {
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

const textOfMedia = (role: Turn["role"], parts: Part[], dropped: Dropped): string =>
  flattenTurns({ turns: [{ role, parts }] }, dropped).find((line) => line.role === role)?.text ?? "";
