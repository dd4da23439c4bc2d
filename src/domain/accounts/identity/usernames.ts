import { and, ne, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import { ACCOUNT_LIMITS, displayNameError, usernameError } from "../account-rules.ts";

/** The username as it is stored. Throws OperationError unless it has 1 to `most` characters (code points), none of them odd. */
export function checkUsername(name: string, most: number = ACCOUNT_LIMITS.username): string {
  throwRuleError(usernameError(name, most), { max: most });
  return name.trim().normalize("NFC");
}

/** Names that differ only in case are the same name to people: accounts created since 0.1 have none of another. */
export const isSameUsername = (username: string) => sql`lower(${users.username}) = lower(${username})`;

/**
 * Takes a username for an account that is created or renamed (`userId`), in any case; in a transaction nobody else can take it until
 * that ends. Throws OperationError: it is, or was, somebody else's.
 */
export async function claimUsername(tx: DbOrTx, username: string, userId = 0): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('username ' || lower(${username}::text), 0))`);
  const [taken] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(isSameUsername(username), ne(users.id, userId)))
    .limit(1);
  if (taken) throw new OperationError("username_taken");
}

/** The display name as it is stored. Throws OperationError when it is longer than 20 characters. */
export function checkDisplayName(name: string): string {
  throwRuleError(displayNameError(name), { max: ACCOUNT_LIMITS.displayName });
  return name.trim().normalize("NFC");
}
