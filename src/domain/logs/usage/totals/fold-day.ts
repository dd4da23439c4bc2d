import type { Statements } from "../../../../../db/types.ts";
import { DAY_S, LARGEST } from "./totals.ts";

const OWNERS = [
  { dimension: "user", id: "user_id", userId: "0", name: "max(username)" },
  { dimension: "channel", id: "channel_id", userId: "0", name: "''" },
  { dimension: "token", id: "token_id", userId: "user_id", name: "max(token_name)" },
] as const;

/** A charge came in for an hour of the day while the day was being added. */
export class DayTakenBack extends Error {
  override name = "DayTakenBack";
}

/**
 * Adds the first day (UTC) with calls that lies at or after `daysUntil` and ends no later than `until`, both epoch seconds.
 * Returns false when no day was left. Charges are written meanwhile: one for an hour that was added takes `until` back in its
 * own transaction, before or after the last statement here, which then throws DayTakenBack or is undone by it.
 */
export async function addDay(tx: Statements, daysUntil: number, until: number): Promise<boolean> {
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
