import { DecodeError } from "../../conversation/codec.ts";
import {
  type Conversation,
  type Effort,
  emptyConversation,
  extensionsOf,
  type ReasoningSetting,
  type TextPart,
  type Tool,
  type ToolChoice,
} from "../../conversation/conversation.ts";
import { addInstructions } from "../../conversation/system-turns.ts";
import { readEffort, settingOfEffort } from "../../helpers/reasoning-setting.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { partsOf } from "./blocks.ts";

const DECODED_MEMBERS: ReadonlySet<string> = new Set(
  `model messages system max_tokens stream temperature top_p top_k stop_sequences tools tool_choice thinking metadata
  service_tier output_config output_format cache_control`.split(/\s+/),
);

/** Whether the request continues a thread whose earlier messages Anthropic stores; it may then have no new messages. */
export const continuesThread = ({ thread }: JsonObject): boolean => recordOf(thread)?.type === "continue";

/**
 * Reads a Messages request. Throws DecodeError.
 * Source: https://docs.anthropic.com/en/api/messages
 */
export function decodeRequest(body: JsonObject): Conversation {
  if (!Array.isArray(body.messages) || (body.messages.length === 0 && !continuesThread(body))) {
    throw new DecodeError("messages: at least one message is required", "messages");
  }
  const conversation = emptyConversation("anthropic", textOf(body.model) ?? "");
  conversation.stream = body.stream === true;
  conversation.system = textParts(body.system);
  for (const [at, message] of recordsOf(body.messages).entries()) {
    if (message.role === "system")
      addInstructions(conversation, {
        parts: partsOf(message.content),
        ...extensionsOf("anthropic", message, MESSAGE_MEMBERS),
      });
    else if (message.role !== "user" && message.role !== "assistant") {
      throw new DecodeError(`messages.${at}.role: must be user or assistant`, `messages.${at}.role`);
    } else conversation.turns.push({ role: message.role, parts: partsOf(message.content) });
  }
  conversation.tools = recordsOf(body.tools).map(toolOf);
  const choice = recordOf(body.tool_choice);
  conversation.toolChoice = choiceOf(choice);
  conversation.parallelToolCalls = choice?.disable_parallel_tool_use === true ? false : null;
  conversation.sampling = {
    ...conversation.sampling,
    maxOutputTokens: numberOf(body.max_tokens),
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    topK: numberOf(body.top_k),
    stop: textsOf(body.stop_sequences),
  };
  readReasoning(conversation, body);
  conversation.user = textOf(recordOf(body.metadata)?.user_id);
  conversation.cache = recordOf(body.cache_control);
  conversation.serviceTier = body.service_tier === "standard_only" ? "default" : null;
  conversation.extra.members = Object.fromEntries(Object.entries(body).filter(([name]) => !DECODED_MEMBERS.has(name)));
  const thinking = recordOf(body.thinking);
  // Anthropic validates kinds of thinking that this gateway does not know yet.
  if (thinking && !THINKING_KINDS.has(textOf(thinking.type) ?? "")) conversation.extra.members.thinking = thinking;
  const { effort, format: _, ...output } = recordOf(body.output_config) ?? {};
  const { setting } = conversation.reasoning;
  const isRead = readEffort(effort) !== null && (setting?.type === "effort" || setting?.type === "adaptive");
  // Anthropic validates efforts that this gateway does not know yet, and takes one besides a budget.
  if (effort != null && !isRead) output.effort = effort;
  if (Object.keys(output).length > 0) conversation.extra.members.output_config = output;
  return conversation;
}

const THINKING_KINDS: ReadonlySet<string> = new Set(["enabled", "adaptive", "disabled"]);
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(["role", "content"]);

const textParts = (content: unknown): TextPart[] =>
  partsOf(content).filter((part): part is TextPart => part.type === "text");

function readReasoning(conversation: Conversation, body: JsonObject): void {
  const thinking = recordOf(body.thinking);
  const output = recordOf(body.output_config);
  conversation.reasoning = {
    setting: settingOf(thinking, readEffort(output?.effort)),
    show: thinking?.display === "omitted" ? false : thinking?.display === "summarized" ? true : null,
    summary: null,
  };
  const format = recordOf(output?.format) ?? recordOf(body.output_format);
  if (format?.type === "json_schema") {
    const schema = recordOf(format.schema) ?? {};
    // Anthropic holds answers to any schema; OpenAI's strict mode takes only some of them.
    conversation.format = { type: "schema", name: "answer", description: null, schema, strict: null };
  }
}

/** `effort` is that of the response as a whole, which is the amount of adaptive thinking, too. */
function settingOf(thinking: JsonObject | null, effort: Effort | null): ReasoningSetting | null {
  if (thinking?.type === "disabled") return { type: "off" };
  if (!thinking) return settingOfEffort(effort);
  const tokens = numberOf(thinking.budget_tokens);
  if (thinking.type !== "adaptive" && tokens !== null && tokens > 0) return { type: "budget", tokens };
  return { type: "adaptive", ...(effort !== null && effort !== "none" && { effort }) };
}

function toolOf(tool: JsonObject): Tool {
  const schema = recordOf(tool.input_schema);
  const type = textOf(tool.type);
  if (!schema && type !== null && type !== "custom") {
    const name = type.replace(/_\d{8}$/, "");
    return { type: "hosted", name, dialect: "anthropic", value: tool };
  }
  const cache = recordOf(tool.cache_control);
  return {
    type: "function",
    name: textOf(tool.name) ?? "",
    description: textOf(tool.description),
    parameters: schema,
    strict: typeof tool.strict === "boolean" ? tool.strict : null,
    ...(cache && { cache }),
    ...extensionsOf("anthropic", tool, TOOL_MEMBERS),
  };
}

/** Members of a tool that are decoded; all others become `extensions`. */
const TOOL_MEMBERS: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "strict", "cache_control"],
]);

function choiceOf(choice: JsonObject | null): ToolChoice | null {
  switch (choice?.type) {
    case "auto":
    case "none":
      return { type: choice.type };
    case "any":
      return { type: "required" };
    case "tool":
      return { type: "tool", name: textOf(choice.name) ?? "", kind: "function" };
    default:
      return null;
  }
}
