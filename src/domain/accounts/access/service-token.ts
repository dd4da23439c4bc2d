import { and, eq, isNull, lt, or } from "drizzle-orm";
import { serviceAccounts } from "../../../../db/schema/accounts/service-accounts.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { randomText, type Vault } from "../../../lib/security/crypto.ts";
import type { UserDirectory, UserEntry } from "../directory.ts";
import { isRight, type Right } from "./access-rules.ts";

/** By which tokens are recognized, also by scanners of leaked secrets. */
const PREFIX = "sluice_sa_";
const TOKEN_BYTES = 32;
const SHOWN_CHARACTERS = 4;
/** How old the time of the last use may be. */
const TOUCH_SECONDS = 60;

/** Whether a text is the token of a service account by its form. */
export const isServiceToken = (text: string): boolean => text.startsWith(PREFIX);

/** A new token, which is shown once, and what is stored of it. */
export function createServiceToken(vault: Vault): { token: string; tokenHash: string; tokenEnd: string } {
  const token = `${PREFIX}${randomText(TOKEN_BYTES)}`;
  return { token, tokenHash: vault.keyedHash(token), tokenEnd: token.slice(-SHOWN_CHARACTERS) };
}

/**
 * The service account of a token, with its rights; null when there is none or it has expired. Reads the database each time,
 * so that a revoked token is refused at once everywhere.
 */
export async function findServiceAccount(
  { db, users, vault }: Readonly<{ db: Db; users: UserDirectory; vault: Vault }>,
  token: string,
): Promise<{ actor: UserEntry; rights: ReadonlySet<Right> } | null> {
  const now = nowSeconds();
  const [row] = await db
    .select()
    .from(serviceAccounts)
    .where(eq(serviceAccounts.tokenHash, vault.keyedHash(token)));
  if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return null;
  const actor = users.get(row.userId) ?? (await users.reread(row.userId));
  if (actor?.kind !== "service" || actor.deleted) return null;
  if (now - (row.lastUsedAt ?? 0) >= TOUCH_SECONDS) await touch(db, row.userId, now);
  return { actor, rights: new Set(row.rights.filter(isRight)) };
}

/** Notes the time of the last use, once a minute whatever the number of processes. */
async function touch(db: Db, userId: number, now: number): Promise<void> {
  const isOlder = or(isNull(serviceAccounts.lastUsedAt), lt(serviceAccounts.lastUsedAt, now - TOUCH_SECONDS + 1));
  await db
    .update(serviceAccounts)
    .set({ lastUsedAt: now })
    .where(and(eq(serviceAccounts.userId, userId), isOlder));
}
