import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { DecodeError } from "../../conversation/codec.ts";
import {
  type Conversation,
  type DialogTurn,
  emptyConversation,
  type OutputFormat,
  type Part,
  type Signature,
  type Tool,
  type ToolChoice,
  type Turn,
} from "../../conversation/conversation.ts";
import { readEffort, settingOfEffort } from "../../helpers/reasoning-setting.ts";
import { type JsonObject, listOf, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { INTERACTIONS, readContent, readResult, readThought, refuseItem } from "../steps.ts";

const DECODED_MEMBERS: ReadonlySet<string> = new Set(
  `model input system_instruction tools stream generation_config response_format response_mime_type response_modalities
  service_tier`.split(/\s+/),
);
const DECODED_GENERATION: ReadonlySet<string> = new Set(
  "max_output_tokens temperature top_p seed stop_sequences thinking_level thinking_summaries tool_choice".split(" "),
);
/** Members of a format that is a text, perhaps JSON. */
const FORMAT_MEMBERS: ReadonlySet<string> = new Set(["type", "mime_type", "schema"]);
/** Google's service tiers in OpenAI's terms. */
const TIERS = lookupTable<string>({ standard: "default", flex: "flex", priority: "priority" });
/** Tools that other formats have, by their name there. */
const HOSTED = lookupTable<string>({
  google_search: "web_search",
  code_execution: "code_execution",
  file_search: "file_search",
});

/**
 * Reads a request for an interaction. Throws DecodeError for invalid input. Source:
 * https://ai.google.dev/api/interactions-api
 */
export function decodeRequest(body: JsonObject): Conversation {
  // An agent stands in the place of a model; only Google has it.
  const conversation = emptyConversation(INTERACTIONS, textOf(body.model) ?? textOf(body.agent) ?? "");
  conversation.stream = body.stream === true;
  const instruction = body.system_instruction;
  const system = typeof instruction === "string" ? instruction : textOf(recordOf(instruction)?.text);
  if (system) conversation.system.push({ type: "text", text: system });
  new InputReader(conversation).read(body.input);
  conversation.tools = recordsOf(body.tools).map(readTool);
  const generation = recordOf(body.generation_config) ?? {};
  readGeneration(conversation, generation);
  conversation.toolChoice = choiceOf(generation.tool_choice);
  conversation.format = formatOf(body);
  conversation.modalities = modalitiesOf(body);
  conversation.serviceTier = TIERS[textOf(body.service_tier) ?? ""] ?? null;
  const unread = Object.entries(generation).filter(([name]) => !DECODED_GENERATION.has(name));
  const isPlain = formatsOf(body).every((one) =>
    Object.keys(one).every((name) => FORMAT_MEMBERS.has(name) && (name !== "type" || one.type === "text")),
  );
  conversation.extra.members = {
    ...(!isPlain && { response_format: body.response_format }),
    ...Object.fromEntries(Object.entries(body).filter(([name]) => !DECODED_MEMBERS.has(name))),
    ...(unread.length > 0 && { generation_config: Object.fromEntries(unread) }),
  };
  return conversation;
}

function readGeneration({ sampling, reasoning }: Conversation, config: JsonObject): void {
  sampling.maxOutputTokens = numberOf(config.max_output_tokens);
  sampling.temperature = numberOf(config.temperature);
  sampling.topP = numberOf(config.top_p);
  sampling.seed = numberOf(config.seed);
  sampling.stop = textsOf(config.stop_sequences);
  reasoning.setting = settingOfEffort(readEffort(config.thinking_level));
  if (config.thinking_summaries === "auto") reasoning.show = true;
  else if (config.thinking_summaries === "none") reasoning.show = false;
}

/** The tool choice, which is a mode or a list of functions; null: none. */
function choiceOf(value: unknown): ToolChoice | null {
  const allowed = recordOf(recordOf(value)?.allowed_tools);
  if (allowed) {
    const mode = allowed.mode === "any" ? "required" : "auto";
    const names = textsOf(allowed.tools);
    // Without a list every tool is allowed.
    return names.length > 0 ? { type: "allowed", mode, names } : { type: mode };
  }
  if (value === "any") return { type: "required" };
  if (value === "none") return { type: "none" };
  return value === "auto" || value === "validated" ? { type: "auto" } : null;
}

function readTool(tool: JsonObject): Tool {
  const type = textOf(tool.type) ?? "function";
  if (type !== "function") return { type: "hosted", name: HOSTED[type] ?? type, dialect: INTERACTIONS, value: tool };
  return {
    type,
    name: textOf(tool.name) ?? "",
    description: textOf(tool.description),
    parameters: recordOf(tool.parameters),
    strict: null,
  };
}

/** The formats that a request lists, or its only one. */
const formatsOf = ({ response_format: format }: JsonObject): JsonObject[] =>
  Array.isArray(format) ? recordsOf(format) : listOf(recordOf(format));

function formatOf(body: JsonObject): OutputFormat | null {
  const formats = formatsOf(body);
  const text =
    formats.find((one) => recordOf(one.schema) !== null) ??
    formats.find(({ mime_type }) => mime_type === "application/json") ??
    formats.find(({ type }) => type === "text");
  const schema = recordOf(text?.schema);
  if (schema) return { type: "schema", name: "response", description: null, schema, strict: null };
  const isJson = (text?.mime_type ?? body.response_mime_type) === "application/json";
  return isJson ? { type: "json" } : text ? { type: "text" } : null;
}

function modalitiesOf(body: JsonObject): string[] | null {
  const named = textsOf(body.response_modalities).map((modality) => modality.toLowerCase());
  const formats = formatsOf(body).flatMap(({ type }) => textOf(type) ?? []);
  const modalities =
    named.length > 0 ? named : formats.filter((type) => type === "image" || type === "audio" || type === "text");
  return modalities.some((modality) => modality !== "text") ? [...new Set(modalities)] : null;
}

/** Reads the input: a text, a content block, or a list of content blocks and steps. */
class InputReader {
  /** Signatures of calls that follow, by call id. */
  readonly #signatures = new Map<string, Signature>();

  constructor(private readonly conversation: Conversation) {}

  read(input: unknown): void {
    if (typeof input === "string") this.#add("user", { type: "text", text: input });
    else if (Array.isArray(input))
      for (const [at, item] of input.entries()) this.#item(recordOf(item) ?? refuseItem(at), at);
    else if (recordOf(input)) this.#item(recordOf(input) ?? {}, 0);
    else if (input != null) throw new DecodeError("“input” must be a text, a content block or a list.", "input");
  }

  #item(item: JsonObject, at: number): void {
    switch (item.type) {
      case "user_input":
        this.#turns.push({ role: "user", parts: [] });
        this.#contents("user", item);
        return;
      case "model_output":
        this.#contents("assistant", item);
        return;
      case "thought": {
        const read = readThought(item);
        if ("callId" in read) this.#signatures.set(read.callId, read.signature);
        else if (read.part.text !== "" || read.part.signature) this.#add("assistant", read.part);
        return;
      }
      case "function_call": {
        const id = textOf(item.id) ?? `call_${at}`;
        const signature = this.#signatures.get(id);
        const input = JSON.stringify(item.arguments ?? {});
        const call = { type: "tool-call", id, name: textOf(item.name) ?? "", input, kind: "function" } as const;
        this.#add("assistant", signature ? { ...call, signature } : call);
        return;
      }
      case "function_result":
        this.#add("user", readResult(item));
        return;
      case undefined:
        // Earlier revisions of the API had turns with a role.
        if (item.role !== "user" && item.role !== "model") refuseItem(at);
        this.#turns.push({ role: item.role === "model" ? "assistant" : "user", parts: [] });
        this.#contents(item.role === "model" ? "assistant" : "user", item);
        return;
      default: {
        const content = readContent(item);
        const name = textOf(item.type) ?? refuseItem(at);
        // Steps of Google's own tools.
        if (content) this.#add("user", content);
        else this.#add("assistant", { type: "native", dialect: INTERACTIONS, name, value: item });
      }
    }
  }

  #contents(role: DialogTurn["role"], { content }: JsonObject): void {
    if (typeof content === "string") this.#add(role, { type: "text", text: content });
    for (const block of recordsOf(content)) {
      const name = textOf(block.type) ?? "content";
      this.#add(role, readContent(block) ?? { type: "native", dialect: INTERACTIONS, name, value: block });
    }
  }

  get #turns(): Turn[] {
    return this.conversation.turns;
  }

  /** Consecutive steps with the same role form one turn. */
  #add(role: DialogTurn["role"], part: Part): void {
    const last = this.#turns.at(-1);
    if (last?.role === role) last.parts.push(part);
    else this.#turns.push({ role, parts: [part] });
  }
}
