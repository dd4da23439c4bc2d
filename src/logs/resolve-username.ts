import { eq } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import type { LogFilter } from "./log-filter.ts";

/** A filter by name as one by id, for which the log has an index; a name that nobody has (any more) stays a name. */
export async function resolveUsername(db: Db, filter: LogFilter): Promise<LogFilter> {
  const { username, ...others } = filter;
  if (!username || filter.userId !== undefined) return filter;
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.username, username));
  return user ? { ...others, userId: user.id } : filter;
}
