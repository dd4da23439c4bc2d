import { and, count, eq } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { withdrawals } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import type { Listed, Page } from "../orders/list-orders.ts";

export type WithdrawalView = {
  id: number;
  user_id: number;
  username: string;
  quota: number;
  account: string;
  note: string;
  reply: string;
  /** requested, approved, paid or rejected. */
  status: string;
  created_time: number;
  /** 0: not decided. */
  decided_time: number;
};

/** What withdrawals can be sorted by. */
export const WITHDRAWAL_SORTS = {
  id: withdrawals.id,
  username: users.username,
  quota: withdrawals.quota,
  status: withdrawals.status,
  created_time: withdrawals.createdTime,
} as const;

/** Requests to be paid, newest first unless sorted: a user's, or everybody's; in one state, or in any. */
export async function listWithdrawals(
  db: Db,
  filter: Readonly<{ userId?: number; status?: string }>,
  page: Page & Sorting<keyof typeof WITHDRAWAL_SORTS>,
): Promise<Listed<WithdrawalView>> {
  const where = and(
    filter.userId === undefined ? undefined : eq(withdrawals.userId, filter.userId),
    filter.status ? eq(withdrawals.status, filter.status) : undefined,
  );
  const { total } = requireRow(await db.select({ total: count() }).from(withdrawals).where(where));
  const items = await db
    .select({
      id: withdrawals.id,
      user_id: withdrawals.userId,
      username: users.username,
      quota: withdrawals.quota,
      account: withdrawals.account,
      note: withdrawals.note,
      reply: withdrawals.reply,
      status: withdrawals.status,
      created_time: withdrawals.createdTime,
      decided_time: withdrawals.decidedTime,
    })
    .from(withdrawals)
    .innerJoin(users, eq(users.id, withdrawals.userId))
    .where(where)
    .orderBy(...orderBy(WITHDRAWAL_SORTS, withdrawals.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items, total };
}
