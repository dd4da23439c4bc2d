import { and, eq, gte, sql } from "drizzle-orm";
import { agents } from "../../../db/schema/wallet.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { addQuota } from "../add-quota.ts";
import { amountText } from "../amount-text.ts";
import type { WalletDeps } from "../operation.ts";

/** Moves quota units from an agent's earnings to their own balance. Throws OperationError. */
export async function transferEarnings(
  { db, changes, settings }: WalletDeps,
  userId: number,
  quotaUnits: number,
): Promise<void> {
  const least = settings.get("QuotaPerUnit");
  if (!Number.isSafeInteger(quotaUnits) || quotaUnits < least) {
    throw new OperationError("transfer_too_small", { minimum: amountText(settings, least) });
  }
  await db.transaction(async (tx) => {
    const taken = await tx
      .update(agents)
      .set({ balance: sql`${agents.balance} - ${quotaUnits}` })
      .where(and(eq(agents.userId, userId), gte(agents.balance, quotaUnits)))
      .returning({ id: agents.userId });
    if (taken.length === 0) throw new OperationError("transfer_too_large");
    await addQuota(tx, userId, quotaUnits);
    await writeLog(tx, {
      type: LOG_TYPE.system,
      userId,
      content: "Agent's earnings transferred to the balance",
      note: { code: "earnings_transferred" },
      quota: quotaUnits,
    });
  });
  await changes.publish("users", [userId]);
}
