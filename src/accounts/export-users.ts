import { and, asc, gt } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
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

/** Users as CSV (RFC 4180, with a byte order mark for spreadsheets), oldest first, read in slices while it is sent. */
export function exportUsers(db: Db, filter: UserFilter): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let last = 0;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(`\uFEFF${COLUMNS.join(",")}\r\n`));
    },
    async pull(controller) {
      const rows = await db
        .select()
        .from(users)
        .where(and(whereUsers(filter), gt(users.id, last)))
        .orderBy(asc(users.id))
        .limit(SLICE);
      const views = await viewForAdmins(db, rows);
      const lines = views.map((view) => COLUMNS.map((column) => cell(view[column])).join(","));
      if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.join("\r\n")}\r\n`));
      last = rows.at(-1)?.id ?? last;
      if (rows.length < SLICE) controller.close();
    },
  });
}

function cell(value: string | number | null): string {
  const text = String(value ?? "");
  // A leading = + - @ would be run as a formula by spreadsheets.
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
