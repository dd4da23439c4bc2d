import { type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../../db/require-row.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { usageRollups } from "../../../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../../../db/server/log-database.ts";
import type { Db } from "../../../../../db/types.ts";
import { PACE_DAYS } from "./pace-rules.ts";
import { paceSince } from "./read-pace.ts";

const MOST_USERS = 8;

/** A user whose balance ends first at the pace of the last seven days; quota units, and a day's average of them. */
export type RunningOut = { user_id: number; username: string; quota: number; daily_quota: number };

/**
 * Balances in the order in which they end at the pace of the last seven days. Sums are exact: a float8 holds every integer
 * below 2^53, and adding floats takes a third of the time that Postgres needs to add bigints without overflow.
 */
export async function readRunningOut(db: Db): Promise<RunningOut[]> {
  const sums = sql`
    select ${usageRollups.userId} as user_id, sum(${usageRollups.quota}::float8) as quota
    from ${usageRollups} where ${usageRollups.hour} >= ${paceSince()} and ${usageRollups.quota} > 0 group by 1`;
  const main = mainOf(db);
  const spent = main === db ? sums : await elsewhere(db, sums);
  const rows = await main.execute<RunningOut>(sql`
    with spent as (${spent})
    select ${users.id} as user_id, ${users.username} as username, ${users.quota}::bigint as quota,
      ceil(spent.quota / ${sql.raw(String(PACE_DAYS))})::bigint as daily_quota
    from spent join ${users} on ${users.id} = spent.user_id
    where ${users.deletedAt} is null
    order by ${users.quota} / spent.quota, ${users.id} limit ${MOST_USERS}`);
  return [...rows].map((row) => ({
    user_id: Number(row.user_id),
    username: row.username,
    quota: Number(row.quota),
    daily_quota: Number(row.daily_quota),
  }));
}

/** Sums of another database as a table. */
async function elsewhere(db: Db, sums: SQL): Promise<SQL> {
  const answer = await db.execute<{ json: string }>(
    sql`select coalesce(json_agg(s), '[]')::text as json from (${sums}) s`,
  );
  return sql`select * from json_to_recordset(${requireRow(answer).json}::text::json) as s(user_id int, quota float8)`;
}
