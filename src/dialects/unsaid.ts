import type { Dropped } from "./codec.ts";
import type { ChatDialect, Conversation, Part } from "./conversation.ts";
import type { JsonObject } from "./json.ts";
import { isPastSearch } from "./web-search.ts";

/** Members of a chat request that say nothing by themselves, or are said elsewhere. */
const SILENT: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

/** Notes which wishes of a chat request a narrower format leaves out: all but those it has words for. */
export function noteUnsaid(chat: JsonObject, said: readonly string[], dropped: Dropped): void {
  for (const name of Object.keys(chat)) if (!SILENT.has(name) && !said.includes(name)) dropped.add(name);
}

/** Members that are read into the conversation too, or that the gateway itself answers for. */
const MET: Readonly<Partial<Record<ChatDialect, ReadonlySet<string>>>> = {
  "openai-responses": new Set(["instructions", "include", "store", "previous_response_id"]),
  "openai-chat": new Set(["thinking", "reasoning", "enable_thinking", "thinking_budget"]),
};

/** Notes the members that only the client's own format has words for; `kept` are those that the target takes all the same. */
export function noteForeign({ extra, turns }: Conversation, kept: readonly string[], dropped: Dropped): void {
  for (const [name, value] of Object.entries(extra.members)) {
    if (value !== null && !MET[extra.dialect]?.has(name) && !kept.includes(name)) dropped.add(name);
  }
  if (extra.dialect !== "gemini") return;
  for (const { parts } of turns) {
    for (const part of parts) {
      const members = ("beside" in part && part.beside?.members) || {};
      // What stands in the part's own member is about its format alone.
      for (const name in members) if (!(name.startsWith("function") || name.endsWith("Data"))) dropped.add(name);
    }
  }
}

/** Notes a part that only its own format can carry, unless nothing is lost without it. */
export function noteNative(part: Extract<Part, { type: "native" }>, dropped: Dropped): void {
  if (!isPastSearch(part)) dropped.add(part.name);
}
