import { and, asc, gte, lte, sql } from "drizzle-orm";
import { usageRollups } from "../../db/schema/logs.ts";
import type { Db } from "../../db/types.ts";
import { type LogFilter, rollupConditions } from "./log-filter.ts";
import { bigint } from "./usage-sums.ts";

/** An hour of one model (and user), in the shape of the ecosystem: `created_at` is the hour in epoch seconds. */
export type QuotaData = {
  id: number;
  user_id: number;
  username: string;
  model_name: string;
  created_at: number;
  token_used: number;
  count: number;
  quota: number;
};

/** Consumption by model and hour between two times, both inclusive; `by` says whether users are told apart. */
export async function readQuotaData(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  by: "model" | "user" | "model and user",
): Promise<QuotaData[]> {
  const r = usageRollups;
  const userId = by === "model" ? sql<number>`0` : sql<number>`${r.userId}`;
  const username = by === "model" ? sql<string>`''` : sql<string>`${r.username}`;
  const modelName = by === "user" ? sql<string>`''` : sql<string>`${r.modelName}`;
  const rows = await db
    .select({
      user_id: userId,
      username,
      model_name: modelName,
      created_at: r.hour,
      token_used: bigint(sql`sum(${r.promptTokens} + ${r.completionTokens})`),
      count: bigint(sql`sum(${r.count})`),
      quota: bigint(sql`sum(${r.quota})`),
    })
    .from(r)
    .where(and(gte(r.hour, filter.start), lte(r.hour, filter.end), ...(rollupConditions(filter) ?? [])))
    .groupBy(sql`1`, sql`2`, sql`3`, sql`4`)
    .orderBy(asc(r.hour));
  return rows.map((row) => ({
    id: 0,
    ...row,
    token_used: Number(row.token_used),
    count: Number(row.count),
    quota: Number(row.quota),
  }));
}
