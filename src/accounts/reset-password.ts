import { randomInt } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import { setPassword } from "./change-password.ts";

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const LENGTH = 16;

/**
 * Gives the user named `username` a random password, ends all their sessions and revokes their access token.
 * Returns the password. Throws OperationError user_not_found.
 */
export async function resetPassword(deps: Readonly<{ db: Db; changes: Changes }>, username: string): Promise<string> {
  const { db, changes } = deps;
  const [user] = await db
    .update(users)
    .set({ accessTokenHash: null })
    .where(and(eq(users.username, username), isNull(users.deletedAt)))
    .returning({ id: users.id });
  if (!user) throw new OperationError("user_not_found");
  const password = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  await setPassword(db, user.id, password, null);
  await changes.publish("users", [user.id]);
  return password;
}
