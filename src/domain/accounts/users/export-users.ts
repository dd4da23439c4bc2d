import { and, asc, gt } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { csvOf } from "../../../lib/values/csv.ts";
import { type AdminUserView, viewForAdmins } from "./admin-user-view.ts";
import { type UserFilter, whereUsers } from "./list-users.ts";

const SLICE = 500;
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

/** Users as CSV, oldest first, read in slices while it is sent. */
export const exportUsers = (db: Db, filter: UserFilter): ReadableStream<Uint8Array> =>
  csvOf(COLUMNS, slicesOf(db, filter));

async function* slicesOf(db: Db, filter: UserFilter) {
  let last = 0;
  for (;;) {
    const rows = await db
      .select()
      .from(users)
      .where(and(whereUsers(filter), gt(users.id, last)))
      .orderBy(asc(users.id))
      .limit(SLICE);
    if (rows.length === 0) return;
    const views = await viewForAdmins(db, rows);
    yield views.map((view) => COLUMNS.map((column) => view[column]));
    if (rows.length < SLICE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
