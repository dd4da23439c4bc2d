import { and, asc, gt } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { csvById } from "../../../lib/values/csv.ts";
import { type AdminUserView, viewForAdmins } from "./admin-user-view.ts";
import { type UserFilter, whereUsers } from "./list-users.ts";

const COLUMNS = [
  "id",
  "username",
  "display_name",
  "email",
  "group",
  "role",
  "status",
  "quota",
  "used_quota",
  "request_count",
  "aff_count",
  "inviter_id",
  "max_concurrency",
  "requests_per_minute",
  "note",
  "created_time",
  "last_login_time",
  "DeletedAt",
] as const satisfies readonly (keyof AdminUserView)[];

/** Users as CSV, oldest first, read while it is sent. */
export const exportUsers = (db: Db, filter: UserFilter): ReadableStream<Uint8Array> =>
  csvById(COLUMNS, async (after, limit) => {
    const rows = await db
      .select()
      .from(users)
      .where(and(whereUsers(filter), gt(users.id, after)))
      .orderBy(asc(users.id))
      .limit(limit);
    return viewForAdmins(db, rows);
  });
