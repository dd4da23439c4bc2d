import { and, eq, gt } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../../db/schema/billing/wallet.ts";
import type { Tx } from "../../../../../db/types.ts";
import type { Billing } from "../../../../billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../../../billing/ledger/errors.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { checkReach } from "../../../accounts/users/manage-user.ts";
import { LOG_TYPE, writeLog, writeManagementLog } from "../../../logs/write-log.ts";
import { addQuota } from "../../add-quota.ts";
import { publishPlanAccount } from "../../plans/limits/overage.ts";
import { hasPaidPeriod, takePeriodBack } from "../../plans/orders/refund-period.ts";
import type { DirectDeps } from "./service.ts";
import { DIRECT_SERVICES, directMethod } from "./services.ts";

type Order = typeof topUpOrders.$inferSelect;
type RefundDeps = DirectDeps & Readonly<{ billing: Pick<Billing, "transfer"> }>;

/**
 * Refunds a paid order at its service: takes its quota back from the balance first, all of it, or the period of a plan that it paid;
 * then has the money paid back. If the service does not answer, it is asked again later; if it refuses, the balance gets the quota. Resolves with whether the money is
 * on its way. Throws OperationError.
 */
export async function refundOrder(deps: RefundDeps, actor: UserEntry, tradeNo: string): Promise<boolean> {
  const [found] = await deps.db
    .select({ order: topUpOrders, username: users.username, role: users.role, adminRoleId: users.adminRoleId })
    .from(topUpOrders)
    .innerJoin(users, eq(users.id, topUpOrders.userId))
    .where(eq(topUpOrders.tradeNo, tradeNo));
  if (!found) throw new OperationError("order_not_found");
  const { order, ...owner } = found;
  checkReach(actor, owner);
  const method = directMethod(order.method);
  if (!method || order.status !== "success" || !DIRECT_SERVICES[method].isSetUp(deps.settings)) {
    throw new OperationError("order_refund_impossible");
  }
  const writeDown = (tx: Tx) =>
    writeManagementLog(tx, actor, `Refunded the order ${tradeNo}`, {
      ...{ note: { code: "order_refund_begun", params: { order: tradeNo } }, action: "update", target: "order" },
      ...{ user_id: order.userId, trade_no: tradeNo, quota_delta: -order.quota, money: order.money },
    });
  if (await hasPaidPeriod(deps.db, order)) {
    await deps.db.transaction(async (tx) => {
      await takePeriodBack(tx, order);
      await beginRefund(tx, order);
      await writeDown(tx);
    });
    await publishPlanAccount(deps, order.userId);
  } else await takeQuota(deps, order, writeDown);
  return continueRefund(deps, order);
}

async function takeQuota(
  { db, billing, changes }: RefundDeps,
  order: Order,
  writeDown: (tx: Tx) => Promise<void>,
): Promise<void> {
  try {
    await billing.transfer(db, { from: order.userId, to: null, amount: order.quota }, async (tx) => {
      await beginRefund(tx, order);
      await writeDown(tx);
    });
  } catch (error) {
    if (error instanceof InsufficientQuota) throw new OperationError("order_refund_spent");
    if (error instanceof LedgerUnavailable) throw new OperationError("database_unavailable", {}, { status: 503 });
    throw error;
  }
  await changes.publish("users", [order.userId]);
}

/** Notes that a refund begins. Throws OperationError: one has begun. */
async function beginRefund(tx: Tx, order: Order): Promise<void> {
  const [begun] = await tx
    .update(topUpOrders)
    .set({ refundStartedTime: nowSeconds() })
    .where(and(eq(topUpOrders.id, order.id), eq(topUpOrders.refundStartedTime, 0)))
    .returning({ id: topUpOrders.id });
  if (!begun) throw new OperationError("order_refund_begun_already");
}

/** Asks the service for a refund that has begun. Resolves with false when the service refused and the quota came back. */
async function continueRefund(deps: DirectDeps, order: Order): Promise<boolean> {
  const method = directMethod(order.method);
  if (!method) return false;
  const { tradeNo } = order;
  try {
    const outcome = await DIRECT_SERVICES[method].refund(deps, order);
    if (outcome.state === "refused") {
      deps.log.warn({ tradeNo, method, reason: outcome.reason }, "the payment service refused a refund");
      await giveBack(deps, order);
      return false;
    }
    if (outcome.state === "done") {
      await deps.db.update(topUpOrders).set({ refundedTime: nowSeconds() }).where(eq(topUpOrders.id, order.id));
    }
  } catch (error) {
    deps.log.warn({ tradeNo, method, reason: messageOf(error) }, "a refund is not confirmed yet");
  }
  return true;
}

async function giveBack({ db, changes }: DirectDeps, order: Order): Promise<void> {
  await db.transaction(async (tx) => {
    const [ended] = await tx
      .update(topUpOrders)
      .set({ refundStartedTime: 0 })
      .where(
        and(...[eq(topUpOrders.id, order.id), gt(topUpOrders.refundStartedTime, 0), eq(topUpOrders.refundedTime, 0)]),
      )
      .returning({ id: topUpOrders.id });
    if (!ended) return;
    await addQuota(tx, order.userId, order.quota);
    await writeLog(tx, {
      type: LOG_TYPE.management,
      userId: order.userId,
      content: `The refund of the order ${order.tradeNo} was refused: its quota is back`,
      note: { code: "order_refund_returned", params: { order: order.tradeNo } },
      quota: order.quota,
      other: { user_id: order.userId, quota_delta: order.quota, target: "order", action: "update" },
    });
  });
  await changes.publish("users", [order.userId]);
}

/** Asks again for refunds that services have not confirmed. Returns how many. */
export async function continueRefunds(deps: DirectDeps, signal?: AbortSignal): Promise<number> {
  const begun = await deps.db
    .select()
    .from(topUpOrders)
    .where(and(gt(topUpOrders.refundStartedTime, 0), eq(topUpOrders.refundedTime, 0)));
  for (const order of begun) {
    if (signal?.aborted) break;
    await continueRefund(deps, order);
  }
  return begun.length;
}
