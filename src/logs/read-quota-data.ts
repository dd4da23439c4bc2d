import { and, asc, gte, lte, sql } from "drizzle-orm";
import { usageRollups } from "../../db/schema/logs.ts";
import type { Db } from "../../db/types.ts";
import { type LogFilter, rollupConditions } from "./log-filter.ts";
import { usageHours } from "./usage-hours.ts";
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
  if (by === "model") return readModels(db, filter);
  const r = usageRollups;
  const rows = await db
    .select({
      user_id: sql<number>`${r.userId}`,
      username: sql<string>`${r.username}`,
      model_name: by === "user" ? sql<string>`''` : sql<string>`${r.modelName}`,
      created_at: r.hour,
      token_used: bigint(sql`sum(${r.promptTokens} + ${r.completionTokens})`),
      count: bigint(sql`sum(${r.count})`),
      quota: bigint(sql`sum(${r.quota})`),
    })
    .from(r)
    .where(and(gte(r.hour, filter.start), lte(r.hour, filter.end), ...(rollupConditions(filter) ?? [])))
    .groupBy(sql`1`, sql`2`, sql`3`, sql`4`)
    .orderBy(asc(r.hour));
  return rows.map(quotaDataOf);
}

async function readModels(db: Db, filter: LogFilter & Readonly<{ start: number; end: number }>): Promise<QuotaData[]> {
  const hours = usageHours(filter, "model", filter.start, filter.end + 1);
  if (!hours) return [];
  const rows = await db.execute<Omit<QuotaData, "id">>(sql`
    select 0 as user_id, '' as username, key as model_name, hour as created_at,
      ${bigint(sql`sum(prompt_tokens + completion_tokens)`)} as token_used, ${bigint(sql`sum(count)`)} as count,
      ${bigint(sql`sum(quota)`)} as quota
    from ${hours} group by key, hour order by hour`);
  return [...rows].map(quotaDataOf);
}

const quotaDataOf = (row: Omit<QuotaData, "id">): QuotaData => ({
  id: 0,
  ...row,
  created_at: Number(row.created_at),
  token_used: Number(row.token_used),
  count: Number(row.count),
  quota: Number(row.quota),
});
