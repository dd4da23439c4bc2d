import { and, count, eq, gte, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents, withdrawals } from "../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { LOG_TYPE, writeLog, writeManagementLog } from "../../logs/write-log.ts";
import { amountText } from "../amount-text.ts";
import type { Listed, Page, WalletDeps } from "../operation.ts";

type WithdrawalInput = Readonly<{
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

/** From which states an action leads where. */
const STEPS = {
  approve: { from: ["requested"], to: "approved", past: "Approved" },
  pay: { from: ["approved"], to: "paid", past: "Marked as paid" },
  reject: { from: ["requested", "approved"], to: "rejected", past: "Rejected" },
} as const;

export type WithdrawalAction = keyof typeof STEPS;
const LONGEST_REPLY = 500;

/**
 * Approves a withdrawal, marks it as paid, or rejects it, which gives the agent back what was held. The log says who
 * decided. Throws OperationError.
 */
export async function decideWithdrawal(
  db: Db,
  actor: UserEntry,
  { id, action, reply }: Readonly<{ id: number; action: WithdrawalAction; reply: string }>,
): Promise<void> {
  const { from, to, past } = STEPS[action];
  if (reply.length > LONGEST_REPLY) throw new OperationError("note_too_long", { max: LONGEST_REPLY });
  await db.transaction(async (tx) => {
    const [request] = await tx.select().from(withdrawals).where(eq(withdrawals.id, id)).for("update");
    if (!request) throw new OperationError("withdrawal_not_found");
    const [owner] = await tx
      .select({ username: users.username, role: users.role, adminRoleId: users.adminRoleId })
      .from(users)
      .where(eq(users.id, request.userId));
    if (!owner) throw new OperationError("withdrawal_not_found");
    checkReach(actor, owner);
    if (!from.some((status) => status === request.status)) throw new OperationError("withdrawal_decided");
    await tx
      .update(withdrawals)
      .set({ status: to, decidedTime: nowSeconds(), decidedBy: actor.id, reply: reply.trim() || request.reply })
      .where(eq(withdrawals.id, id));
    if (to === "rejected") {
      await tx
        .update(agents)
        .set({ balance: sql`${agents.balance} + ${request.quota}` })
        .where(eq(agents.userId, request.userId));
    }
    await writeManagementLog(tx, actor, `${past}: withdrawal #${id} of ${owner.username} (#${request.userId})`, {
      note: { code: `withdrawal_${to}`, params: { id, name: owner.username, user: request.userId } },
      action: "update",
      user_id: request.userId,
      withdrawal_id: id,
      quota: request.quota,
      before: { status: request.status },
      after: { status: to },
    });
  });
}
