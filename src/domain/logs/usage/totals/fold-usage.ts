import { DEADLINES_MS, withDeadline } from "../../../../../db/server/deadlines.ts";
import type { Database, Statements } from "../../../../../db/types.ts";
import { SETTLING } from "../../../../billing/journal/apply/apply-batch.ts";
import { DAY_S, LARGEST, startOfMonth } from "./totals.ts";

/** Any number, the same in all replicas: whoever adds to the totals comes first. */
const FOLDING = 7_583_014;

/** Hours that one step adds at most: as long as it takes, charges wait to be written. */
const STEP_S = 7 * DAY_S;

const BY_HOUR = [
  ["all", "''"],
  ["model", "model_name"],
  ["group", `"group"`],
] as const;
const BY_MONTH = [
  ["user", "user_id::text"],
  ["channel", "channel_id::text"],
  ["token", "token_id::text"],
] as const;

/**
 * Adds the next hours that lie before `end` (epoch seconds of a whole hour) to the totals, at most a week of them, and a
 * month's when its last hour was among them; when no hour is left, the next day. Returns false when nothing was left to add.
 */
export async function foldUsage({ sql }: Pick<Database, "sql">, end: number): Promise<boolean> {
  const fold = async (tx: Statements) => {
    await tx`select pg_advisory_xact_lock(${FOLDING})`;
    const { until: before, daysUntil } = await readFold(tx);
    if (before >= end) return addDay(tx, daysUntil, before);
    // In turns with the journal: what it writes meanwhile would be missing in an hour that counts as added.
    await tx`select pg_advisory_xact_lock(${SETTLING})`;
    const { until } = await readFold(tx);
    const [first] = await tx<{ hour: number }[]>`
      select hour from usage_rollups where hour >= ${until} order by hour limit 1`;
    const next = Math.min(first?.hour ?? end, end);
    // Empty months are passed over at once, but a month that was begun is brought to its end.
    const from = until === startOfMonth(until, 0) ? next : until;
    const [month, nextMonth] = [startOfMonth(from, 0), startOfMonth(from, 1)];
    const to = Math.min(Math.max(from + STEP_S, next), nextMonth, end);
    await tx`delete from usage_totals where start >= ${until} and start < ${to} and dimension in ('all', 'model', 'group')`;
    await tx`delete from usage_totals where start >= ${startOfMonth(until, 0)} and start < ${to}
      and dimension in ('user', 'channel', 'token')`;
    await addSums(tx, BY_HOUR, "hour", from, to, null);
    if (to === nextMonth) await addSums(tx, BY_MONTH, String(month), month, nextMonth, LARGEST);
    await tx`insert into usage_fold (until) values (${to}) on conflict (id) do update set until = excluded.until`;
    return true;
  };
  try {
    return await withDeadline(DEADLINES_MS.long, () => sql.begin(fold));
  } catch (error) {
    if (error instanceof DayTakenBack) return true;
    throw error;
  }
}

async function readFold(tx: Statements): Promise<{ until: number; daysUntil: number }> {
  const [fold] = await tx<{ until: number; days_until: number }[]>`select until, days_until from usage_fold`;
  return { until: fold?.until ?? 0, daysUntil: fold?.days_until ?? 0 };
}

async function addSums(
  tx: Statements,
  dimensions: readonly (readonly [name: string, key: string])[],
  start: string,
  from: number,
  to: number,
  largest: number | null,
): Promise<void> {
  for (const [name, key] of dimensions) {
    await tx.unsafe(
      `insert into usage_totals
         (dimension, start, key, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms)
       select '${name}', ${start}, ${key}, sum(count), sum(failed), sum(quota), sum(prompt_tokens),
         sum(completion_tokens), sum(elapsed_ms)
       from usage_rollups where hour >= $1::bigint and hour < $2::bigint group by 1, 2, 3
       order by ${largest ? "sum(quota) desc, sum(count) desc, 3" : "1, 2, 3"} limit $3::int`,
      [from, to, largest],
    );
  }
}

const OWNERS = [
  { dimension: "user", id: "user_id", userId: "0", name: "max(username)" },
  { dimension: "channel", id: "channel_id", userId: "0", name: "''" },
  { dimension: "token", id: "token_id", userId: "user_id", name: "max(token_name)" },
] as const;

/** A charge came in for an hour of the day while the day was being added. */
class DayTakenBack extends Error {
  override name = "DayTakenBack";
}

/**
 * Adds the first day (UTC) with calls that lies at or after `daysUntil` and ends no later than `until`, both epoch seconds.
 * Returns false when no day was left. Charges are written meanwhile: one for an hour that was added takes `until` back in its
 * own transaction, before or after the last statement here, which then throws DayTakenBack or is undone by it.
 */
async function addDay(tx: Statements, daysUntil: number, until: number): Promise<boolean> {
  const end = until - (until % DAY_S);
  if (daysUntil >= end) return false;
  const [first] = await tx<{ hour: number }[]>`
    select hour from usage_rollups where hour >= ${daysUntil} and hour < ${end} order by hour limit 1`;
  const day = first ? first.hour - (first.hour % DAY_S) : end;
  const next = Math.min(day + DAY_S, end);
  await tx`delete from usage_days where day >= ${daysUntil} and day < ${next}`;
  await tx`delete from usage_totals where start >= ${daysUntil} and start < ${next}
    and dimension in ('user_day', 'channel_day', 'token_day', 'all_day', 'model_day', 'group_day')`;
  if (first) {
    for (const owner of OWNERS) await addOwners(tx, owner, day);
    await tx`
      insert into usage_totals
        (dimension, start, key, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms)
      select dimension || '_day', ${day}::bigint, key, sum(count), sum(failed), sum(quota), sum(prompt_tokens),
        sum(completion_tokens), sum(elapsed_ms)
      from usage_totals where dimension in ('all', 'model', 'group') and start >= ${day} and start < ${day + DAY_S}
      group by dimension, key order by 1, 3`;
  }
  const added = await tx`update usage_fold set days_until = ${next} where until >= ${next} returning id`;
  if (added.length === 0) throw new DayTakenBack();
  return true;
}

async function addOwners(tx: Statements, { dimension, id, userId, name }: (typeof OWNERS)[number], day: number) {
  await tx.unsafe(
    `with added as (
       insert into usage_days (dimension, id, day, model_name, user_id, name, count, failed, quota, prompt_tokens,
         completion_tokens, elapsed_ms)
       select '${dimension}', ${id}, $1::bigint, model_name, ${userId}, ${name}, sum(count), sum(failed), sum(quota),
         sum(prompt_tokens), sum(completion_tokens), sum(elapsed_ms)
       from usage_rollups where hour >= $1::bigint and hour < $2::bigint group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
       returning *
     )
     insert into usage_totals
       (dimension, start, key, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms)
     select '${dimension}_day', $1::bigint, id::text, sum(count), sum(failed), sum(quota), sum(prompt_tokens),
       sum(completion_tokens), sum(elapsed_ms)
     from added group by id order by sum(quota) desc, sum(count) desc, id limit $3::int`,
    [day, day + DAY_S, LARGEST],
  );
}
