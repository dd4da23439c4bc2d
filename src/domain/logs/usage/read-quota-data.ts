import { and, gte, lte, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { usageRollups } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { type LogFilter, rollupConditions } from "../list/log-filter.ts";
import { HOUR_S } from "./totals/totals.ts";
import { usageHours } from "./totals/usage-hours.ts";
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

type Hours = LogFilter & Readonly<{ start: number; end: number }>;

/**
 * Consumption by model and hour between two times, both inclusive, as the JSON text of QuotaData[]; `by` says whether users
 * are distinguished. The text is made in the database: calls would wait while thousands of rows were read and written here.
 */
export async function readQuotaData(db: Db, filter: Hours, by: "model" | "user" | "model and user"): Promise<string> {
  const rows = by === "model" ? await modelRows(db, filter) : userRows(filter, by);
  if (!rows) return "[]";
  const answer = await db.execute<{ json: string }>(
    sql`select coalesce(json_agg(q order by q.created_at), '[]')::text as json from (${rows}) q`,
  );
  return requireRow(answer).json;
}

function userRows(filter: Hours, by: "user" | "model and user"): SQL {
  const r = usageRollups;
  return sql`
    select 0 as id, ${r.userId} as user_id, ${r.username} as username,
      ${by === "user" ? sql`''` : r.modelName} as model_name, ${r.hour} as created_at,
      ${bigint(sql`sum(${r.promptTokens} + ${r.completionTokens})`)} as token_used,
      ${bigint(sql`sum(${r.count})`)} as count, ${bigint(sql`sum(${r.quota})`)} as quota
    from ${r} where ${and(gte(r.hour, filter.start), lte(r.hour, filter.end), ...(rollupConditions(filter) ?? []))}
    group by 2, 3, 4, 5`;
}

async function modelRows(db: Db, filter: Hours): Promise<SQL | null> {
  const range = { from: filter.start, until: filter.end + 1 };
  const hours = await usageHours(db, filter, "model", range, { stepS: HOUR_S, shiftS: 0 });
  return (
    hours &&
    sql`
      select 0 as id, 0 as user_id, '' as username, key as model_name, hour as created_at,
        ${bigint(sql`sum(prompt_tokens + completion_tokens)`)} as token_used, ${bigint(sql`sum(count)`)} as count,
        ${bigint(sql`sum(quota)`)} as quota
      from ${hours} group by key, hour`
  );
}
