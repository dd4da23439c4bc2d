import { DatabaseUnreachable, type Sql } from "../types.ts";

const TIMEOUT_MS = 5000;

/** Resolves when the database answers in time, rejects with why not. */
export async function answersWithin(sql: Sql, timeoutMs = TIMEOUT_MS): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DatabaseUnreachable(`the database did not answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    await Promise.race([sql`select 1`, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
