import { and, count, desc, eq } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import { rebates } from "../../db/schema/wallet.ts";
import type { Db } from "../../db/types.ts";
import type { Listed, Page } from "./list-orders.ts";

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

/** What a user got of others' recharges, newest first. */
export async function listRebates(
  db: Db,
  userId: number,
  { page, pageSize }: Page,
  kind?: "cashback" | "dividend",
): Promise<Listed<RebateView>> {
  const where = and(eq(rebates.userId, userId), kind && eq(rebates.kind, kind));
  const [sum] = await db.select({ total: count() }).from(rebates).where(where);
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
    .orderBy(desc(rebates.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map((row) => ({ ...row, from: mask(row.from ?? "") })), total: sum?.total ?? 0 };
}

/** Whoever invited somebody need not learn the whole name. */
function mask(name: string): string {
  const letters = [...name];
  return letters.length < 3 ? name.replace(/.$/u, "*") : `${letters[0]}***${letters.at(-1)}`;
}
