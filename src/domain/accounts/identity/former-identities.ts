import { and, eq, isNotNull, sql } from "drizzle-orm";
import { formerIdentities, users } from "../../../../db/schema/accounts/users.ts";
import type { DbOrTx, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";

/** What an account is reached by: an address (of provider `email`), or an identity at another service. */
export type Reach = Readonly<{ provider: string; subject: string }>;

/** Notes what a user was reached by and is no longer, in the transaction `tx` that takes it from them. */
export async function keepFormer(tx: Tx, vault: Vault, userId: number, reached: readonly Reach[]): Promise<void> {
  if (reached.length === 0) return;
  const createdAt = nowSeconds();
  const rows = reached.map((reach) => ({ hash: hashOf(vault, reach), userId, createdAt }));
  await tx
    .insert(formerIdentities)
    .values(rows)
    .onConflictDoUpdate({ target: formerIdentities.hash, set: { userId: sql`excluded.user_id`, createdAt } });
}

/** Throws OperationError when an address or identity was last that of somebody who is deregistered: no rewards twice. */
export async function checkNotDeregistered(db: DbOrTx, vault: Vault, reach: Reach): Promise<void> {
  const [found] = await db
    .select({ userId: users.id })
    .from(formerIdentities)
    .innerJoin(users, eq(users.id, formerIdentities.userId))
    .where(and(eq(formerIdentities.hash, hashOf(vault, reach)), isNotNull(users.deletedAt)));
  if (found) throw new OperationError("account_deregistered");
}

/** Addresses are the same in whatever case; what services call people is not. */
function hashOf(vault: Vault, { provider, subject }: Reach): string {
  const name = provider === "email" ? subject.trim().toLowerCase() : subject;
  return vault.keyedHash(`former ${provider}:${name}`);
}
