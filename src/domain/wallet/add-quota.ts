import { eq, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../db/types.ts";

/**
 * Adds `quotaUnits` to a user's balance, whatever else changes it at the same time. Whoever calls this publishes the user
 * to "users" after the commit.
 */
export async function addQuota(tx: Tx, userId: number, quotaUnits: number): Promise<void> {
  await tx
    .update(users)
    .set({ quota: sql`${users.quota} + ${quotaUnits}` })
    .where(eq(users.id, userId));
}
