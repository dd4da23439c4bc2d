import { type JsonObject, recordsOf, textOf } from "../dialects/json.ts";
import type { Call } from "./call.ts";

/** Of long first messages the beginning tells conversations apart. */
const MOST_CHARACTERS = 4_000;

/**
 * What calls of one conversation have in common: who calls, the model, and the client's own cache key or its name of
 * the end user, or else how the prompt begins (instructions and first message). Null where there is nothing to go by.
 */
export function conversationKey({ admitted }: Call): bigint | null {
  const { caller, summary, prompt, body } = admitted;
  const given = textOf(body.json.prompt_cache_key) ?? textOf(body.json.user);
  const beginning = given ?? beginningOf(prompt);
  if (beginning === null) return null;
  const who = `${caller.user.id}/${caller.token?.id ?? 0}/${summary.model}`;
  return BigInt(Bun.hash(`${who}\n${beginning}`));
}

function beginningOf(prompt: JsonObject): string | null {
  const messages = recordsOf(prompt.messages);
  const first = messages.findIndex(({ role }) => role === "user");
  if (first < 0) return null;
  return JSON.stringify(messages.slice(0, first + 1)).slice(0, MOST_CHARACTERS);
}
