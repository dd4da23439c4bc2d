import { asc, gte, lt, sql } from "drizzle-orm";
import { responseCacheDays } from "../../../db/schema/models/response-cache.ts";
import type { Db } from "../../../db/types.ts";
import { boundText } from "../../billing/bounds/bounds.ts";
import { MODEL_NAME } from "../../billing/bounds/record-bounds.ts";
import { dayOf } from "../../billing/operator-spend.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Settings } from "../../settings/settings.ts";

/** What the cache of responses did; `saved` in quota units. */
export type CacheCount = Readonly<{ hits: number; misses: number; saved: number }>;

/** Counts what the cache of responses does, for its figures: what a killed process has not written yet is lost. */
export type CacheTotals = Readonly<{
  count(model: string, what: CacheCount): void;
  /** Writes what was counted. */
  flush(): Promise<void>;
}>;

const FLUSH_MS = 2000;
const KEEP_DAYS = 400;

/** Counts in memory, and adds to the database every two seconds. */
export function createCacheTotals(db: Db, log: Logger): CacheTotals {
  let waiting = new Map<string, CacheCount & Readonly<{ day: number; model: string }>>();
  let timer: Timer | null = null;
  let cleanedOn = 0;
  const flush = async () => {
    timer = null;
    const counts = [...waiting.values()];
    waiting = new Map();
    if (counts.length === 0) return;
    try {
      await db
        .insert(responseCacheDays)
        .values(counts)
        .onConflictDoUpdate({
          target: [responseCacheDays.day, responseCacheDays.model],
          set: {
            hits: sql`${responseCacheDays.hits} + excluded.hits`,
            misses: sql`${responseCacheDays.misses} + excluded.misses`,
            saved: sql`${responseCacheDays.saved} + excluded.saved`,
          },
        });
      const today = dayOf(nowSeconds());
      if (today === cleanedOn) return;
      cleanedOn = today;
      await db.delete(responseCacheDays).where(lt(responseCacheDays.day, today - KEEP_DAYS));
    } catch (error) {
      log.warn({ error }, "figures of the response cache could not be stored");
    }
  };
  return {
    count(name, { hits, misses, saved }) {
      const day = dayOf(nowSeconds());
      const model = boundText(name, MODEL_NAME);
      const key = `${day} ${model}`;
      const known = waiting.get(key) ?? { hits: 0, misses: 0, saved: 0 };
      const sum = { hits: known.hits + hits, misses: known.misses + misses, saved: known.saved + saved };
      waiting.set(key, { day, model, ...sum });
      if (!timer) timer = setTimeout(flush, FLUSH_MS).unref();
    },
    flush,
  };
}

/** What the cache did in the last `days` days, today included: for each day and model, the earliest first. */
export const readCacheDays = (db: Db, days: number) =>
  db
    .select()
    .from(responseCacheDays)
    .where(gte(responseCacheDays.day, dayOf(nowSeconds()) - days + 1))
    .orderBy(asc(responseCacheDays.day), asc(responseCacheDays.model));

/** Leaves all responses in the caches of all replicas behind: nothing of them is used any more. */
export const clearResponseCache = (settings: Pick<Settings, "change">): Promise<unknown> =>
  settings.change(["ResponseCacheGeneration"], (textOf) => {
    const next = Number(textOf("ResponseCacheGeneration")) + 1;
    return new Map([["ResponseCacheGeneration", String(next)]]);
  });
