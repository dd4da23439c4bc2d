import { type JsonObject, recordOf } from "../json.ts";
import { isPastSearch } from "../tools/web-search.ts";
import type { Dropped } from "./codec.ts";
import type { Beside, ChatDialect, Conversation, Part } from "./conversation.ts";

/** Members of a chat request that say nothing by themselves, or are said elsewhere. */
const SILENT: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

/** Notes which wishes of a chat request a narrower format leaves out: all but those it has words for. */
export function noteUnsaid(chat: JsonObject, said: readonly string[], dropped: Dropped): void {
  for (const name of Object.keys(chat)) if (!SILENT.has(name) && !said.includes(name)) dropped.add(name);
}

/** Members that are read into the conversation too, or that the gateway itself answers for. */
const MET: Readonly<Partial<Record<ChatDialect, ReadonlySet<string>>>> = {
  "openai-responses": new Set(["instructions", "include", "store", "previous_response_id"]),
  "openai-chat": new Set(["safety_identifier", "thinking", "reasoning", "enable_thinking", "thinking_budget"]),
};

/** Wishes to be without something that is OpenAI's alone. */
const WITHOUT: JsonObject = { store: false, background: false, truncation: "disabled" };

/** Members of messages, parts and tools that nobody misses where they are not known. */
const UNMISSED: ReadonlySet<string> = new Set(["caller", "eager_input_streaming", "phase"]);

/** Notes the members that only the client's own format has words for; `kept` are those that the target takes all the same. */
export function noteForeign({ extra, turns, tools }: Conversation, kept: readonly string[], dropped: Dropped): void {
  for (const [name, value] of Object.entries(extra.members)) {
    const isMet = MET[extra.dialect]?.has(name) || kept.includes(name) || WITHOUT[name] === value;
    if (value === null || isMet) continue;
    // Google's settings of an answer stand in one member: what is left of them is named one by one.
    if (name === "generationConfig") for (const inner in recordOf(value)) dropped.add(`${name}.${inner}`);
    else dropped.add(name);
  }
  noteBeside({ turns, tools }, dropped);
}

/** The same of messages, their parts and tools. */
export function noteBeside({ turns, tools }: Pick<Conversation, "turns" | "tools">, dropped: Dropped): void {
  for (const turn of turns) {
    for (const name of besideNames(turn)) dropped.add(`messages: ${name}`);
    for (const part of turn.parts) notePart(part, dropped);
  }
  for (const tool of tools)
    if (tool.type === "function") for (const name of besideNames(tool)) dropped.add(`tools: ${name}`);
}

const besideNames = ({ beside }: Beside): string[] =>
  Object.keys(beside?.members ?? {}).filter((name) => !UNMISSED.has(name));

function notePart(part: Part, dropped: Dropped): void {
  // A text with anything beside it is one in other words.
  if (!("beside" in part) || (part.type === "text" && part.beside?.dialect === "anthropic")) return;
  for (const name of besideNames(part)) {
    if (part.beside?.dialect !== "gemini") dropped.add(`${part.type}: ${name}`);
    // What stands in the part's own member is about its format alone.
    else if (!(name.startsWith("function") || name.endsWith("Data"))) dropped.add(name);
  }
}

/** Notes a part that only its own format can carry, unless nothing is lost without it. */
export function noteNative(part: Extract<Part, { type: "native" }>, dropped: Dropped): void {
  if (!isPastSearch(part)) dropped.add(part.name);
}
