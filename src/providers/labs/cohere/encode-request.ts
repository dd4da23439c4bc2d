import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation, ToolChoice } from "../../../formats/conversation/conversation.ts";
import { NO_REASONING } from "../../../formats/conversation/conversation.ts";
import { recordForeignFields } from "../../../formats/helpers/dropped-fields.ts";
import { isSilent } from "../../../formats/helpers/silent-messages.ts";
import { compact, type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../formats/json.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { FREE_TEXT } from "../../../formats/tools/custom-tools.ts";
import { requestsStrictTools } from "../../../formats/tools/pair-calls.ts";
import { choosesHosted } from "../../../formats/tools/web-search.ts";

const UNKNOWN = ["n", "logit_bias", "top_logprobs", "parallel_tool_calls", "user", "metadata", "service_tier"];
const ALSO_UNSUPPORTED = ["verbosity", "modalities", "audio", "prompt_cache_key"];
/** Fields of Cohere that clients may set. */
const OWN = ["safety_mode", "documents", "citation_options", "strict_tools", "priority"];

/**
 * Writes a request for Cohere's chat v2; values outside its ranges are clamped. Source:
 * https://docs.cohere.com/reference/chat
 */
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  // These two have other names and limits here.
  const rest = { ...conversation.sampling, topK: null, stop: [] };
  const chat = encodeChat({ ...conversation, sampling: rest, reasoning: NO_REASONING }, target, dropped);
  for (const name of [...UNKNOWN, ...ALSO_UNSUPPORTED]) if (chat[name] !== undefined) dropped.add(name);
  recordForeignFields(conversation, OWN, dropped);
  const { sampling, extra, toolChoice, reasoning } = conversation;
  const thinking = thinkingOf(reasoning);
  const canThink = (target.info.reasoning?.style ?? "none") !== "none";
  if (thinking?.type === "enabled" && !canThink) dropped.add("reasoning_effort");
  const own = extra.dialect === "openai-chat" ? OWN.map((name) => [name, extra.members[name]]) : [];
  if (sampling.stop.length > 5) dropped.add("stop");
  // A hosted tool of another provider cannot be chosen here.
  const isHosted = choosesHosted(conversation);
  if (isHosted) dropped.add("tool_choice");
  const choice = isHosted ? null : toolChoice;
  const tools = toolsOf(recordsOf(chat.tools), choice, dropped);
  // Cohere does not combine a JSON response format with tools.
  const format = formatOf(conversation.format);
  if (tools && format) dropped.add("response_format");
  return compact({
    ...Object.fromEntries(own),
    model: target.model,
    messages: recordsOf(chat.messages).flatMap((message) => {
      const written = messageOf(message, dropped);
      return isSilent(written, message) ? [] : [written];
    }),
    stream: conversation.stream || null,
    tools,
    strict_tools: strictOf(conversation, dropped),
    tool_choice: tools ? choiceOf(choice) : null,
    response_format: tools ? null : format,
    max_tokens: sampling.maxOutputTokens,
    stop_sequences: sampling.stop.length > 0 ? sampling.stop.slice(0, 5) : null,
    temperature: clamp(sampling.temperature, 0, 1),
    p: clamp(sampling.topP, 0.01, 0.99),
    k: clamp(sampling.topK, 0, 500),
    seed: sampling.seed,
    frequency_penalty: clamp(sampling.frequencyPenalty, 0, 1),
    presence_penalty: clamp(sampling.presencePenalty, 0, 1),
    logprobs: sampling.logprobs,
    thinking: canThink ? thinking : null,
  });
}

const clamp = (value: number | null, least: number, most: number): number | null =>
  value === null ? null : Math.min(most, Math.max(least, value));

function messageOf({ role, content, tool_calls, tool_call_id }: JsonObject, dropped: Dropped): JsonObject {
  const calls = recordsOf(tool_calls).map(({ id, function: called, custom }) => {
    const free = recordOf(custom);
    const asFunction = free && { name: free.name, arguments: JSON.stringify({ input: free.input }) };
    return { id, type: "function", function: asFunction ?? called };
  });
  const parts = recordsOf(content).flatMap((part) => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "image_url") return [part];
    dropped.add(textOf(part.type) ?? "content");
    return [];
  });
  return compact({
    role,
    content: Array.isArray(content) ? parts : content,
    tool_calls: calls.length > 0 ? calls : null,
    tool_call_id,
  });
}

/** Cohere cannot force a specific tool: only the allowed ones are sent. */
function toolsOf(tools: readonly JsonObject[], choice: ToolChoice | null, dropped: Dropped): JsonObject[] | null {
  const names = choice?.type === "tool" ? [choice.name] : choice?.type === "allowed" ? choice.names : null;
  const functions = tools.flatMap((tool): JsonObject[] => {
    const free = recordOf(tool.custom);
    const called = free ? freeText(free) : recordOf(tool.function);
    if (!called) {
      dropped.add(`tools: ${textOf(tool.type) ?? "tool"}`);
      return [];
    }
    const { name, description, parameters } = called;
    if (names && !names.includes(textOf(name) ?? "")) return [];
    return [{ type: "function", function: compact({ name, description, parameters }) }];
  });
  return functions.length > 0 ? functions : null;
}

/** Strict mode applies to all tools or none, and requires a required parameter in each. */
function strictOf({ tools, extra }: Conversation, dropped: Dropped): unknown {
  if (!requestsStrictTools({ tools })) return extra.dialect === "openai-chat" ? extra.members.strict_tools : null;
  const suits = tools.every(
    (tool) => tool.type === "function" && tool.strict === true && textsOf(tool.parameters?.required).length > 0,
  );
  if (!suits) dropped.add("strict");
  return suits || null;
}

/** A free-text tool as a function with one string parameter. */
const freeText = ({ name, description }: JsonObject): JsonObject => ({
  name,
  description,
  parameters: FREE_TEXT,
});

/** Without a value the model decides. */
function choiceOf(choice: ToolChoice | null): string | null {
  if (choice?.type === "none") return "NONE";
  const must = choice?.type === "required" || choice?.type === "tool";
  return must || (choice?.type === "allowed" && choice.mode === "required") ? "REQUIRED" : null;
}

function formatOf(format: Conversation["format"]): JsonObject | null {
  if (!format || format.type === "text") return null;
  return { type: "json_object", ...(format.type === "schema" && { json_schema: format.schema }) };
}

function thinkingOf({ setting }: Conversation["reasoning"]): JsonObject | null {
  if (!setting) return null;
  if (setting.type === "off") return { type: "disabled" };
  return { type: "enabled", ...(setting.type === "budget" && { token_budget: setting.tokens }) };
}
