import { and, eq, gte, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { moveToBalance } from "../move-to-balance.ts";
import type { WalletDeps } from "../operation.ts";

/** Moves quota units from a user's invitation rewards to their balance. Throws OperationError. */
export const transferRewards = (deps: WalletDeps, userId: number, quotaUnits: number): Promise<void> =>
  moveToBalance(deps, userId, quotaUnits, {
    content: "Invitation rewards transferred to the balance",
    note: { code: "rewards_transferred" },
    async take(tx) {
      const taken = await tx
        .update(users)
        .set({ affQuota: sql`${users.affQuota} - ${quotaUnits}` })
        .where(and(eq(users.id, userId), gte(users.affQuota, quotaUnits)))
        .returning({ id: users.id });
      return taken.length > 0;
    },
  });
