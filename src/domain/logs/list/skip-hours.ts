import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { LOGS_CLEARED_ROW } from "../../../../db/maintenance/partitions.ts";
import { logs, usageTotals } from "../../../../db/schema/gateway/logs.ts";
import { options } from "../../../../db/schema/settings.ts";
import type { Db } from "../../../../db/types.ts";
import { HOUR_S, readFolded } from "../usage/totals/totals.ts";
import { countUpTo } from "./count-up-to.ts";
import { isNarrow, type LogFilter } from "./log-filter.ts";

/** Hours that a far page need not read: the rows at or after `from` (epoch seconds) are `rows` in number. */
export type SkippedHours = Readonly<{ from: number; rows: number }>;

const t = usageTotals;
const floorHour = (time: number) => time - (time % HOUR_S);

/**
 * Finds whole hours of the log that lie before the row number `skipped` of a list, newest first, whose condition is `where`
 * and whose newest row is no newer than `newest`, by the totals of hours instead of row by row. Totals have the calls, each
 * with its model; what has none, events and tasks that were not taken, is counted by its index. Null where totals can't say:
 * for filters beyond times, and for hours of which rows may have been deleted.
 */
export async function skipHours(
  db: Db,
  filter: LogFilter,
  { where, newest, skipped }: Readonly<{ where: SQL | undefined; newest: number; skipped: number }>,
): Promise<SkippedHours | null> {
  if (filter.type || filter.withoutAudit || isNarrow(filter)) return null;
  const [cleared] = await db.select({ value: options.value }).from(options).where(eq(options.key, LOGS_CLEARED_ROW));
  const end = floorHour(Math.min(filter.end ?? newest, newest));
  const until = Math.min(end, (await readFolded(db)).hours);
  const since = floorHour(Math.max(0, filter.start ?? 0, Number(cleared?.value ?? 0)) + HOUR_S - 1);
  if (since >= until) return null;
  const rest = skipped - (await countUpTo(db, and(where, gte(logs.createdAt, until)), skipped + 1));
  if (rest < 0) return null;
  const places = await db.execute<{ start: number; rows: number }>(sql`
    with hours as materialized (
      select start, count from (
        select ${t.start} as start, ${t.count} as count, sum(${t.count}) over (order by ${t.start} desc) as rows
        from ${t} where ${and(eq(t.dimension, "all"), gte(t.start, since), lt(t.start, until))}
      ) calls where rows <= ${rest}
    ), rows as (
      select start, count from hours
      union all
      select hours.start, -nameless.count from hours cross join lateral (
        select ${t.count} as count from ${t}
        where ${and(eq(t.dimension, "model"), eq(t.key, ""))} and ${t.start} = hours.start offset 0
      ) nameless
      union all
      select created_at - created_at % ${sql.raw(String(HOUR_S))}, sum(1) from ${logs}
      where ${and(eq(logs.modelName, ""), lt(logs.createdAt, until))} and created_at >= (select min(start) from hours)
      group by 1
    )
    select start, rows from (
      select start, sum(sum(count)) over (order by start desc) as rows from rows group by start
    ) places where rows <= ${rest} order by start limit 1`);
  const found = [...places].at(0);
  return found ? { from: Number(found.start), rows: skipped - rest + Number(found.rows) } : null;
}
