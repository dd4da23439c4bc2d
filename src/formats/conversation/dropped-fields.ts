import { type JsonObject, recordOf } from "../json.ts";
import { isPastSearch } from "../tools/web-search.ts";
import type { Dropped } from "./codec.ts";
import type { ChatDialect, Conversation, Extensions, Part } from "./conversation.ts";

/** Members of a chat request that say nothing by themselves, or are said elsewhere. */
const NOT_REPORTED: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

/** Notes which wishes of a chat request a narrower format leaves out: all but those it has words for. */
export function recordDropped(chat: JsonObject, encoded: readonly string[], dropped: Dropped): void {
  for (const name of Object.keys(chat)) if (!NOT_REPORTED.has(name) && !encoded.includes(name)) dropped.add(name);
}

/** Members that are read into the conversation too, or that the gateway itself answers for. */
const HARMLESS_BY_DIALECT: Readonly<Partial<Record<ChatDialect, ReadonlySet<string>>>> = {
  "openai-responses": new Set(["instructions", "include", "store", "previous_response_id"]),
  "openai-chat": new Set(["safety_identifier", "thinking", "reasoning", "enable_thinking", "thinking_budget"]),
};

/** Wishes to be without something that is OpenAI's alone. */
const WITHOUT: JsonObject = { store: false, background: false, truncation: "disabled" };

/** Members of messages, parts and tools that nobody misses where they are not known. */
const HARMLESS: ReadonlySet<string> = new Set(["caller", "eager_input_streaming", "phase"]);

/** Notes the members that only the client's own format has words for; `kept` are those that the target takes all the same. */
export function recordForeignFields(
  { extra, turns, tools }: Conversation,
  forwarded: readonly string[],
  dropped: Dropped,
): void {
  for (const [name, value] of Object.entries(extra.members)) {
    const isHarmless =
      HARMLESS_BY_DIALECT[extra.dialect]?.has(name) || forwarded.includes(name) || WITHOUT[name] === value;
    if (value === null || isHarmless) continue;
    // Google's settings of an answer stand in one member: what is left of them is named one by one.
    if (name === "generationConfig") for (const inner in recordOf(value)) dropped.add(`${name}.${inner}`);
    else dropped.add(name);
  }
  recordDroppedExtensions({ turns, tools }, dropped);
}

/** The same of messages, their parts and tools. */
export function recordDroppedExtensions(
  { turns, tools }: Pick<Conversation, "turns" | "tools">,
  dropped: Dropped,
): void {
  for (const turn of turns) {
    for (const name of extensionNames(turn)) dropped.add(`messages: ${name}`);
    for (const part of turn.parts) recordDroppedPart(part, dropped);
  }
  for (const tool of tools)
    if (tool.type === "function") for (const name of extensionNames(tool)) dropped.add(`tools: ${name}`);
}

const extensionNames = ({ extensions }: Extensions): string[] =>
  Object.keys(extensions?.members ?? {}).filter((name) => !HARMLESS.has(name));

function recordDroppedPart(part: Part, dropped: Dropped): void {
  // A text with anything beside it is one in other words.
  if (!("extensions" in part) || (part.type === "text" && part.extensions?.dialect === "anthropic")) return;
  for (const name of extensionNames(part)) {
    if (part.extensions?.dialect !== "gemini") dropped.add(`${part.type}: ${name}`);
    // What stands in the part's own member is about its format alone.
    else if (!(name.startsWith("function") || name.endsWith("Data"))) dropped.add(name);
  }
}

/** Notes a part that only its own format can carry, unless nothing is lost without it. */
export function recordDroppedNative(part: Extract<Part, { type: "native" }>, dropped: Dropped): void {
  if (!isPastSearch(part)) dropped.add(part.name);
}
