import { say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { messageOf } from "../../lib/runtime/error-message.ts";

/** What an error says on the command line: a refused operation has a sentence instead of its code. */
export const sentenceOf = (error: unknown): string =>
  error instanceof OperationError ? say(error.code, "en", error.params) : messageOf(error);
