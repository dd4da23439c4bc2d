import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { checkReach } from "../../accounts/users/manage-user.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { WalletDeps } from "../operation.ts";
import { creditOrder, publishCredit } from "./settle-order.ts";

/**
 * Credits an order whose payment came but was never reported, by an administrator's word; the log says whose. Nobody completes
 * orders of people of their own rank, their own included, but super admins. Throws OperationError.
 */
export async function completeOrder(
  { db, changes, settings }: WalletDeps,
  actor: UserEntry,
  tradeNo: string,
): Promise<void> {
  const changed = await db.transaction(async (tx) => {
    const [order] = await tx.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo)).for("update");
    if (!order) throw new OperationError("order_not_found");
    const [owner] = await tx
      .select({ username: users.username, role: users.role, adminRoleId: users.adminRoleId })
      .from(users)
      .where(eq(users.id, order.userId));
    if (!owner) throw new OperationError("order_not_found");
    checkReach(actor, owner);
    if (order.status === "success") throw new OperationError("order_done_already");
    const ids = await creditOrder(tx, settings, order, { completedBy: actor.id });
    await writeManagementLog(tx, actor, `Completed the order ${tradeNo} of ${owner.username} (#${order.userId})`, {
      note: { code: "order_completed", params: { order: tradeNo, name: owner.username, id: order.userId } },
      action: "update",
      user_id: order.userId,
      trade_no: tradeNo,
      quota: order.quota,
      money: order.money,
      before: { status: order.status },
      after: { status: "success" },
    });
    return ids;
  });
  await publishCredit({ db, changes }, changed);
}
