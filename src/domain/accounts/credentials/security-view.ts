import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { hasTotp } from "./totp.ts";

/** How a user's account is guarded. */
export type SecurityView = { has_password: boolean; totp_enabled: boolean };

/** Reads whether a user has a password and a second factor. */
export async function viewSecurity(db: Db, userId: number): Promise<SecurityView> {
  const [user] = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId));
  return { has_password: Boolean(user?.hash), totp_enabled: await hasTotp(db, userId) };
}
