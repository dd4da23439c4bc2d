import { and, eq, gte, sql } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import { OperationError } from "../lib/operation-error.ts";
import { LOG_TYPE, writeLog } from "../logs/write-log.ts";
import { amountText } from "./amount-text.ts";
import type { WalletDeps } from "./operation.ts";

/** Moves quota units from a user's invitation rewards to their balance. Throws OperationError. */
export async function transferRewards(
  { db, changes, settings }: WalletDeps,
  userId: number,
  quotaUnits: number,
): Promise<void> {
  const least = settings.get("QuotaPerUnit");
  if (!Number.isSafeInteger(quotaUnits) || quotaUnits < least) {
    throw new OperationError("transfer_too_small", { minimum: amountText(settings, least) });
  }
  await db.transaction(async (tx) => {
    const moved = await tx
      .update(users)
      .set({ affQuota: sql`${users.affQuota} - ${quotaUnits}`, quota: sql`${users.quota} + ${quotaUnits}` })
      .where(and(eq(users.id, userId), gte(users.affQuota, quotaUnits)))
      .returning({ id: users.id });
    if (moved.length === 0) throw new OperationError("transfer_too_large");
    await writeLog(tx, {
      type: LOG_TYPE.system,
      userId,
      content: "Invitation rewards transferred to the balance",
      note: { code: "rewards_transferred" },
      quota: quotaUnits,
    });
  });
  await changes.publish("users", [userId]);
}
