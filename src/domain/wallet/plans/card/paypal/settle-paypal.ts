import { asc, desc, eq } from "drizzle-orm";
import { planOrders, planPayments } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../../db/types.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import type { PlanOrder } from "../driver.ts";
import { endChange, noteNext } from "../reports/open-changes.ts";

/** How long a page of PayPal's to approve a change is waited for; one that is approved later counts all the same. */
const APPROVAL_S = 86_400;

/** All orders of a subscription at PayPal, in the order of its plans: the one that began it, and those that changed it. */
export const listOrdersOf = (db: Db, { sessionNo }: PlanOrder): Promise<PlanOrder[]> =>
  db.select().from(planOrders).where(eq(planOrders.sessionNo, sessionNo)).orderBy(asc(planOrders.id));

/**
 * Compares changes of a subscription's plan with the plan that PayPal says it has, `planNo`: one that was approved begins with the next
 * payment; it ends when the plan before was approved again, or another; one that nobody approves ends.
 */
export async function settlePaypalChanges(
  db: Db,
  orders: readonly PlanOrder[],
  planNo: string | null,
  now: number,
): Promise<void> {
  const [running] = await db
    .select({ orderId: subscriptions.orderId })
    .from(subscriptions)
    .innerJoin(planOrders, eq(planOrders.id, subscriptions.orderId))
    .where(eq(planOrders.sessionNo, orders[0]?.sessionNo ?? ""))
    .orderBy(desc(subscriptions.id))
    .limit(1);
  const changes = orders.filter(({ replacesId }) => replacesId !== null && replacesId === running?.orderId);
  const approved = changes.find(({ priceNo }) => priceNo !== "" && priceNo === planNo);
  for (const change of changes) {
    const isLate = change.status === "pending" && change.createdAt <= now - APPROVAL_S;
    const isOver = change.status === "next" || (change.status === "pending" && approved !== undefined) || isLate;
    if (change.id !== approved?.id && isOver) await endChange(db, change);
  }
  if (approved && (approved.status === "pending" || approved.status === "ended")) await noteNext(db, approved);
}

type Paid = Readonly<{ id: string; money: string; currency: string; periodStart: number }>;

/**
 * Which of a subscription's `orders` a payment is for: PayPal does not say it. The amount does; of several with the same, it is for the
 * newest that was ordered before the period began and was approved. Without one it is for the first, whose amount it is not.
 */
export async function findPaidOrder(
  db: Db,
  orders: readonly PlanOrder[],
  { id, money, currency, periodStart }: Paid,
): Promise<PlanOrder | undefined> {
  const [recorded] = await db
    .select({ orderId: planPayments.orderId })
    .from(planPayments)
    .where(eq(planPayments.invoiceNo, id));
  if (recorded) return orders.find((order) => order.id === recorded.orderId);
  const units = smallestUnits(money, currency);
  const costs = (text: string | null, order: PlanOrder) =>
    text !== null && smallestUnits(text, order.currency) === units;
  const fitting = orders.filter((order) => costs(order.money, order) || costs(order.firstMoney, order));
  const approved = fitting.filter(
    ({ replacesId, createdAt, status }) =>
      replacesId === null || (createdAt < periodStart && ["next", "active", "replaced"].includes(status)),
  );
  return approved.at(-1) ?? fitting[0] ?? orders[0];
}
