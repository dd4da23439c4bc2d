import { DecodeError } from "../../conversation/codec.ts";
import {
  type Conversation,
  type DialogTurn,
  emptyConversation,
  extensionsOf,
  type Part,
  type Signature,
  type Turn,
} from "../../conversation/conversation.ts";
import { addInstructions } from "../../conversation/system-turns.ts";
import { readCacheMark, withMessageMark } from "../../helpers/cache-marks.ts";
import { readEffort, settingOfEffort } from "../../helpers/reasoning-setting.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { readSummary, summaryTurn } from "../compaction.ts";
import { type InstructionRole, withInputRole } from "../instructions.ts";
import { readReasoningItem } from "../items.ts";
import { readContent } from "./content.ts";
import { readChoice, readFormat, readTool } from "./tools.ts";

const DECODED_MEMBERS: ReadonlySet<string> = new Set(
  `model input stream stream_options max_output_tokens temperature top_p top_logprobs tools tool_choice reasoning text
  parallel_tool_calls service_tier metadata user safety_identifier prompt_cache_key cache_control`.split(/\s+/),
);

const REASONING_MEMBERS: ReadonlySet<string> = new Set(["effort", "summary", "generate_summary"]);

/** Members of a message that are decoded, or that describe the response it came from. */
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(["type", "role", "content", "id", "status", "cache_control"]);

/** Attaches the message's remaining members to each of its texts. */
function withMembers(parts: readonly Part[], message: JsonObject): readonly Part[] {
  const extensions = extensionsOf("openai-responses", message, MESSAGE_MEMBERS);
  return parts.map((part) => (part.type === "text" ? { ...part, ...extensions } : part));
}

/**
 * Reads a Responses request. Throws DecodeError for an invalid item. Source:
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function decodeRequest(body: JsonObject): Conversation {
  const conversation = emptyConversation("openai-responses", textOf(body.model) ?? "");
  conversation.stream = body.stream === true;
  const instructions = textOf(body.instructions);
  if (instructions) conversation.system.push({ type: "text", text: instructions });
  new InputReader(conversation).read(body.input);
  conversation.tools = recordsOf(body.tools).map(readTool);
  conversation.toolChoice = readChoice(body.tool_choice);
  conversation.parallelToolCalls = typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : null;
  const text = recordOf(body.text);
  conversation.format = readFormat(recordOf(text?.format));
  conversation.verbosity = textOf(text?.verbosity);
  const { sampling } = conversation;
  sampling.maxOutputTokens = numberOf(body.max_output_tokens);
  sampling.temperature = numberOf(body.temperature);
  sampling.topP = numberOf(body.top_p);
  sampling.topLogprobs = numberOf(body.top_logprobs);
  if (textsOf(body.include).includes("message.output_text.logprobs")) sampling.logprobs = true;
  const reasoning = recordOf(body.reasoning);
  conversation.reasoning.setting = settingOfEffort(readEffort(reasoning?.effort));
  conversation.reasoning.summary = textOf(reasoning?.summary) ?? textOf(reasoning?.generate_summary);
  if (conversation.reasoning.summary !== null) conversation.reasoning.show = true;
  conversation.user = textOf(body.safety_identifier) ?? textOf(body.user);
  conversation.promptCacheKey = textOf(body.prompt_cache_key);
  conversation.cache = recordOf(body.cache_control);
  conversation.serviceTier = textOf(body.service_tier);
  conversation.metadata = recordOf(body.metadata);
  conversation.extra.members = Object.fromEntries(Object.entries(body).filter(([name]) => !DECODED_MEMBERS.has(name)));
  const unread = Object.entries(reasoning ?? {}).filter(([name]) => !REASONING_MEMBERS.has(name));
  if (unread.length > 0) conversation.extra.members.reasoning = Object.fromEntries(unread);
  return conversation;
}

/** Reads input items into turns. */
class InputReader {
  /** Signatures of calls that follow, by call id. */
  readonly #signatures = new Map<string, Signature>();

  constructor(private readonly conversation: Conversation) {}

  read(input: unknown): void {
    if (typeof input === "string") this.#add("user", { type: "text", text: input });
    else if (Array.isArray(input)) for (const [at, item] of recordsOf(input).entries()) this.#item(item, at);
    else if (input != null) throw new DecodeError("“input” must be a text or a list of items.", "input");
  }

  #item(item: JsonObject, at: number): void {
    switch (item.type ?? "message") {
      case "message":
        this.#message(item, at);
        return;
      case "function_call":
      case "custom_tool_call": {
        const kind = item.type === "function_call" ? "function" : "custom";
        const id = textOf(item.call_id) ?? textOf(item.id) ?? `call_${at}`;
        const input = textOf(kind === "function" ? item.arguments : item.input) ?? "";
        const signature = this.#signatures.get(id);
        const namespace = textOf(item.namespace);
        const named = { name: textOf(item.name) ?? "", ...(namespace !== null && { namespace }) };
        const call = { type: "tool-call", id, ...named, input, kind, ...readCacheMark(item) } as const;
        this.#add("assistant", signature ? { ...call, signature } : call);
        return;
      }
      case "function_call_output":
      case "custom_tool_call_output": {
        const callId = textOf(item.call_id) ?? "";
        this.#add("user", {
          type: "tool-result",
          callId,
          name: null,
          parts: readContent(item.output),
          isError: false,
          ...readCacheMark(item),
        });
        return;
      }
      case "reasoning": {
        const read = readReasoningItem(item);
        if ("callId" in read) this.#signatures.set(read.callId, read.signature);
        else if (read.part.text !== "" || read.part.signature) this.#add("assistant", read.part);
        return;
      }
      case "compaction":
      case "compaction_summary": {
        const sealed = readSummary(item);
        if (sealed) this.conversation.turns.push(summaryTurn(sealed.summary));
        else this.#add("assistant", { type: "native", dialect: "openai-responses", name: "compaction", value: item });
        return;
      }
      default: {
        const name = textOf(item.type) ?? "item";
        const role = /_output$|_response$/.test(name) ? "user" : "assistant";
        this.#add(role, { type: "native", dialect: "openai-responses", name, value: item });
      }
    }
  }

  #message(item: JsonObject, at: number): void {
    const parts = withMessageMark(readContent(item.content), item);
    switch (item.role) {
      case "system":
      case "developer":
        this.#instructions(item.role, parts);
        return;
      case "user":
        this.conversation.turns.push({ role: "user", parts });
        return;
      case "assistant":
        if (parts.length === 0) this.#turn("assistant");
        for (const part of withMembers(parts, item)) this.#add("assistant", part);
        return;
      default:
        throw new DecodeError(`“input[${at}].role” must be user, assistant, system or developer.`, `input[${at}].role`);
    }
  }

  /** Those before the first turn keep their role: `instructions` hold for one response, but the input is continued. */
  #instructions(role: InstructionRole, parts: readonly Part[]): void {
    const isLeading = this.conversation.turns.length === 0;
    addInstructions(this.conversation, {
      parts: isLeading ? parts.map((part) => withInputRole(part, role)) : [...parts],
      ...(role === "developer" && { isDeveloper: true }),
    });
  }

  #add(role: DialogTurn["role"], part: Part): void {
    this.#turn(role).parts.push(part);
  }

  /** Consecutive items with the same role form one turn. */
  #turn(role: DialogTurn["role"]): Turn {
    const last = this.conversation.turns.at(-1);
    if (last?.role === role) return last;
    const turn: Turn = { role, parts: [] };
    this.conversation.turns.push(turn);
    return turn;
  }
}
