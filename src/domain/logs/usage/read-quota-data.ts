import { and, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { usageRollups, usageTotals } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { isNarrow, type LogFilter, rollupConditions } from "../log-filter.ts";
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

type By = "model" | "user" | "model and user";

const DAY_S = 86_400;
/** Up to here each hour has a row of its own, as tools of the ecosystem expect; a month is what they ask for. */
const HOURLY_SPAN_S = 31 * DAY_S;
/** Rows of a longer time, of about 110 bytes each. */
const MOST_ROWS = 1500;
const STEPS_S = [DAY_S, 7 * DAY_S, 30 * DAY_S];
/** What stands for the models, or users, that are not among the largest. */
const OTHERS = "others";

/**
 * Consumption by model and hour between two times, both inclusive, as the JSON text of QuotaData[]; `by` says whether users
 * are distinguished. More than 31 days have rows of a day, a week or 30 days, and at most MOST_ROWS of them: what is not among
 * the largest is added up as `others`. The text is made in the database: calls would wait while thousands of rows were read
 * and written here.
 */
export async function readQuotaData(db: Db, filter: Hours, by: By): Promise<string> {
  if (filter.end - filter.start > HOURLY_SPAN_S) return readLongTime(db, filter, by);
  if (by === "model" && !isNarrow(filter)) return readModels(db, filter);
  return `[${await readText(db, hoursOf(filter, by), by !== "model")}]`;
}

/** The hours of the roll-ups, one row for each model, user or both. */
function hoursOf(filter: Hours, by: By): SQL {
  const r = usageRollups;
  const hasUser = by !== "model";
  return sql`
    select ${hasUser ? r.userId : sql`0`} as user_id, ${hasUser ? r.username : sql`''`} as username,
      ${by === "user" ? sql`''` : r.modelName} as model_name, ${r.hour} as created_at,
      sum(${r.promptTokens} + ${r.completionTokens}) as token_used, sum(${r.count}) as count, sum(${r.quota}) as quota
    from ${r} where ${and(gte(r.hour, filter.start), lte(r.hour, filter.end), ...(rollupConditions(filter) ?? []))}
    group by 1, 2, 3, 4`;
}

/** The same of a long time: in steps that leave room for its models (or users), the largest of which have rows of their own. */
async function readLongTime(db: Db, filter: Hours, by: By): Promise<string> {
  const hours = by === "model" && !isNarrow(filter) ? await modelHours(db, filter) : hoursOf(filter, by);
  const keys = sql`user_id, username, model_name`;
  const { count } = requireRow(
    await db.execute<{ count: number }>(sql`
      select coalesce(max(number), 0)::int as count
      from (select row_number() over () as number from (${hours}) h group by ${keys}) k`),
  );
  const bucketsOf = (step: number) => Math.floor(filter.end / step) - Math.floor(filter.start / step) + 1;
  const step = STEPS_S.find((seconds) => bucketsOf(seconds) * count <= MOST_ROWS) ?? Math.max(...STEPS_S);
  const most = Math.max(1, Math.floor(MOST_ROWS / bucketsOf(step)) - 1);
  const rows = sql`
    select case when k.rank <= ${most} then h.user_id else 0 end as user_id,
      case when k.rank <= ${most} then h.username when ${by !== "model"} then ${OTHERS} else '' end as username,
      case when k.rank <= ${most} then h.model_name when ${by !== "user"} then ${OTHERS} else '' end as model_name,
      h.created_at / ${step} * ${step} as created_at, sum(h.token_used) as token_used, sum(h.count) as count,
      sum(h.quota) as quota
    from (${hours}) h join (
      select ${keys}, row_number() over (order by sum(quota) desc, ${keys}) as rank from (${hours}) h group by ${keys}
    ) k using (${keys})
    group by 1, 2, 3, 4`;
  return `[${await readText(db, rows, by !== "model")}]`;
}

/** Everybody's hours by model: of the totals as far as they go, then of the roll-ups. */
async function modelHours(db: Db, { start, end }: Hours): Promise<SQL> {
  const { hours } = await readFolded(db);
  const t = usageTotals;
  return sql`
    select 0 as user_id, '' as username, ${t.key} as model_name, ${t.start} as created_at,
      ${t.promptTokens} + ${t.completionTokens} as token_used, ${t.count} as count, ${t.quota} as quota
    from ${t} where ${t.dimension} = 'model' and ${gte(t.start, start)} and ${lt(t.start, Math.min(hours, end + 1))}
    union all ${hoursOf({ start: Math.max(hours, start), end }, "model")}`;
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
