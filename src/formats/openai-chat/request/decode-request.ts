import { DecodeError } from "../../conversation/codec.ts";
import {
  type Conversation,
  emptyConversation,
  extensionsOf,
  type OutputFormat,
  type Part,
  type Tool,
  type ToolCallPart,
  type ToolChoice,
  type Turn,
} from "../../conversation/conversation.ts";
import { readSignature } from "../../conversation/signature.ts";
import { addInstructions } from "../../conversation/system-turns.ts";
import { readCacheMark, withMessageMark } from "../../helpers/cache-marks.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { mediaPartOf } from "../../media.ts";
import { readReasoning } from "./reasoning.ts";
import { readReasoningSetting } from "./reasoning-setting.ts";

/** Members that are decoded; all others are forwarded to upstreams of the same format. */
const DECODED_MEMBERS: ReadonlySet<string> = new Set(
  `model messages stream stream_options temperature top_p top_k n stop max_tokens max_completion_tokens presence_penalty
  frequency_penalty logit_bias logprobs top_logprobs seed user prompt_cache_key response_format tools
  tool_choice parallel_tool_calls verbosity modalities audio service_tier metadata functions function_call
  cache_control`.split(/\s+/),
);

/**
 * Reads a chat completion request. Throws DecodeError for an invalid message. Source:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function decodeRequest(body: JsonObject): Conversation {
  const conversation = emptyConversation("openai-chat", textOf(body.model) ?? "");
  conversation.stream = body.stream === true;
  conversation.wantsUsage = recordOf(body.stream_options)?.include_usage === true;
  if (!Array.isArray(body.messages)) throw new DecodeError("“messages” must be a list.", "messages");
  for (const [at, message] of recordsOf(body.messages).entries()) readMessage(conversation, message, at);
  conversation.tools = [
    ...recordsOf(body.tools).flatMap(toolOf),
    ...recordsOf(body.functions).flatMap((called) => functionOf(called, {})),
  ];
  conversation.toolChoice = choiceOf(body.tool_choice ?? body.function_call);
  conversation.parallelToolCalls = typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : null;
  conversation.format = formatOf(recordOf(body.response_format));
  conversation.sampling = {
    maxOutputTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    topK: numberOf(body.top_k),
    frequencyPenalty: numberOf(body.frequency_penalty),
    presencePenalty: numberOf(body.presence_penalty),
    seed: numberOf(body.seed),
    stop: typeof body.stop === "string" ? [body.stop] : textsOf(body.stop),
    n: numberOf(body.n),
    logprobs: typeof body.logprobs === "boolean" ? body.logprobs : null,
    topLogprobs: numberOf(body.top_logprobs),
    logitBias: recordOf(body.logit_bias),
  };
  conversation.reasoning = readReasoningSetting(body);
  conversation.modalities = Array.isArray(body.modalities) ? textsOf(body.modalities) : null;
  const audio = recordOf(body.audio);
  if (audio)
    conversation.audio = {
      voice: textOf(audio.voice) ?? recordOf(audio.voice) ?? "alloy",
      format: textOf(audio.format) ?? "wav",
    };
  conversation.user = textOf(body.safety_identifier) ?? textOf(body.user);
  conversation.promptCacheKey = textOf(body.prompt_cache_key);
  conversation.cache = recordOf(body.cache_control);
  conversation.serviceTier = textOf(body.service_tier);
  conversation.metadata = recordOf(body.metadata);
  conversation.verbosity = textOf(body.verbosity);
  conversation.extra.members = Object.fromEntries(Object.entries(body).filter(([name]) => !DECODED_MEMBERS.has(name)));
  return conversation;
}

/** Members of a message that are decoded, or that repeat the response. */
const USER_MEMBERS: ReadonlySet<string> = new Set(["role", "content", "cache_control"]);
const ASSISTANT_MEMBERS: ReadonlySet<string> = new Set(
  `role content refusal tool_calls function_call reasoning_content reasoning reasoning_details thinking_blocks
  annotations parsed cache_control`.split(/\s+/),
);

function readMessage(conversation: Conversation, message: JsonObject, at: number): void {
  const { turns } = conversation;
  switch (message.role) {
    case "system":
    case "developer":
      addInstructions(conversation, {
        parts: withMessageMark(contentParts(message.content), message),
        ...(message.role === "developer" && { isDeveloper: true }),
        ...extensionsOf("openai-chat", message, USER_MEMBERS),
      });
      return;
    case "user":
      turns.push({
        role: "user",
        parts: withMessageMark(contentParts(message.content), message),
        ...extensionsOf("openai-chat", message, USER_MEMBERS),
      });
      return;
    case "assistant":
      turns.push({
        role: "assistant",
        parts: withMessageMark(assistantParts(message, at), message),
        ...extensionsOf("openai-chat", message, ASSISTANT_MEMBERS),
      });
      return;
    case "tool":
    case "function": {
      const callId = textOf(message.tool_call_id) ?? lastCallNamed(turns, textOf(message.name));
      const result: Part = {
        type: "tool-result",
        callId,
        name: textOf(message.name),
        parts: contentParts(message.content),
        isError: false,
        ...readCacheMark(message),
      };
      const last = turns.at(-1);
      if (last?.role === "user" && last.parts.every(({ type }) => type === "tool-result")) last.parts.push(result);
      else turns.push({ role: "user", parts: [result] });
      return;
    }
    default:
      throw new DecodeError(
        `“messages[${at}].role” must be system, developer, user, assistant or tool.`,
        `messages[${at}].role`,
      );
  }
}

/** Results of the legacy function API do not name their call: finds the last call of the function. */
function lastCallNamed(turns: readonly Turn[], name: string | null): string {
  const calls = turns.flatMap(({ parts }) => parts.filter((part): part is ToolCallPart => part.type === "tool-call"));
  return calls.findLast((call) => name === null || call.name === name)?.id ?? "call_0";
}

function assistantParts(message: JsonObject, at: number): Part[] {
  const parts = [...readReasoning(message), ...contentParts(message.content)];
  const refusal = textOf(message.refusal);
  if (refusal) parts.push({ type: "refusal", text: refusal });
  for (const [index, call] of recordsOf(message.tool_calls).entries()) parts.push(callOf(call, `call_${at}_${index}`));
  const old = recordOf(message.function_call);
  if (old) parts.push(functionCall("call_0", old));
  return parts;
}

function callOf(call: JsonObject, fallbackId: string): ToolCallPart {
  const id = textOf(call.id) || fallbackId;
  const custom = recordOf(call.custom);
  if (custom) {
    return {
      type: "tool-call",
      id,
      name: textOf(custom.name) ?? "",
      input: textOf(custom.input) ?? "",
      kind: "custom",
      ...readCacheMark(call),
    };
  }
  const part = { ...functionCall(id, recordOf(call.function) ?? {}), ...readCacheMark(call) };
  const google = recordOf(recordOf(call.extra_content)?.google);
  const signature = textOf(google?.thought_signature) || null;
  return signature === null ? part : { ...part, signature: readSignature(signature, "gemini") };
}

const functionCall = (id: string, called: JsonObject): ToolCallPart => ({
  type: "tool-call",
  id,
  name: textOf(called.name) ?? "",
  input: textOf(called.arguments) ?? (called.arguments === undefined ? "" : JSON.stringify(called.arguments)),
  kind: "function",
});

/** A message's content: a text, or parts. */
function contentParts(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return recordsOf(content).flatMap((part): Part[] => {
    const text = textOf(part.text);
    if (part.type === "refusal") return [{ type: "refusal", text: textOf(part.refusal) ?? "" }];
    if (part.type === "thinking") return [{ type: "reasoning", text: thinkingText(part.thinking) }];
    if (text !== null) return [{ type: "text", text, ...readCacheMark(part) }];
    const media = mediaPartOf(part);
    if (!media) return [{ type: "native", dialect: "openai-chat", name: textOf(part.type) ?? "content", value: part }];
    return [{ ...media, ...readCacheMark(part) }];
  });
}

/** Mistral's reasoning is a list of texts. */
const thinkingText = (thinking: unknown): string =>
  textOf(thinking) ??
  recordsOf(thinking)
    .flatMap(({ text }) => textOf(text) ?? [])
    .join("");

function toolOf(tool: JsonObject): Tool[] {
  if (tool.type === "custom") {
    const custom = recordOf(tool.custom) ?? {};
    const format = recordOf(custom.format);
    const grammar = recordOf(format?.grammar);
    return [
      {
        type: "custom",
        name: textOf(custom.name) ?? "",
        description: textOf(custom.description),
        format: grammar ? { type: "grammar", ...grammar } : format,
        ...readCacheMark(custom),
        ...readCacheMark(tool),
      },
    ];
  }
  const called = recordOf(tool.function);
  if (called) return functionOf(called, { ...readCacheMark(called), ...readCacheMark(tool) });
  const name = textOf(tool.type);
  return name === null ? [] : [{ type: "hosted", name, dialect: "openai-chat", value: tool }];
}

function functionOf(called: JsonObject, marked: { cache?: JsonObject }): Tool[] {
  return [
    {
      type: "function",
      name: textOf(called.name) ?? "",
      description: textOf(called.description),
      parameters: recordOf(called.parameters),
      strict: typeof called.strict === "boolean" ? called.strict : null,
      ...marked,
    },
  ];
}

function choiceOf(value: unknown): ToolChoice | null {
  if (value === "auto" || value === "none" || value === "required") return { type: value };
  if (value === "any") return { type: "required" };
  const choice = recordOf(value);
  if (!choice) return null;
  if (choice.type === "allowed_tools") {
    const allowed = recordOf(choice.allowed_tools);
    const names = recordsOf(allowed?.tools).flatMap(
      (tool) => textOf(recordOf(tool.function)?.name) ?? textOf(tool.name) ?? [],
    );
    return { type: "allowed", mode: allowed?.mode === "required" ? "required" : "auto", names };
  }
  const custom = textOf(recordOf(choice.custom)?.name);
  if (custom !== null) return { type: "tool", name: custom, kind: "custom" };
  const name = textOf(recordOf(choice.function)?.name) ?? textOf(choice.name);
  return name === null ? null : { type: "tool", name, kind: "function" };
}

function formatOf(format: JsonObject | null): OutputFormat | null {
  if (format?.type === "text") return { type: "text" };
  if (format?.type === "json_object") return { type: "json" };
  const jsonSchema = recordOf(format?.json_schema);
  if (!jsonSchema) return null;
  return {
    type: "schema",
    name: textOf(jsonSchema.name) ?? "answer",
    description: textOf(jsonSchema.description),
    schema: recordOf(jsonSchema.schema) ?? {},
    strict: typeof jsonSchema.strict === "boolean" ? jsonSchema.strict : null,
  };
}
