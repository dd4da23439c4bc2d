import { and, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { usageFold, usageRollups, usageTotals } from "../../../../db/schema/gateway/logs.ts";
import { matches } from "../../../lib/values/sql-text.ts";
import { isNarrow, type LogFilter, rollupConditions } from "../list/log-filter.ts";

/** By what hours are told apart: nothing, or one of the columns of the roll-ups. */
export type HourKey = "none" | "model" | "group" | "user" | "channel" | "token";

const r = usageRollups;
const t = usageTotals;
const KEYS = {
  none: { key: sql`''`, name: sql`''` },
  model: { key: sql`${r.modelName}`, name: sql`${r.modelName}` },
  group: { key: sql`${r.group}`, name: sql`${r.group}` },
  user: { key: sql`${r.userId}::text`, name: sql`${r.username}` },
  channel: { key: sql`${r.channelId}::text`, name: sql`''` },
  token: { key: sql`${r.tokenId}::text`, name: sql`${r.tokenName}` },
} as const satisfies Record<HourKey, { key: SQL; name: SQL }>;

/** Hours before this one are in the totals. */
const FOLDED = sql`coalesce((select ${usageFold.until} from ${usageFold}), 0)`;

/**
 * A derived table `hours` of the calls that fit the filter, its times aside, in the whole hours from `from` until before
 * `until` (epoch seconds): hour, key, name, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms. Several
 * rows may have the same hour and key. Null when roll-ups cannot answer the filter.
 */
export function usageHours(filter: LogFilter, by: HourKey, from: number, until: number): SQL | null {
  const narrowing = rollupConditions(filter);
  if (!narrowing) return null;
  const { key, name } = KEYS[by];
  const rollups = (where: SQL | undefined) => sql`
    select ${r.hour} as hour, ${key} as key, ${name} as name, ${r.count} as count, ${r.failed} as failed,
      ${r.quota} as quota, ${r.promptTokens} as prompt_tokens, ${r.completionTokens} as completion_tokens,
      ${r.elapsedMs} as elapsed_ms
    from ${r} where ${where}`;
  const inside = [gte(r.hour, from), lt(r.hour, until), ...narrowing];
  const summed = totalsOf(filter, by);
  if (!summed) return sql`(${rollups(and(...inside))}) hours`;
  return sql`(
    select ${t.start} as hour, ${by === "none" ? sql`''` : t.key} as key, ${by === "none" ? sql`''` : t.key} as name,
      ${t.count} as count, ${t.failed} as failed, ${t.quota} as quota, ${t.promptTokens} as prompt_tokens,
      ${t.completionTokens} as completion_tokens, ${t.elapsedMs} as elapsed_ms
    from ${t} where ${and(gte(t.start, from), lt(t.start, until), sql`${t.start} < ${FOLDED}`, summed)}
    union all ${rollups(and(sql`${r.hour} >= ${FOLDED}`, ...inside))}
  ) hours`;
}

/** Which of the totals hold exactly what the filter leaves, told apart like this; null: none does. */
function totalsOf(filter: LogFilter, by: HourKey): SQL | null {
  const { modelName, modelNames, group, ...others } = filter;
  if (isNarrow(others)) return null;
  const byModel = Boolean(modelName || modelNames);
  const of = by === "none" ? (byModel ? "model" : group ? "group" : "all") : by;
  if (of !== "all" && of !== "model" && of !== "group") return null;
  if ((byModel && of !== "model") || (group && of !== "group")) return null;
  return (
    and(
      eq(t.dimension, of),
      group ? eq(t.key, group) : undefined,
      modelNames ? inArray(t.key, [...modelNames]) : undefined,
      modelName ? (modelName.includes("%") ? matches(t.key, modelName) : eq(t.key, modelName)) : undefined,
    ) ?? null
  );
}
