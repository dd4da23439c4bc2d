import { t } from "elysia";
import { dayOf } from "../../billing/operator-spend.ts";
import type { DayRange } from "../../domain/logs/usage/totals/read-day-sums.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { numberOrUndefined, timestamp } from "./paging.ts";

/** The days of a query: the last so many, today included, or those of a period. */
export const dayQuery = t.Object({
  days: t.Integer({ minimum: 1, maximum: 366, default: 30 }),
  start_timestamp: timestamp(),
  end_timestamp: timestamp(),
});

/** The days that a query means, in UTC. */
export function daysOf({ days, start_timestamp: start, end_timestamp: end }: typeof dayQuery.static): DayRange {
  const [from, to] = [numberOrUndefined(start), numberOrUndefined(end)];
  const last = dayOf(to ?? nowSeconds());
  return { first: from === undefined ? last - days + 1 : dayOf(from), last };
}
