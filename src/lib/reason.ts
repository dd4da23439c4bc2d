import { isSentence, type Language, type Sentence, say } from "./messages.ts";
import { OperationError } from "./operation-error.ts";

/** Why something is as it is: a sentence of ours, for readers of either language, or the words of somebody else. */
export type Reason = string | Sentence;

/** The reason in a language; the words of others stay as they are. */
export const sayReason = (reason: Reason, language: Language): string =>
  typeof reason === "string" ? reason : say(reason.code, language, reason.params);

/** Marks what is ours among texts that others may have written. */
const OURS = "sluice:";

/** The reason as a column of text keeps it. */
export const keepReason = (reason: Reason): string =>
  typeof reason === "string" ? reason : OURS + JSON.stringify(reason);

/** Says in a language what `keepReason` returned; any other text, such as that of an older row, is said as it is. */
export function sayStored(stored: string, language: Language): string {
  if (!stored.startsWith(`${OURS}{`)) return stored;
  try {
    const reason: unknown = JSON.parse(stored.slice(OURS.length));
    return isSentence(reason) ? sayReason(reason, language) : stored;
  } catch {
    return stored;
  }
}

/** Something failed for a reason that people are told in their language; `message` says it in English. */
export class ReasonedError extends Error {
  override name = "ReasonedError";

  constructor(readonly reason: Sentence) {
    super(sayReason(reason, "en"));
  }
}

/** Why something failed: in a sentence where it is ours, else in the error's own words. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof ReasonedError) return error.reason;
  if (error instanceof OperationError) return { code: error.code, params: error.params };
  return error instanceof Error ? error.message : String(error);
}
