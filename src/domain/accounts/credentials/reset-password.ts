import { randomInt } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { setPassword } from "./change-password.ts";
import { removeTotp } from "./totp.ts";

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const LENGTH = 16;

type ResetDeps = Readonly<{ db: Db; changes: Changes }>;

/**
 * Gives the user named `username` a random password, ends all their sessions, revokes their access token and turns their
 * second factor off.
 * Returns the password. Throws OperationError user_not_found.
 */
export async function resetPassword(deps: ResetDeps, username: string): Promise<string> {
  const [user] = await deps.db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.username, username), eq(users.kind, "person"), isNull(users.deletedAt)));
  if (!user) throw new OperationError("user_not_found");
  // Whoever has the machine may also have lost the device with the second factor.
  await removeTotp(deps.db, user.id);
  return giveNewPassword(deps, [user.id]);
}

/** Gives these users one random password and returns it; their sessions and access tokens end. */
export async function giveNewPassword({ db, changes }: ResetDeps, userIds: readonly number[]): Promise<string> {
  const password = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  await db.update(users).set({ accessTokenHash: null }).where(isOneOf(users.id, userIds));
  for (const id of userIds) await setPassword(db, id, password, null);
  await changes.publish("users", userIds);
  return password;
}
