import { and, asc, between, eq, lt } from "drizzle-orm";
import { providerKeyDays } from "../../../../../db/schema/channels/provider-keys.ts";
import { responseCacheDays } from "../../../../../db/schema/models/response-cache.ts";
import type { Db } from "../../../../../db/types.ts";
import { dayOf } from "../../../../billing/operator-spend.ts";
import { nowSeconds } from "../../../../lib/clock.ts";

const KEEP_DAYS = 400;
const ALL_ACCOUNTS = 0;

/** Days since 1970 in UTC, both inclusive. */
export type DayRange = Readonly<{ first: number; last: number }>;

/**
 * What the cache of responses did, of one account or of all: for each day and model, the earliest first. `saved` and
 * `upstream_saved` in quota units; the latter only of all accounts: it is the operator's.
 */
export async function readCacheDays(db: Db, { first, last }: DayRange, userId?: number) {
  const { userId: owner, day: ofDay } = responseCacheDays;
  const rows = await db
    .select()
    .from(responseCacheDays)
    .where(and(eq(owner, userId ?? ALL_ACCOUNTS), between(ofDay, first, last)))
    .orderBy(asc(ofDay), asc(responseCacheDays.model));
  return rows.map(({ day, model, hits, misses, saved, tokens, upstreamSaved }) => ({
    ...{ day, model, hits, misses, saved, tokens },
    upstream_saved: userId === undefined ? upstreamSaved : 0,
  }));
}

/** What calls by callers' own keys came to: for each day and provider, the earliest first. `fees` and `worth` in quota units. */
export const readProviderKeyDays = (db: Db, { first, last }: DayRange) =>
  db
    .select()
    .from(providerKeyDays)
    .where(between(providerKeyDays.day, first, last))
    .orderBy(asc(providerKeyDays.day), asc(providerKeyDays.provider));

/** Deletes sums of days that nobody looks at any more. */
export async function deleteOldDaySums(db: Db): Promise<void> {
  const first = dayOf(nowSeconds()) - KEEP_DAYS;
  await db.delete(responseCacheDays).where(lt(responseCacheDays.day, first));
  await db.delete(providerKeyDays).where(lt(providerKeyDays.day, first));
}
