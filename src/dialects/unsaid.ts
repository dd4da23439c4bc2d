import type { Dropped } from "./codec.ts";
import type { Conversation } from "./conversation.ts";
import type { JsonObject } from "./json.ts";

/** Members of a chat request that say nothing by themselves, or are said elsewhere. */
const SILENT: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

/** Notes which wishes of a chat request a narrower format leaves out: all but those it has words for. */
export function noteUnsaid(chat: JsonObject, said: readonly string[], dropped: Dropped): void {
  for (const name of Object.keys(chat)) if (!SILENT.has(name) && !said.includes(name)) dropped.add(name);
}

/** Members of a Responses request that are read into the conversation too, or that the gateway itself answers for. */
const MET: ReadonlySet<string> = new Set(["instructions", "include", "store", "previous_response_id"]);

/** Members that only the client's own format has words for: another one leaves them out. */
export const foreignMembers = ({ extra }: Conversation): string[] =>
  Object.keys(extra.members).filter((name) => extra.dialect !== "openai-responses" || !MET.has(name));
