import { keepReason, reasonOf } from "../../lib/reason.ts";

const MAX_LENGTH = 500;
const HIDDEN = "***";

/** What secrets look like in messages of libraries: passwords in addresses, credentials, query values, long random words. */
const SECRETS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/(\w:\/\/)[^\s/@]*@/g, `$1${HIDDEN}@`],
  [/\b(bearer|basic)\s+\S+/gi, `$1 ${HIDDEN}`],
  [/([?&][^=\s&]+=)[^&\s"']+/g, `$1${HIDDEN}`],
  [/\b(password|passwd|secret|token|api[-_]?key)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, `$1$2${HIDDEN}`],
  [/\b(sk|pk|rk|whsec|gh[a-z]|xox[a-z])[-_][\w-]{6,}/g, HIDDEN],
  [/[\w-]{32,}/g, HIDDEN],
];

/** Why a job failed, to be stored and shown: one line without secrets, or a sentence of ours for either language. */
export function describeFailure(error: unknown): string {
  const reason = reasonOf(isFailedQuery(error) ? error.cause : error);
  if (typeof reason !== "string") return keepReason(reason);
  const line = reason.replace(/\s+/g, " ").trim();
  const shown = SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
  return shown.slice(0, MAX_LENGTH) || "unknown error";
}

/** Drizzle's errors list the statement with its parameters; what went wrong is their cause. */
const isFailedQuery = (error: unknown): error is Error & { cause: Error } =>
  error instanceof Error && error.message.startsWith("Failed query") && error.cause instanceof Error;
