import { and, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { usageRollups, usageTotals } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { isNarrow, type LogFilter, rollupConditions } from "../list/log-filter.ts";
import { readFolded } from "./totals/totals.ts";

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
  if (by === "model" && !isNarrow(filter)) return readModels(db, filter);
  const r = usageRollups;
  const hasUser = by !== "model";
  const rows = sql`
    select ${hasUser ? r.userId : sql`0`} as user_id, ${hasUser ? r.username : sql`''`} as username,
      ${by === "user" ? sql`''` : r.modelName} as model_name, ${r.hour} as created_at,
      sum(${r.promptTokens} + ${r.completionTokens}) as token_used, sum(${r.count}) as count, sum(${r.quota}) as quota
    from ${r} where ${and(gte(r.hour, filter.start), lte(r.hour, filter.end), ...(rollupConditions(filter) ?? []))}
    group by 1, 2, 3, 4`;
  return `[${await readText(db, rows, hasUser)}]`;
}

/**
 * The same of everybody by model: hours that are in the totals have one row for each model there. They are read in two parts at the
 * same time, as making the text of a month takes the database 60 ms.
 */
async function readModels(db: Db, { start, end }: Hours): Promise<string> {
  const { hours } = await readFolded(db);
  const t = usageTotals;
  const r = usageRollups;
  const until = Math.min(hours, end + 1);
  const middle = Math.floor((start + until) / 2);
  const ofTotals = (from: number, to: number) =>
    readText(
      db,
      sql`select ${t.key} as model_name, ${t.start} as created_at,
          ${t.promptTokens} + ${t.completionTokens} as token_used, ${t.count} as count, ${t.quota} as quota
        from ${t} where ${t.dimension} = 'model' and ${gte(t.start, from)} and ${lt(t.start, to)}`,
      false,
    );
  const texts = await Promise.all([
    ofTotals(start, middle),
    ofTotals(middle, until),
    readText(
      db,
      sql`select ${r.modelName} as model_name, ${r.hour} as created_at,
          sum(${r.promptTokens} + ${r.completionTokens}) as token_used, sum(${r.count}) as count, sum(${r.quota}) as quota
        from ${r} where ${gte(r.hour, Math.max(hours, start))} and ${lte(r.hour, end)} group by 1, 2`,
      false,
    ),
  ]);
  return `[${texts.filter((text) => text !== "").join(",")}]`;
}

/** Rows in the order of their hours as JSON with commas; empty without any. `format` takes half as long as `json_agg`. */
async function readText(db: Db, rows: SQL, hasUser: boolean): Promise<string> {
  const user = hasUser ? `"user_id":%s,"username":%s` : `"user_id":0,"username":""`;
  const shape = `{"id":0,${user},"model_name":%s,"created_at":%s,"token_used":%s,"count":%s,"quota":%s}`;
  const answer = await db.execute<{ json: string }>(sql`
    select coalesce(string_agg(format(${shape}, ${hasUser ? sql`user_id, to_json(username),` : sql``} to_json(model_name),
      created_at, token_used, count, quota), ','), '') as json
    from (select * from (${rows}) unordered order by created_at) q`);
  return requireRow(answer).json;
}
