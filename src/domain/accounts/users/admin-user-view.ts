import { eq } from "drizzle-orm";
import { type AccountKind, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { type UserView, viewUsers } from "./user-view.ts";

/** A user as administrators see it: with what the user does not see. */
export type AdminUserView = UserView & {
  /** Nobody signs in to an organization. */
  kind: AccountKind;
  note: string;
  /** Calls at the same time and in a minute; 0: no limit of the user's own. */
  max_concurrency: number;
  requests_per_minute: number;
  /** Part of the balance that is set aside for calls under way. */
  held_quota: number;
  /** Epoch seconds; 0: never. */
  created_time: number;
  last_login_time: number;
};

/** Turns rows into what administrators see, in their order. */
export async function viewForAdmins(db: Db, rows: readonly (typeof users.$inferSelect)[]): Promise<AdminUserView[]> {
  const views = await viewUsers(db, rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return views.map((view) => {
    const row = byId.get(view.id);
    return {
      ...view,
      kind: row?.kind ?? "person",
      note: row?.note ?? "",
      max_concurrency: row?.maxConcurrency ?? 0,
      requests_per_minute: row?.requestsPerMinute ?? 0,
      held_quota: row?.held ?? 0,
      created_time: row?.createdAt ?? 0,
      last_login_time: row?.lastLoginAt ?? 0,
    };
  });
}

/** One user, deleted ones included. Throws OperationError user_not_found. */
export async function viewUserForAdmins(db: Db, userId: number): Promise<AdminUserView> {
  const [view] = await viewForAdmins(db, await db.select().from(users).where(eq(users.id, userId)));
  if (!view) throw new OperationError("user_not_found");
  return view;
}
