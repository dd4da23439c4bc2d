import { and, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { usageDays, usageRollups } from "../../../../../db/schema/gateway/logs.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import type { Buckets, HourRange } from "./buckets.ts";
import { type DayParts, divide, hoursIn } from "./day-parts.ts";

const r = usageRollups;
const d = usageDays;
const COLUMNS = {
  user: { id: r.userId, name: sql`${r.username}` },
  channel: { id: r.channelId, name: sql`''` },
  token: { id: r.tokenId, name: sql`${r.tokenName}` },
} as const;

/** Users, channels or API keys whose calls are read: keys only where one of `userIds` owns them, if given. */
export type Owners = Readonly<{
  dimension: keyof typeof COLUMNS;
  ids: readonly number[];
  models?: readonly string[];
  userIds?: readonly number[];
  /** Whether rows are grouped by model. */
  byModel: boolean;
}>;

/**
 * A derived table of the calls of some users, channels or API keys in a range of whole hours: hour, id, model_name, name and
 * the sums. Days before `daysUntil` come from the sums of days, if the buckets are made of days; of all other hours, and of
 * days that lie in two buckets, the roll-ups say what belongs where.
 */
export function ownedHours(owners: Owners, range: HourRange, daysUntil: number, buckets: Buckets | null): SQL {
  const divided = divide(range, daysUntil, buckets);
  if (!divided) return sql`(${rollupsIn(owners, [{ ...range, moves: false }], 0)})`;
  const { days, anchorS, parts } = divided;
  const summed = daysIn(owners, days, anchorS);
  return parts.length === 0 ? sql`(${summed})` : sql`(${summed} union all ${rollupsIn(owners, parts, anchorS)})`;
}

function daysIn(owners: Owners, { from, until }: HourRange, anchorS: number): SQL {
  const { dimension, ids, models, userIds, byModel } = owners;
  const where = and(
    eq(d.dimension, dimension),
    isOneOf(d.id, ids),
    gte(d.day, from),
    lt(d.day, until),
    models && inArray(d.modelName, [...models]),
    userIds && isOneOf(d.userId, userIds),
  );
  const model = byModel ? sql`${d.modelName}` : sql`''`;
  // Few rows to sum again, where a day has many models.
  return sql`
    select ${d.day} + ${sql.raw(String(anchorS))} as hour, ${d.id} as id, ${model} as model_name, max(${d.name}) as name,
      sum(${d.count})::bigint as count, sum(${d.failed})::bigint as failed, sum(${d.quota})::bigint as quota,
      sum(${d.promptTokens})::bigint as prompt_tokens, sum(${d.completionTokens})::bigint as completion_tokens,
      sum(${d.elapsedMs})::bigint as elapsed_ms
    from ${d} where ${where} group by ${d.day}, ${d.id}, 3`;
}

function rollupsIn({ dimension, ids, models, userIds }: Owners, parts: DayParts["parts"], anchorS: number): SQL {
  const { id, name } = COLUMNS[dimension];
  return hoursIn(
    parts,
    anchorS,
    ["id", "model_name", "name"],
    (isInPart) => sql`
      select ${r.hour} as hour, ${id} as id, ${r.modelName} as model_name, ${name} as name, ${r.count} as count,
        ${r.failed} as failed, ${r.quota} as quota, ${r.promptTokens} as prompt_tokens,
        ${r.completionTokens} as completion_tokens, ${r.elapsedMs} as elapsed_ms
      from ${r} where ${and(
        isInPart(sql`${r.hour}`),
        isOneOf(id, ids),
        models && inArray(r.modelName, [...models]),
        userIds && isOneOf(r.userId, userIds),
      )}`,
  );
}
