import { eq, or, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../db/types.ts";

/**
 * Locks the balances that a recharge changes, the user's and the inviter's, in the order in which the ledger locks those of
 * many users: neither then waits for the other in a circle. To be called before anything else refers to them.
 */
export async function lockBalances(tx: Tx, userId: number): Promise<void> {
  const inviter = sql`(select u.inviter_id from users u where u.id = ${userId})`;
  await tx
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, userId), eq(users.id, inviter)))
    .orderBy(users.id)
    .for("no key update");
}
