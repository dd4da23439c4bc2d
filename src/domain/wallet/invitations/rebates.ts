import { and, count, eq, gte, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents, rebates } from "../../../../db/schema/wallet/wallet.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import {
  type Decimal,
  decimal,
  integer,
  isZero,
  multiply,
  toText,
  truncate,
  ZERO,
} from "../../../lib/values/decimal.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { addQuota, moveToBalance } from "../balances.ts";
import type { Listed, Page, WalletDeps } from "../operation.ts";

/** Percent of a recharge that the inviter gets, and the least recharge (quota units) that counts. */
export function cashbackTerms(settings: SettingsReader): { rate: Decimal; minimum: number } {
  const rate = settings.get("RechargeCashbackRate");
  const minimum = settings.get("MinRechargeCashbackQuota");
  if (!isZero(rate)) return { rate, minimum };
  return { rate: settings.get("RebateEnabled") ? settings.get("RebatePercentage") : ZERO, minimum };
}

/** `rate` percent of an amount of quota units, rounded down. */
const shareOf = (quotaUnits: number, rate: Decimal): number =>
  truncate(multiply(multiply(integer(quotaUnits), rate), PERCENT));

const PERCENT = decimal("0.01");

type Recharge = Readonly<{
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

export type RebateView = {
  id: number;
  /** cashback or dividend. */
  kind: string;
  /** Percent of the recharge, decimal text. */
  rate: string;
  recharge_quota: number;
  quota: number;
  /** Whose recharge it was, as others may see it; empty: deleted. */
  from: string;
  created_time: number;
};

/** What rebates can be sorted by; not by whom they are from: that would reveal the masked names. */
export const REBATE_SORTS = {
  id: rebates.id,
  kind: rebates.kind,
  rate: rebates.rate,
  recharge_quota: rebates.rechargeQuota,
  quota: rebates.quota,
  created_time: rebates.createdTime,
} as const;

/** What a user got of others' recharges, newest first unless sorted. */
export async function listRebates(
  db: Db,
  userId: number,
  page: Page & Sorting<keyof typeof REBATE_SORTS>,
  kind?: "cashback" | "dividend",
): Promise<Listed<RebateView>> {
  const where = and(eq(rebates.userId, userId), kind && eq(rebates.kind, kind));
  const { total } = requireRow(await db.select({ total: count() }).from(rebates).where(where));
  const rows = await db
    .select({
      id: rebates.id,
      kind: rebates.kind,
      rate: rebates.rate,
      recharge_quota: rebates.rechargeQuota,
      quota: rebates.quota,
      from: users.username,
      created_time: rebates.createdTime,
    })
    .from(rebates)
    .leftJoin(users, eq(users.id, rebates.fromUserId))
    .where(where)
    .orderBy(...orderBy(REBATE_SORTS, rebates.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: rows.map((row) => ({ ...row, from: mask(row.from ?? "") })), total };
}

/** Whoever invited somebody need not learn the whole name. */
function mask(name: string): string {
  const letters = [...name];
  return letters.length < 3 ? name.replace(/.$/u, "*") : `${letters[0]}***${letters.at(-1)}`;
}

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
