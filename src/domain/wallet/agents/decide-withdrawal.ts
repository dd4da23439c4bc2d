import { eq, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents, withdrawals } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { checkReach } from "../../accounts/users/manage-user.ts";
import { writeManagementLog } from "../../logs/write-log.ts";

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
