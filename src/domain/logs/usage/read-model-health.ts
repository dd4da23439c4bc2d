import { sql } from "drizzle-orm";
import type { Db } from "../../../../db/types.ts";
import { usageHours } from "./totals/usage-hours.ts";

/** How calls of a model went. */
export type Health = Readonly<{ count: number; failed: number }>;

export type ModelHealth = Readonly<{
  /** Days (UTC) back from today, the oldest first. */
  days: readonly Health[];
  /** This hour and the one before. */
  recent: Health;
}>;

/** Days that are looked back. */
export const HEALTH_DAYS = 90;
const DAY_S = 86_400;
const HOUR_S = 3600;

/** How the calls of each model that was called in the last 90 days went, by day; from the roll-ups alone. */
export async function readModelHealth(db: Db, nowSeconds: number): Promise<ReadonlyMap<string, ModelHealth>> {
  const today = nowSeconds - (nowSeconds % DAY_S);
  const from = today - (HEALTH_DAYS - 1) * DAY_S;
  const recentFrom = nowSeconds - (nowSeconds % HOUR_S) - HOUR_S;
  const hours = await usageHours(db, {}, "model", { from, until: nowSeconds + HOUR_S }, { stepS: HOUR_S, shiftS: 0 });
  if (!hours) throw new Error("roll-ups answer all models");
  const rows = await db.execute<
    { model: string; day: number } & Record<"count" | "failed" | "late" | "lateFailed", number>
  >(
    sql`select key as model, ((hour - ${from}) / ${DAY_S})::int as day,
        sum(count)::float8 as count, sum(failed)::float8 as failed,
        coalesce(sum(count) filter (where hour >= ${recentFrom}), 0)::float8 as late,
        coalesce(sum(failed) filter (where hour >= ${recentFrom}), 0)::float8 as "lateFailed"
      from ${hours} group by 1, 2`,
  );
  const found = new Map<string, { days: Health[]; recent: { count: number; failed: number } }>();
  for (const { model, day, count, failed, late, lateFailed } of rows) {
    const health = found.get(model) ?? {
      days: Array.from({ length: HEALTH_DAYS }, () => ({ count: 0, failed: 0 })),
      recent: { count: 0, failed: 0 },
    };
    health.days[day] = { count, failed };
    health.recent.count += late;
    health.recent.failed += lateFailed;
    found.set(model, health);
  }
  return found;
}
