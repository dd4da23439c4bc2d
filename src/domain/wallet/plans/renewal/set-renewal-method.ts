import { eq } from "drizzle-orm";
import { type ReminderMethod, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { findRunning, lockPlanAccount } from "../plan-account.ts";
import { requireMethod } from "./order-period.ts";
import { notifyDue } from "./remind.ts";

/**
 * Has later periods of a subscription paid from the balance (`method` null), or period by period after a reminder. What is paid ahead
 * stays paid. Throws OperationError: a service renews it, it is ending, or the method is not set up.
 */
export async function setRenewalMethod(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  userId: number,
  subscriptionId: number,
  method: ReminderMethod | null,
  now = nowSeconds(),
): Promise<void> {
  if (method !== null) requireMethod(settings, method);
  await db.transaction(async (tx) => {
    const running = findRunning(await lockPlanAccount(tx, userId), subscriptionId);
    const { status, orderId, cancelAtEnd, payMethod } = running.subscription;
    if (status === "ending") throw new OperationError("subscription_not_found");
    if (orderId !== null) throw new OperationError("plan_renewed_by_service");
    if (cancelAtEnd) throw new OperationError("plan_renewal_canceled");
    await tx.update(subscriptions).set({ payMethod: method }).where(eq(subscriptions.id, subscriptionId));
    // The balance has not covered it: now the subscriber pays it.
    if (status === "past_due" && payMethod === null && method !== null) {
      const { subscription, plan } = running;
      await notifyDue(tx, settings, { plan, subscription: { ...subscription, payMethod: method } }, now);
    }
  });
}
