import { notifyWait } from "../components/feedback/notify.tsx";
import { translate } from "../state/i18n.ts";
import { ApiError } from "./client.ts";

const RETRIES = 2;
/** More of them mean that something else uses up the limit. */
const RETRIES_AFTER_WAIT = 5;
/** A longer wait is shown as an error: nobody looks at a loading page for minutes. */
const LONGEST_WAIT_S = 120;
const FIRST_DELAY_MS = 1000;

/** How long a rejected read waits before it is sent again, in seconds; null: the server named no time, or a long one. */
export function waitOf(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.status !== 429) return null;
  const seconds = error.retryAfterSeconds;
  return seconds === null || seconds > LONGEST_WAIT_S ? null : Math.max(seconds, 1);
}

/** Whether a read that failed so many times before is sent again: after rate limits and network failures. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (waitOf(error) !== null) return failures < RETRIES_AFTER_WAIT;
  return failures < RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

/** Milliseconds before the next try: what the server asks for, else twice as long after each failure. */
export function retryDelayMs(failures: number, error: unknown): number {
  const seconds = waitOf(error);
  return seconds === null ? FIRST_DELAY_MS * 2 ** failures : seconds * 1000;
}

/** Says that the page waits, if the server wants it to. */
export function announceWait(error: unknown): void {
  const seconds = waitOf(error);
  if (seconds !== null) notifyWait(translate("api.waiting", { seconds }), seconds);
}

/** Reads outside the cache of queries as it does: again after rate limits and network failures. Rejects the last error. */
export async function readPatiently<Value>(read: () => Promise<Value>, failures = 0): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!shouldRetry(failures, error)) throw error;
    announceWait(error);
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs(failures, error)));
    return readPatiently(read, failures + 1);
  }
}
