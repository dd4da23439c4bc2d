import { and, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents, rebates } from "../../../../db/schema/billing/wallet.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type Decimal, decimal, toText } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { addQuota } from "../add-quota.ts";
import { cashbackTerms, shareOf } from "./rebate-terms.ts";

export type Recharge = Readonly<{
  /** Who recharged. */
  userId: number;
  quotaUnits: number;
  /** Null: by a code. */
  orderId: number | null;
}>;

const inviters = alias(users, "inviters");

/**
 * Gives the inviter their share of a recharge, in the recharge's transaction: agents a dividend at their own rate, others
 * cashback at the site's. Returns the ids to publish to "users" after the commit.
 */
export async function payRebate(tx: Tx, settings: SettingsReader, recharge: Recharge): Promise<number[]> {
  const [inviter] = await tx
    .select({ id: inviters.id, agentRate: agents.rate })
    .from(users)
    .innerJoin(inviters, and(eq(inviters.id, users.inviterId), isNull(inviters.deletedAt)))
    .leftJoin(agents, and(eq(agents.userId, inviters.id), eq(agents.isActive, true)))
    .where(eq(users.id, recharge.userId));
  if (!inviter) return [];
  if (inviter.agentRate !== null) {
    await payDividend(tx, inviter.id, decimal(inviter.agentRate), recharge);
    return [];
  }
  const { rate, minimum } = cashbackTerms(settings);
  const quota = recharge.quotaUnits < minimum ? 0 : shareOf(recharge.quotaUnits, rate);
  if (quota === 0) return [];
  await addQuota(tx, inviter.id, quota);
  await record(tx, inviter.id, "cashback", rate, quota, recharge);
  return [inviter.id];
}

async function payDividend(tx: Tx, agentId: number, rate: Decimal, recharge: Recharge): Promise<void> {
  const quota = shareOf(recharge.quotaUnits, rate);
  if (quota === 0) return;
  await tx
    .update(agents)
    .set({ balance: sql`${agents.balance} + ${quota}`, earned: sql`${agents.earned} + ${quota}` })
    .where(eq(agents.userId, agentId));
  await record(tx, agentId, "dividend", rate, quota, recharge);
}

async function record(
  tx: Tx,
  userId: number,
  kind: "cashback" | "dividend",
  rate: Decimal,
  quota: number,
  recharge: Recharge,
): Promise<void> {
  await tx.insert(rebates).values({
    userId,
    fromUserId: recharge.userId,
    orderId: recharge.orderId,
    rechargeQuota: recharge.quotaUnits,
    quota,
    kind,
    rate: toText(rate),
    createdTime: nowSeconds(),
  });
  const content =
    kind === "cashback" ? "Cashback for an invited user's recharge" : "Dividend of an invited user's recharge";
  const other = { from_user_id: recharge.userId };
  await writeLog(tx, { type: LOG_TYPE.system, userId, content, note: { code: kind }, quota, other });
}
