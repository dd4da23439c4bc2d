import { sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import { GUARDRAIL_TAG, OUTCOME_TAGS } from "../../../settings/option/guardrails.ts";
import type { FindConditions } from "./condition.ts";
import { callsOf } from "./traffic-conditions.ts";

/** So many guardrails at once say that the threshold is too low. */
const MOST_GUARDRAILS = 50;

const OF_OUTCOME = {
  en: "The outcome “{{value}}” of guardrails stands in {{value}} requests of the last {{value}} min; the threshold is {{value}}.",
  zh: "护栏动作「{{value}}」出现在 {{value}} 次请求中（最近 {{value}} 分钟），阈值为 {{value}} 次。",
};

/**
 * Guardrails that found something in so many calls of the last minutes, in shadow mode too: each, the one that the rule names, or all
 * of those that did what it names.
 */
export const findGuardrails: FindConditions = async ({ db }, query) => {
  const { threshold, windowMinutes, name = "" } = query;
  const tag = sql.identifier("tag");
  const isOutcome = OUTCOME_TAGS.includes(GUARDRAIL_TAG + name);
  const isNamed = sql`starts_with(${tag}, ${GUARDRAIL_TAG}) and ${tag} not in ${[...OUTCOME_TAGS]}`;
  const isMeant = name === "" ? isNamed : sql`${tag} = ${GUARDRAIL_TAG + name}`;
  const rows = await logOf(db).execute<{ tag: string; calls: number }>(sql`
    select ${tag}, count(*)::int as calls from ${logs}, unnest(${logs.tags}) as ${tag}
    where ${callsOf(query)} and ${logs.tags} is not null and ${isMeant}
    group by 1 having count(*) >= ${threshold} order by 2 desc, 1 limit ${MOST_GUARDRAILS}`);
  return rows.map(({ tag: found, calls }) => ({
    subject: `guardrails/${found.slice(GUARDRAIL_TAG.length)}`,
    severity: "warning" as const,
    notice: {
      type: "guardrails" as const,
      title: { en: "A guardrail finds much", zh: "护栏频繁命中" },
      content: isOutcome
        ? OF_OUTCOME
        : {
            en: "The guardrail “{{value}}” found something in {{value}} requests in the last {{value}} min; the threshold is {{value}}.",
            zh: "护栏「{{value}}」命中 {{value}} 次请求（最近 {{value}} 分钟），阈值为 {{value}} 次。",
          },
      values: [found.slice(GUARDRAIL_TAG.length), calls, windowMinutes, threshold],
      path: `/log?tag=${encodeURIComponent(found)}`,
    },
  }));
};
