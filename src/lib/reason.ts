import { isSentence, type Language, type Sentence, say } from "./messages.ts";
import { OperationError } from "./operation-error.ts";
import { messageOf } from "./runtime/error-message.ts";

/** A reason: a message of Sluice, which can be translated, or text from elsewhere, such as an upstream's error. */
export type Reason = string | Sentence;

/** The reason in a language; text from elsewhere is not translated. */
export const sayReason = (reason: Reason, language: Language): string =>
  typeof reason === "string" ? reason : say(reason.code, language, reason.params);

/** The prefix of stored messages, which distinguishes them from other text. */
const OURS = "sluice:";

/** Encodes a reason for a text column. */
export const keepReason = (reason: Reason): string =>
  typeof reason === "string" ? reason : OURS + JSON.stringify(reason);

/** Decodes what `keepReason` wrote; any other text, such as that of an older row, is itself the reason. */
export function readReason(stored: string): Reason {
  if (!stored.startsWith(`${OURS}{`)) return stored;
  try {
    const reason: unknown = JSON.parse(stored.slice(OURS.length));
    return isSentence(reason) ? reason : stored;
  } catch {
    return stored;
  }
}

/** Decodes what `keepReason` wrote and returns it in a language. */
export const sayStored = (stored: string, language: Language): string => sayReason(readReason(stored), language);

/** An error whose reason can be translated; `message` is in English. */
export class ReasonedError extends Error {
  override name = "ReasonedError";

  constructor(readonly reason: Sentence) {
    super(sayReason(reason, "en"));
  }
}

/** The reason of an error: its message code if it has one, else its text. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof ReasonedError) return error.reason;
  if (error instanceof OperationError) return { code: error.code, params: error.params };
  return messageOf(error);
}
