import { eq } from "drizzle-orm";
import { planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import type { PlanOrder, ServiceDriver, ServiceDrivers, StripePlanDeps } from "./driver.ts";
import { paypalDriver } from "./paypal/driver.ts";
import { stripeDriver } from "./stripe/driver.ts";

/** The services that renew subscriptions. */
export const createDrivers = (deps: StripePlanDeps): ServiceDrivers => ({
  stripe: stripeDriver(deps),
  paypal: paypalDriver(deps),
});

/** Has a service do something with the subscription of an order. Throws OperationError: then nothing has changed there. */
export async function atService<T>(
  { db, log, drivers }: Readonly<{ db: Db; log: Logger; drivers: ServiceDrivers }>,
  orderId: number,
  work: (driver: ServiceDriver, order: PlanOrder) => Promise<T>,
): Promise<T> {
  const [order] = await db.select().from(planOrders).where(eq(planOrders.id, orderId));
  if (!order || order.subscriptionNo === "") throw new OperationError("plan_no_card");
  try {
    return await work(drivers[order.service], order);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const reason = messageOf(error);
    log.warn({ tradeNo: order.tradeNo, reason }, "a subscription at a service could not be changed");
    throw new OperationError("payment_request_failed");
  }
}
