import { eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import { type StripeDeps, stripeClient, takesCards } from "../../../payments/stripe.ts";
import type { ServiceDriver, StripePlanDeps } from "../driver.ts";
import { changeAtStripe, dropChanges, previewAtStripe } from "./change.ts";
import { closeStripePage, findCustomer, lookUpStripe, openStripePage } from "./subscription.ts";

/** Stripe: https://docs.stripe.com/billing/subscriptions/overview. */
export function stripeDriver(deps: StripePlanDeps): ServiceDriver {
  /** Does not collect the next periods' payments (https://docs.stripe.com/billing/subscriptions/pause-payment). */
  const paused = { pause_collection: { behavior: "void" } } as const;
  const collected = { pause_collection: "" } as const;
  return {
    isSetUp: () => takesCards(deps.settings),
    openPage: (order, plan, site) => openStripePage(deps, order, plan, site),
    closePage: (order) => closeStripePage(deps, order),
    checkChange() {},
    previewChange: (terms, at) => previewAtStripe(deps, terms, at),
    change: (terms, { from, now }) => changeAtStripe(deps, terms, from, now),
    async setRenewal(order, isRenewed, now) {
      const { subscriptions } = await stripeClient(deps);
      if (!isRenewed) await dropChanges(deps, order, now);
      const values = { cancel_at_period_end: !isRenewed, ...(!isRenewed && collected) };
      await subscriptions.update(order.subscriptionNo, values);
    },
    async setPaused({ subscriptionNo }, isPaused) {
      const { subscriptions } = await stripeClient(deps);
      await subscriptions.update(subscriptionNo, isPaused ? paused : collected);
    },
    async resume({ subscriptionNo }, since) {
      const { subscriptions } = await stripeClient(deps);
      await subscriptions.update(subscriptionNo, collected);
      try {
        await subscriptions.update(
          subscriptionNo,
          {
            billing_cycle_anchor: { type: "now" },
            proration_behavior: "none",
            payment_behavior: "error_if_incomplete",
          },
          { idempotencyKey: `resume-${subscriptionNo}-${since}` },
        );
      } catch (error) {
        await subscriptions.update(subscriptionNo, paused);
        throw error;
      }
    },
    async lookUp(order, now) {
      await lookUpStripe(deps, order, now);
      await deps.db.update(planOrders).set({ polledAt: now }).where(eq(planOrders.id, order.id));
    },
  };
}

/**
 * The address of Stripe's customer portal, where an account changes its payment methods and billing details, reads invoices and
 * cancels. Throws OperationError.
 */
export async function openCardPortal(deps: StripeDeps, userId: number, site: string): Promise<string> {
  const customer = takesCards(deps.settings) ? await findCustomer(deps.db, userId) : null;
  if (customer === null) throw new OperationError("plan_no_card");
  try {
    const portal = await (await stripeClient(deps)).billingPortal.sessions.create({
      ...{ customer, return_url: `${site}/topup?list=plans` },
    });
    return portal.url;
  } catch (error) {
    deps.log.warn({ userId, reason: messageOf(error) }, "the card portal could not be opened");
    throw new OperationError("payment_request_failed");
  }
}
