import { and, eq, gt } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db, DbOrTx, Tx } from "../../../../db/types.ts";
import type { Billing } from "../../../billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../../billing/ledger/errors.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { LOG_TYPE, writeLog, writeManagementLog } from "../../logs/write-log.ts";
import { addQuota } from "../balances.ts";
import { openCase } from "../payments/cases.ts";
import { smallestUnits } from "../payments/currency-units.ts";
import type { DirectDeps, RefundState } from "../payments/direct/service.ts";
import { DIRECT_SERVICES, directMethod } from "../payments/direct/services.ts";
import { acceptsEpay, refundByEpay } from "../payments/epay.ts";
import { type StripeDeps, takesCards } from "../payments/stripe.ts";
import { refundByStripe } from "../payments/stripe-refund.ts";
import { publishPlanAccount } from "../plans/limits/overage.ts";
import { hasPaidPeriod, takePeriodBack } from "../plans/renewal/refund-period.ts";

type Order = typeof topUpOrders.$inferSelect;
/** A request of a refund has ended by then. */
const UNCLEAR_AFTER_S = 60;

type PayDeps = DirectDeps & Pick<StripeDeps, "stripeAddress">;
type RefundDeps = PayDeps & Readonly<{ billing: Pick<Billing, "transfer"> }>;

/**
 * Refunds a paid order at its service: takes its quota back from the balance first, all of it, or the period of a plan that it paid;
 * then has the money paid back; of an order paid to the operator, who pays it back. If the service does not answer, it is asked again
 * later, or an administrator looks it up; if it refuses, the balance gets the quota. Resolves with whether the money is
 * on its way. Throws OperationError.
 */
export async function refundOrder(deps: RefundDeps, actor: UserEntry, tradeNo: string): Promise<boolean> {
  const order = await findOrder(deps.db, actor, tradeNo);
  const payer = payerOf(order.method, deps.settings);
  if (order.status !== "success") throw new OperationError("order_refund_unpaid");
  if (!payer)
    throw new OperationError("order_refund_at_service", { service: SERVICE_NAMES[order.method] ?? order.method });
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
  return payBack(deps, order, payer);
}

/** Pays an order back; `null` in its place: nobody can. */
type Payer = Readonly<{
  refund(deps: PayDeps, order: Order): Promise<RefundState>;
  /** Asking again does not pay again. */
  isRepeatable: boolean;
}>;

/** What operators know services by. */
const SERVICE_NAMES: Readonly<Record<string, string>> = {
  ...{ alipay: "Alipay", wechat: "WeChat Pay", paypal: "PayPal", stripe: "Stripe", zfb: "Epay", wx: "Epay" },
};

function payerOf(method: string, settings: SettingsReader): Payer | null {
  const direct = directMethod(method);
  if (direct) {
    const { isSetUp, refund } = DIRECT_SERVICES[direct];
    return isSetUp(settings) ? { refund, isRepeatable: true } : null;
  }
  // The operator has paid it back.
  if (method === "manual") return { refund: async () => ({ state: "done" }), isRepeatable: true };
  if (method === "stripe") return takesCards(settings) ? { refund: refundByStripe, isRepeatable: true } : null;
  const isEpay = method === "zfb" || method === "wx";
  return isEpay && acceptsEpay(settings) ? { refund: refundByEpay, isRepeatable: false } : null;
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
  await changes.enforce("users", [order.userId]);
}

/** The order of an account that the administrator may change. Throws OperationError. */
async function findOrder(db: Db, actor: UserEntry, tradeNo: string): Promise<Order> {
  const [found] = await db
    .select({ order: topUpOrders, username: users.username, role: users.role, adminRoleId: users.adminRoleId })
    .from(topUpOrders)
    .innerJoin(users, eq(users.id, topUpOrders.userId))
    .where(eq(topUpOrders.tradeNo, tradeNo));
  if (!found) throw new OperationError("order_not_found");
  const { order, ...owner } = found;
  checkReach(actor, owner);
  return order;
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

/** Has a refund that has begun paid back. Resolves with false when the service refused and the quota came back. */
async function payBack(deps: PayDeps, order: Order, { refund, isRepeatable }: Payer): Promise<boolean> {
  const { tradeNo, method } = order;
  try {
    const outcome = await refund(deps, order);
    if (outcome.state === "refused") {
      deps.log.warn({ tradeNo, method, reason: outcome.reason }, "the payment service refused a refund");
      await giveBack(deps, order);
      return false;
    }
    if (outcome.state === "done") await markRefunded(deps.db, order);
  } catch (error) {
    deps.log.warn({ tradeNo, method, reason: messageOf(error) }, "a refund is not confirmed yet");
    if (!isRepeatable) await reportUnclear(deps, order);
  }
  return true;
}

/** A refund that may have been paid: an administrator looks it up and says so. */
const reportUnclear = ({ db }: DirectDeps, { tradeNo, userId, money, currency }: Order) =>
  openCase(db, {
    ...{ kind: "refund_unclear", reference: tradeNo, order: { tradeNo, userId }, currency, now: nowSeconds() },
    paidUnits: smallestUnits(money, currency),
  });

async function markRefunded(db: DbOrTx, { id }: Pick<Order, "id">): Promise<boolean> {
  const rows = await db
    .update(topUpOrders)
    .set({ refundedTime: nowSeconds() })
    .where(and(...[eq(topUpOrders.id, id), gt(topUpOrders.refundStartedTime, 0), eq(topUpOrders.refundedTime, 0)]))
    .returning({ id: topUpOrders.id });
  return rows.length > 0;
}

/**
 * Ends a refund of an Epay service that is not confirmed, as an administrator has looked it up: it was paid back, or it was not and the
 * balance gets the quota. Once. Throws OperationError: there is none, or it has only just been requested.
 */
export async function endUnclearRefund(
  deps: DirectDeps,
  actor: UserEntry,
  tradeNo: string,
  isPaidBack: boolean,
): Promise<void> {
  const order = await findOrder(deps.db, actor, tradeNo);
  const { method, refundStartedTime: begunAt } = order;
  const isUnclear = (method === "zfb" || method === "wx") && begunAt > 0 && order.refundedTime === 0;
  if (!isUnclear || nowSeconds() - begunAt < UNCLEAR_AFTER_S) throw new OperationError("order_refund_not_unclear");
  if (!(await (isPaidBack ? markRefunded(deps.db, order) : giveBack(deps, order))))
    throw new OperationError("order_refund_not_unclear");
  const content = `Ended the refund of the order ${tradeNo}: ${isPaidBack ? "paid back" : "not paid back"}`;
  await writeManagementLog(deps.db, actor, content, {
    ...{ note: { code: "order_refund_ended", params: { order: tradeNo } }, action: "update", target: "order" },
    ...{ user_id: order.userId, trade_no: tradeNo, after: { refunded: isPaidBack } },
  });
}

/** Returns false where the refund has ended before. */
async function giveBack({ db, changes }: DirectDeps, order: Order): Promise<boolean> {
  const hasReturned = await db.transaction(async (tx) => {
    const [ended] = await tx
      .update(topUpOrders)
      .set({ refundStartedTime: 0 })
      .where(
        and(...[eq(topUpOrders.id, order.id), gt(topUpOrders.refundStartedTime, 0), eq(topUpOrders.refundedTime, 0)]),
      )
      .returning({ id: topUpOrders.id });
    if (!ended) return false;
    await addQuota(tx, order.userId, order.quota);
    await writeLog(tx, {
      type: LOG_TYPE.management,
      userId: order.userId,
      content: `The refund of the order ${order.tradeNo} was refused: its quota is back`,
      note: { code: "order_refund_returned", params: { order: order.tradeNo } },
      quota: order.quota,
      other: { user_id: order.userId, quota_delta: order.quota, target: "order", action: "update" },
    });
    return true;
  });
  await changes.enforce("users", [order.userId]);
  return hasReturned;
}

/**
 * Asks again for refunds that services have not confirmed. Where that could pay twice, after a process died in between, they are
 * reported to administrators. Returns how many there are.
 */
export async function continueRefunds(deps: PayDeps, signal?: AbortSignal): Promise<number> {
  const begun = await deps.db
    .select()
    .from(topUpOrders)
    .where(and(gt(topUpOrders.refundStartedTime, 0), eq(topUpOrders.refundedTime, 0)));
  for (const order of begun) {
    if (signal?.aborted) break;
    const payer = payerOf(order.method, deps.settings);
    if (payer?.isRepeatable) await payBack(deps, order, payer);
    else if (nowSeconds() - order.refundStartedTime >= UNCLEAR_AFTER_S) await reportUnclear(deps, order);
  }
  return begun.length;
}
