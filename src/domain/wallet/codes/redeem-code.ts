import { and, eq, isNull, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { redemptionCodes, redemptionUses } from "../../../../db/schema/wallet/codes.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { addQuota, lockBalances } from "../balances.ts";
import { payRebate } from "../invitations/rebates.ts";
import type { WalletDeps } from "../operation.ts";
import { publishPlanAccount } from "../plans/limits/overage.ts";
import { beginGift } from "../plans/subscribe.ts";

type Code = typeof redemptionCodes.$inferSelect;

const DISABLED = 2;
const USED = 3;
const UNLIMITED = -1;

/**
 * Turns a code into quota of a user, or into a plan for one period: an ordinary code once, a gift code once for each user as often as it may be used. The
 * inviter gets their share. However many calls come at once, no code is worth more than it says. Throws OperationError.
 */
export async function redeemCode(
  { db, changes, settings }: WalletDeps,
  userId: number,
  key: string,
): Promise<{ quota: number; isGift: boolean; plan: string | null }> {
  const input = key.trim();
  if (input === "") throw new OperationError("redeem_required");
  const { code, rewarded, plan } = await db.transaction(async (tx) => {
    const code = await lockUsable(tx, input);
    await lockBalances(tx, userId);
    if (code.isGift) await requirePerson(tx, userId);
    await tx
      .update(redemptionCodes)
      .set(code.isGift ? afterGift(code) : { status: USED, redeemedTime: nowSeconds(), usedUserId: userId })
      .where(eq(redemptionCodes.id, code.id));
    const [use] = await tx
      .insert(redemptionUses)
      .values({ codeId: code.id, userId, quota: code.quota, usedTime: nowSeconds() })
      .onConflictDoNothing()
      .returning({ id: redemptionUses.id });
    if (!use) throw new OperationError("redeem_used_by_you");
    await writeLog(tx, {
      type: LOG_TYPE.topUp,
      userId,
      content: `Redeemed the ${code.isGift ? "gift " : ""}code #${code.id}`,
      note: { code: code.isGift ? "gift_code_redeemed" : "code_redeemed", params: { id: code.id } },
      quota: code.quota,
      other: { code_id: code.id },
    });
    if (code.planId !== null) return { code, rewarded: [], plan: (await beginGift(tx, userId, code.planId)).name };
    await addQuota(tx, userId, code.quota);
    const recharge = { userId, quotaUnits: code.quota, orderId: null };
    return { code, rewarded: await payRebate(tx, settings, recharge), plan: null };
  });
  if (plan !== null) await publishPlanAccount({ db, changes }, userId);
  else await changes.publish("users", [userId, ...rewarded]);
  return { quota: code.quota, isGift: code.isGift, plan };
}

/** Gift codes are for each person once: one who has organizations would get them as often. Throws OperationError. */
async function requirePerson(tx: Tx, userId: number): Promise<void> {
  const [user] = await tx.select({ kind: users.kind }).from(users).where(eq(users.id, userId));
  if (user?.kind === "organization") throw new OperationError("redeem_gift_for_people");
}

/** The code, locked until the transaction ends. Throws OperationError when it cannot be used now. */
async function lockUsable(tx: Tx, key: string): Promise<Code> {
  const [code] = await tx
    .select()
    .from(redemptionCodes)
    .where(and(eq(redemptionCodes.key, key), isNull(redemptionCodes.deletedAt)))
    .for("update");
  if (!code || code.status === DISABLED) throw new OperationError("redeem_invalid");
  if (code.status === USED) throw new OperationError(code.isGift ? "redeem_used_up" : "redeem_used");
  const now = nowSeconds();
  if (now < code.validFrom) throw new OperationError("redeem_too_early");
  if (code.validUntil > 0 && now > code.validUntil) throw new OperationError("redeem_expired");
  if (code.isGift && code.maxUses !== UNLIMITED && code.usedCount >= code.maxUses) {
    throw new OperationError("redeem_used_up");
  }
  return code;
}

const afterGift = ({ usedCount, maxUses, status }: Code) => ({
  usedCount: sql`${redemptionCodes.usedCount} + 1`,
  status: maxUses !== UNLIMITED && usedCount + 1 >= maxUses ? USED : status,
});
