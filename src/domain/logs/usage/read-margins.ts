import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import { usageCosts } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { readChannelNames } from "../log-view.ts";
import { HOUR_S } from "./totals/totals.ts";

/** What calls of a channel or model were charged and cost, in quota units; those whose channels do not say what they cost are not in it. */
export type Margin = Readonly<{
  /** The model's name, or the channel's id. */
  key: string;
  name: string;
  count: number;
  quota: number;
  cost: number;
}>;

/** Which calls: times are epoch seconds, extended to whole hours. */
type MarginFilter = Readonly<{ start: number; end: number; channelId?: number; modelName?: string }>;

/** More than a page lists. */
const MOST_ROWS = 1_000;

const c = usageCosts;

/** Charges and costs by channel or model, the largest charges first. */
export async function readMargins(
  db: Db,
  { start, end, channelId, modelName }: MarginFilter,
  by: "model" | "channel",
): Promise<Margin[]> {
  const key = by === "model" ? sql<string>`${c.modelName}` : sql<string>`${c.channelId}::text`;
  const rows = await db
    .select({
      key,
      count: sql<number>`sum(${c.count})::bigint`,
      quota: sql<number>`sum(${c.quota})::bigint`,
      cost: sql<number>`sum(${c.cost})::bigint`,
    })
    .from(c)
    .where(
      and(
        gte(c.hour, start - (start % HOUR_S)),
        lt(c.hour, end + 1),
        channelId === undefined ? undefined : eq(c.channelId, channelId),
        modelName === undefined ? undefined : eq(c.modelName, modelName),
      ),
    )
    .groupBy(key)
    .orderBy(desc(sql`sum(${c.quota})`), key)
    .limit(MOST_ROWS);
  const ids = by === "channel" ? rows.map((row) => ({ channelId: Number(row.key) })) : [];
  const names = await readChannelNames(db, ids);
  return rows.map((row) => ({
    key: row.key,
    name: by === "channel" ? (names.get(Number(row.key)) ?? "") : row.key,
    count: Number(row.count),
    quota: Number(row.quota),
    cost: Number(row.cost),
  }));
}
