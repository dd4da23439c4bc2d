import { and, eq, gte, sql } from "drizzle-orm";
import { agents, withdrawals } from "../../../../db/schema/billing/wallet.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { amountText } from "../amount-text.ts";
import type { WalletDeps } from "../operation.ts";

export type WithdrawalInput = Readonly<{
  quotaUnits: number;
  /** Where the money is to go. */
  account: string;
  note: string;
}>;

const LONGEST_TEXT = 500;

/** Asks for earnings to be paid out; they are held until an administrator decides. Throws OperationError. */
export async function requestWithdrawal(
  { db, settings }: Omit<WalletDeps, "changes">,
  userId: number,
  { quotaUnits, account, note }: WithdrawalInput,
): Promise<void> {
  const least = settings.get("QuotaPerUnit");
  if (!Number.isSafeInteger(quotaUnits) || quotaUnits < least) {
    throw new OperationError("withdrawal_too_small", { minimum: amountText(settings, least) });
  }
  if (account.trim() === "") throw new OperationError("withdrawal_account_required");
  if (account.length > LONGEST_TEXT || note.length > LONGEST_TEXT) {
    throw new OperationError("note_too_long", { max: LONGEST_TEXT });
  }
  await db.transaction(async (tx) => {
    const held = await tx
      .update(agents)
      .set({ balance: sql`${agents.balance} - ${quotaUnits}` })
      .where(and(eq(agents.userId, userId), gte(agents.balance, quotaUnits)))
      .returning({ id: agents.userId });
    if (held.length === 0) throw new OperationError("withdrawal_too_large");
    await tx
      .insert(withdrawals)
      .values({ userId, quota: quotaUnits, account: account.trim(), note: note.trim(), createdTime: nowSeconds() });
    await writeLog(tx, {
      type: LOG_TYPE.system,
      userId,
      content: "Asked for a withdrawal",
      note: { code: "withdrawal_requested" },
      quota: quotaUnits,
    });
  });
}
