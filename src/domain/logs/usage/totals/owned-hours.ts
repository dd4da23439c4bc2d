import { and, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { usageDays, usageRollups } from "../../../../../db/schema/gateway/logs.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { type Buckets, type HourRange, splitDays } from "./buckets.ts";
import { DAY_S } from "./totals.ts";

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
  /** Whether rows tell models apart. */
  byModel: boolean;
}>;

/**
 * A derived table of the calls of some users, channels or API keys in a range of whole hours: hour, id, model_name, name and
 * the sums. Days before `daysUntil` come from the sums of days, if the buckets are made of days; of all other hours, and of
 * days that lie in two buckets, the roll-ups say what belongs where.
 */
export function ownedHours(owners: Owners, range: HourRange, daysUntil: number, buckets: Buckets | null): SQL {
  const from = Math.ceil(range.from / DAY_S) * DAY_S;
  const until = Math.floor(Math.min(range.until, daysUntil) / DAY_S) * DAY_S;
  const split = from < until ? splitDays(buckets, { from, until }) : null;
  if (!split) return sql`(${rollupsIn(owners, [{ ...range, moves: false }], 0)})`;
  const edges = [
    { from: range.from, until: from, moves: false },
    { from: until, until: range.until, moves: false },
  ].filter((edge) => edge.from < edge.until);
  const parts = [...edges, ...split.moved.map((part) => ({ ...part, moves: true }))];
  const days = daysIn(owners, { from, until }, split.anchorS);
  return parts.length === 0 ? sql`(${days})` : sql`(${days} union all ${rollupsIn(owners, parts, split.anchorS)})`;
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

type Part = HourRange & Readonly<{ moves: boolean }>;

/** The hours of some ranges. Those that move are also taken off where their day counts, which is `anchorS` after its begin. */
function rollupsIn({ dimension, ids, models, userIds }: Owners, parts: readonly Part[], anchorS: number): SQL {
  const { id, name } = COLUMNS[dimension];
  const list = (values: readonly (number | boolean)[]) => `{${values.join(",")}}`;
  // The offset keeps the planner from reading all roll-ups once instead of the few of each range by their index.
  return sql`
    select place.hour as hour, found.id, found.model_name, found.name, sign * found.count as count,
      sign * found.failed as failed, sign * found.quota as quota, sign * found.prompt_tokens as prompt_tokens,
      sign * found.completion_tokens as completion_tokens, sign * found.elapsed_ms as elapsed_ms
    from unnest(${list(parts.map(({ from }) => from))}::bigint[], ${list(parts.map(({ until }) => until))}::bigint[],
        ${list(parts.map(({ moves }) => moves))}::boolean[]) parts(first, last, moves)
      cross join lateral (
        select ${r.hour} as hour, ${id} as id, ${r.modelName} as model_name, ${name} as name, ${r.count} as count,
          ${r.failed} as failed, ${r.quota} as quota, ${r.promptTokens} as prompt_tokens,
          ${r.completionTokens} as completion_tokens, ${r.elapsedMs} as elapsed_ms
        from ${r} where ${and(
          sql`${r.hour} >= parts.first and ${r.hour} < parts.last`,
          isOneOf(id, ids),
          models && inArray(r.modelName, [...models]),
          userIds && isOneOf(r.userId, userIds),
        )} offset 0
      ) found
      cross join lateral (values (found.hour, 1), (found.hour - found.hour % ${sql.raw(String(DAY_S))} + ${sql.raw(String(anchorS))}, -1))
        place(hour, sign)
    where moves or sign = 1`;
}
