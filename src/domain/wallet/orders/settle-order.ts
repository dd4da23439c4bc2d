import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { decimal, isZero, subtract } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { refuseOwnOrganization } from "../../accounts/users/own-organization.ts";
import { LOG_TYPE, writeLog, writeManagementLog } from "../../logs/write-log.ts";
import { addQuota, lockBalances } from "../balances.ts";
import { payRebate } from "../invitations/rebates.ts";
import type { WalletDeps } from "../operation.ts";
import { openCase } from "../payments/cases.ts";
import { smallestUnits } from "../payments/currency-units.ts";
import { publishPlanAccount } from "../plans/limits/overage.ts";
import { payPeriod } from "../plans/renewal/pay-period.ts";

type Order = typeof topUpOrders.$inferSelect;

/** What a payment service says was paid. */
type Paid = Readonly<{
  tradeNo: string;
  methods: readonly string[];
  /** Decimal text. */
  money: string;
  currency: string;
  /** The service's number of the payment. */
  gatewayNo: string;
}>;

export type Settlement = "credited" | "credited before" | "paid again" | "unknown order" | "wrong amount";

/**
 * Credits an order that was paid: once, however often and in whatever order payment services notify. An order that expired or
 * failed before counts when its payment came after all; one of another amount or currency, and a second payment of an order, go to
 * the queue of payment reports. The caller has verified who says so.
 */
export async function settlePaidOrder(
  { db, changes, settings }: WalletDeps,
  paid: Paid,
  now = nowSeconds(),
): Promise<Settlement> {
  const outcome = await db.transaction(async (tx) => {
    const [order] = await tx.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, paid.tradeNo)).for("update");
    if (!order || !paid.methods.includes(order.method)) return "unknown order";
    const fits = order.currency === paid.currency && isSameAmount(order.money, paid.money);
    const report = (kind: "wrong_amount" | "paid_again") => {
      const reported = { kind, reference: paid.gatewayNo || paid.tradeNo, order, now };
      return openCase(tx, { ...reported, paidUnits: unitsOf(paid), currency: paid.currency.slice(0, 10) });
    };
    if (order.status === "success") {
      if (fits && isSamePayment(order, paid)) {
        await noteGatewayNo(tx, order, paid);
        return "credited before";
      }
      await report("paid_again");
      return "paid again";
    }
    if (!fits) {
      await report("wrong_amount");
      return "wrong amount";
    }
    return creditOrder(tx, settings, order, { gatewayNo: paid.gatewayNo }, now);
  });
  if (typeof outcome === "string") return outcome;
  await publishCredit({ db, changes }, outcome);
  return "credited";
}

/**
 * Whether a payment is the one that an order was credited for. Of one that an administrator completed, or that was credited before
 * payments had numbers, the first that is reported is; PayPal's number of such an order is not yet that of its only payment.
 */
const isSamePayment = ({ gatewayNo, method, completedBy }: Order, paid: Paid): boolean =>
  gatewayNo === paid.gatewayNo ||
  gatewayNo === "" ||
  paid.gatewayNo === "" ||
  (completedBy !== null && method === "paypal");

/** So that a second payment is known as one. */
async function noteGatewayNo(tx: Tx, { id, gatewayNo, completedBy }: Order, paid: Paid): Promise<void> {
  const isNews = paid.gatewayNo !== "" && paid.gatewayNo !== gatewayNo && (gatewayNo === "" || completedBy !== null);
  if (isNews) await tx.update(topUpOrders).set({ gatewayNo: paid.gatewayNo }).where(eq(topUpOrders.id, id));
}

/** To be called with what `creditOrder` returned, after the commit: processes read balances, and the payer's plans, again. */
async function publishCredit(
  deps: Pick<WalletDeps, "db" | "changes">,
  [payer, ...rewarded]: readonly [number, ...number[]],
): Promise<void> {
  await publishPlanAccount(deps, payer);
  await deps.changes.publish("users", rewarded);
}

/**
 * Turns a locked, unpaid order into quota on the balance, or into the period of the plan that it is for, with the log row and the
 * inviter's share. Returns whom to publish with `publishCredit` after the commit.
 */
async function creditOrder(
  tx: Tx,
  settings: SettingsReader,
  order: Order,
  by: Readonly<{ gatewayNo?: string; completedBy?: number }>,
  now = nowSeconds(),
): Promise<[number, ...number[]]> {
  await lockBalances(tx, order.userId);
  await tx
    .update(topUpOrders)
    .set({ status: "success", completedTime: now, ...by })
    .where(eq(topUpOrders.id, order.id));
  if (!(await payPeriod(tx, order, now))) await addQuota(tx, order.userId, order.quota);
  await writeLog(tx, {
    type: LOG_TYPE.topUp,
    userId: order.userId,
    content: `Online top-up, paid ${order.money} ${order.currency}`,
    note: { code: "top_up", params: { money: order.money, currency: order.currency } },
    quota: order.quota,
    other: { trade_no: order.tradeNo, method: order.method },
  });
  const rewarded = await payRebate(tx, settings, {
    userId: order.userId,
    quotaUnits: order.quota,
    orderId: order.id,
  });
  return [order.userId, ...rewarded];
}

/** What was paid in the smallest coin; 0: what the service says is no amount. */
function unitsOf({ money, currency }: Paid): number {
  try {
    return Math.max(0, smallestUnits(money, currency));
  } catch {
    return 0;
  }
}

function isSameAmount(due: string, input: string): boolean {
  try {
    return isZero(subtract(decimal(due), decimal(input)));
  } catch {
    return false;
  }
}

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
    await refuseOwnOrganization(tx, actor, order.userId);
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
