import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";

/** 24 bytes are 32 characters of standard Base64, as tools of the ecosystem expect. */
const TOKEN_BYTES = 24;

/** Replaces the user's system access token; the old one dies at once. The new one is returned this once only. */
export async function createAccessToken(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault }>,
  userId: number,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64");
  await deps.db
    .update(users)
    .set({ accessTokenHash: deps.vault.keyedHash(token) })
    .where(eq(users.id, userId));
  await deps.changes.publish("users", [userId]);
  return token;
}
