import { type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { logs, usageRollups } from "../../../../db/schema/logs/logs.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import { LOG_TYPE } from "../../logs/write-log.ts";
import type { AlertOwner } from "../destinations.ts";
import { type ConditionDeps, type ConditionQuery, dollars, type FindConditions, shortNumber } from "./condition.ts";

/** Fewer calls say nothing about rates. */
const FEWEST_CALLS = 20;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const WEEK_SECONDS = 604_800;
const COMPARED_WEEKS = 4;
/** Of those weeks, how many must have had usage in the hour. */
const FEWEST_WEEKS = 2;

const SUBJECT = "traffic";

/** Too many calls of the last minutes failed. */
export const findErrorRate: FindConditions = async (deps, query) => {
  const { calls, failed } = requireRow(
    await logOf(deps.db).execute<{ calls: number; failed: number }>(sql`
      select count(*)::int as calls, (count(*) filter (where ${logs.failed}))::int as failed
      from ${logs} where ${callsOf(query)}`),
  );
  const percent = calls === 0 ? 0 : (100 * failed) / calls;
  if (calls < FEWEST_CALLS || percent < query.threshold) return [];
  return [
    {
      subject: SUBJECT,
      severity: "error",
      notice: {
        type: "error_rate",
        title: { en: "Many calls fail", zh: "调用失败率过高" },
        content: {
          en: "{{value}}% of {{value}} calls failed in the last {{value}} min; the threshold is {{value}}%.",
          zh: "失败率 {{value}}%（共 {{value}} 次调用，最近 {{value}} 分钟），阈值为 {{value}}%。",
        },
        values: [shortNumber(percent), calls, query.windowMinutes, shortNumber(query.threshold)],
        path: "/log?type=failed",
      },
    },
  ];
};

/** One call in twenty took too long, of those that succeeded in the last minutes. */
export const findSlowCalls: FindConditions = async (deps, query) => {
  const { calls, p95 } = requireRow(
    await logOf(deps.db).execute<{ calls: number; p95: number | null }>(sql`
      select count(*)::int as calls,
        (percentile_cont(0.95) within group (order by ${logs.elapsedMs}))::float8 as p95
      from ${logs} where ${callsOf(query)} and not ${logs.failed}`),
  );
  const seconds = (p95 ?? 0) / 1000;
  if (calls < FEWEST_CALLS || seconds < query.threshold) return [];
  return [
    {
      subject: SUBJECT,
      severity: "warning",
      notice: {
        type: "latency_p95",
        title: { en: "Calls are slow", zh: "调用变慢" },
        content: {
          en: "The 95th percentile of response times is {{value}} s; the threshold is {{value}} s (last {{value}} min).",
          zh: "95% 分位响应时间为 {{value}} 秒，阈值为 {{value}} 秒（最近 {{value}} 分钟）。",
        },
        values: [shortNumber(seconds), shortNumber(query.threshold), query.windowMinutes],
        path: "/log",
      },
    },
  ];
};

/** This hour has cost a multiple of what the same hour of the last weeks did. */
export const findSpendAnomaly: FindConditions = async (deps, query) => {
  const hour = query.now - (query.now % HOUR_SECONDS);
  const compared = Array.from({ length: COMPARED_WEEKS }, (_, week) => hour - (week + 1) * WEEK_SECONDS);
  const rows = await logOf(deps.db).execute<{ hour: number; quota: number }>(sql`
    select ${usageRollups.hour}::float8 as hour, sum(${usageRollups.quota})::float8 as quota
    from ${usageRollups}
    where ${usageRollups.hour} = any(${`{${[hour, ...compared].join(",")}}`}::bigint[])
      and ${ownerOf(query.owner, sql`${usageRollups.userId}`)}
    group by 1`);
  const spent = rows.find((row) => row.hour === hour)?.quota ?? 0;
  const past = rows.filter((row) => row.hour !== hour && row.quota > 0);
  if (past.length < FEWEST_WEEKS) return [];
  const usual = past.reduce((sum, { quota }) => sum + quota, 0) / past.length;
  return spent >= usual * query.threshold ? [spendAnomaly(deps, query, spent, usual)] : [];
};

const spendAnomaly = (deps: ConditionDeps, { threshold }: ConditionQuery, spent: number, usual: number) => ({
  subject: SUBJECT,
  severity: "warning" as const,
  notice: {
    type: "spend_anomaly",
    title: { en: "Spending is unusually high", zh: "消费异常升高" },
    content: {
      en: "{{value}} were spent this hour. The same hour of the last weeks cost {{value}} on average; the threshold is {{value}} times that.",
      zh: "本小时已消费 {{value}}，前几周同一时段平均为 {{value}}，阈值为其 {{value}} 倍。",
    },
    values: [dollars(spent, deps), dollars(usual, deps), shortNumber(threshold)],
    path: "/detail",
  },
});

/** The calls of an owner in the last minutes. */
export const callsOf = ({ owner, windowMinutes, now }: ConditionQuery): SQL => sql`
  ${logs.type} = ${LOG_TYPE.consumption} and ${logs.createdAt} >= ${now - windowMinutes * MINUTE_SECONDS}
  and ${ownerOf(owner, sql`${logs.userId}`)}`;

const ownerOf = (owner: AlertOwner, column: SQL): SQL => (owner === "site" ? sql`true` : sql`${column} = ${owner}`);
