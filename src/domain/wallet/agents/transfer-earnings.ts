import { and, eq, gte, sql } from "drizzle-orm";
import { agents } from "../../../../db/schema/billing/wallet.ts";
import { moveToBalance } from "../move-to-balance.ts";
import type { WalletDeps } from "../operation.ts";

/** Moves quota units from an agent's earnings to their own balance. Throws OperationError. */
export const transferEarnings = (deps: WalletDeps, userId: number, quotaUnits: number): Promise<void> =>
  moveToBalance(deps, userId, quotaUnits, {
    content: "Agent's earnings transferred to the balance",
    note: { code: "earnings_transferred" },
    async take(tx) {
      const taken = await tx
        .update(agents)
        .set({ balance: sql`${agents.balance} - ${quotaUnits}` })
        .where(and(eq(agents.userId, userId), gte(agents.balance, quotaUnits)))
        .returning({ id: agents.userId });
      return taken.length > 0;
    },
  });
