import { eq, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { usageRollups } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { matches } from "../../../lib/values/sql-text.ts";
import type { LogFilter } from "./log-filter.ts";

/** A pattern that fits more names than these narrows too little to name them. */
const MOST_NAMES = 200;

/**
 * The filter in terms for which log and roll-ups have indexes: a user's name as their id, a pattern of a model's name as the
 * names it fits. A username that nobody has (any more) stays a name.
 */
export async function resolveFilter(db: Db, filter: LogFilter): Promise<LogFilter> {
  return resolveModel(db, await resolveUsername(db, filter));
}

async function resolveUsername(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { username, ...others } = filter;
  if (!username || filter.userId !== undefined) return filter;
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.username, username));
  return user ? { ...others, userId: user.id } : filter;
}

async function resolveModel(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { modelName, ...others } = filter;
  if (!modelName?.includes("%")) return filter;
  if (/^%+$/.test(modelName)) return others;
  // From each name to the next by the index, however many rows each has.
  const found = await db.execute<{ name: string }>(sql`
    with recursive names(name) as (
      (select ${usageRollups.modelName} from ${usageRollups} order by 1 limit 1)
      union all
      select (select ${usageRollups.modelName} from ${usageRollups}
        where ${usageRollups.modelName} > names.name order by 1 limit 1) from names where names.name is not null
    )
    select name from names where ${matches(sql`name`, modelName)} limit ${MOST_NAMES + 1}`);
  const modelNames = [...found].map(({ name }) => name);
  return modelNames.length > MOST_NAMES ? filter : { ...others, modelNames };
}
