import { sql } from "drizzle-orm";
import type { Db } from "../../../db/types.ts";
import { HEALTH_DAYS } from "../logs/usage/read-model-health.ts";
import { usageHours } from "../logs/usage/totals/usage-hours.ts";

/** A time in which calls of a model failed on every channel that was tried; shares, never numbers of requests. */
export type ModelIncident = Readonly<{
  /** Epoch seconds, whole hours; `end` is behind it. Null: not over yet. */
  start: number;
  end: number | null;
  state: "degraded" | "down";
  /** How many of the requests succeeded meanwhile, in ten-thousandths. */
  share: number;
}>;

/** The calls of an hour; `hour`: its start in epoch seconds. */
type HourHealth = Readonly<{ hour: number; count: number; failed: number }>;

export const COMPLETE = 10_000;
/** Below this many requests a rate is not meaningful. */
export const MIN_CALLS = 5;
export const DEGRADED_BELOW = 9000;
export const DOWN_BELOW = 1000;

const HOUR_S = 3600;
const DAY_S = 86_400;
const MOST = 20;

/** The share of successful calls in ten-thousandths, rounded down, so that only a time without any failure has all of them. */
export const successShare = ({ count, failed }: Readonly<{ count: number; failed: number }>): number =>
  Math.floor(((count - failed) * COMPLETE) / count);

/**
 * The incidents in hours that are in order: an hour with enough calls of which too many failed begins or continues one, an hour
 * with enough calls that went well ends it, and hours with few calls say nothing. Newest first, 20 at most.
 */
export function incidentsIn(hours: readonly HourHealth[], nowSeconds: number): readonly ModelIncident[] {
  const incidents: ModelIncident[] = [];
  let open: Open | null = null;
  for (const { hour, count, failed } of hours) {
    if (count < MIN_CALLS) continue;
    const share = successShare({ count, failed });
    if (share >= DEGRADED_BELOW) {
      if (open) incidents.push(incidentOf(open, open.end));
      open = null;
      continue;
    }
    open ??= { start: hour, end: hour, count: 0, failed: 0, isDown: false };
    open = {
      ...{ start: open.start, end: hour + HOUR_S, isDown: open.isDown || share < DOWN_BELOW },
      ...{ count: open.count + count, failed: open.failed + failed },
    };
  }
  // What failed in this hour or the one before may go on.
  if (open) incidents.push(incidentOf(open, open.end < nowSeconds - (nowSeconds % HOUR_S) ? open.end : null));
  return incidents.reverse().slice(0, MOST);
}

type Open = Readonly<{ start: number; end: number; count: number; failed: number; isDown: boolean }>;

const incidentOf = ({ start, isDown, ...calls }: Open, end: number | null): ModelIncident => ({
  start,
  end,
  state: isDown ? "down" : "degraded",
  share: successShare(calls),
});

/** The incidents of a model in the last 90 days, newest first; from the roll-ups alone. */
export async function readModelIncidents(db: Db, model: string, nowSeconds: number): Promise<readonly ModelIncident[]> {
  const from = nowSeconds - (nowSeconds % DAY_S) - (HEALTH_DAYS - 1) * DAY_S;
  const range = { from, until: nowSeconds + HOUR_S };
  const hours = await usageHours(db, { modelNames: [model] }, "model", range, { stepS: HOUR_S, shiftS: 0 });
  if (!hours) throw new Error("roll-ups answer each model");
  const rows = await db.execute<{ hour: number; count: number; failed: number }>(sql`
    select hour::float8 as hour, sum(count)::float8 as count, sum(failed)::float8 as failed
    from ${hours} group by 1 having sum(count) >= ${MIN_CALLS} order by 1`);
  return incidentsIn([...rows], nowSeconds);
}
