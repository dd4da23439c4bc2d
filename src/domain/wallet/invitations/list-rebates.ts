import { and, count, eq } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { rebates } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import type { Listed, Page } from "../orders/list-orders.ts";

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
