import { isSentence, type Language, type Sentence, say } from "./messages.ts";
import { OperationError } from "./operation-error.ts";
import { messageOf } from "./runtime/error-message.ts";

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

/** The reason that `keepReason` wrote; any other text, such as that of an older row, is the reason itself. */
export function readReason(stored: string): Reason {
  if (!stored.startsWith(`${OURS}{`)) return stored;
  try {
    const reason: unknown = JSON.parse(stored.slice(OURS.length));
    return isSentence(reason) ? reason : stored;
  } catch {
    return stored;
  }
}

/** What `keepReason` wrote, in a language. */
export const sayStored = (stored: string, language: Language): string => sayReason(readReason(stored), language);

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
  return messageOf(error);
}
