import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import type { WalletDeps } from "../../../operation.ts";
import { type StripeDeps, stripeClient, takesCards } from "../../../payments/stripe.ts";
import { findCustomer } from "../checkout/checkout.ts";
import { cancelAtPaypal } from "../paypal/subscription.ts";
import { dropChanges } from "./stripe-change.ts";

/** The address of Stripe's page where an account changes its card, reads invoices and cancels. Throws OperationError. */
export async function openCardPortal(deps: StripeDeps, userId: number, site: string): Promise<string> {
  const customer = takesCards(deps.settings) ? await findCustomer(deps, userId) : null;
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

/**
 * Tells the service whether a subscription is to be renewed. At PayPal the end of it is final. Throws OperationError: then nothing
 * has changed.
 */
export const setCardRenewal = (
  deps: StripeDeps & WalletDeps,
  orderId: number,
  isRenewed: boolean,
  now = nowSeconds(),
): Promise<void> =>
  changeAtService(deps, orderId, {
    stripe: async (stripe, order) => {
      if (!isRenewed) await dropChanges(deps, stripe, order, now);
      const { subscriptionNo } = order;
      await stripe.subscriptions.update(subscriptionNo, {
        cancel_at_period_end: !isRenewed,
        ...(!isRenewed && { pause_collection: "" }),
      });
    },
    async paypal(order) {
      if (isRenewed) throw new OperationError("plan_paypal_final");
      await cancelAtPaypal(deps, order);
    },
  });

/** PayPal's own pause is the subscriber's: they end it there too. */
const refusePause = async (): Promise<void> => {
  throw new OperationError("plan_paypal_no_pause");
};

/**
 * Tells Stripe whether to collect the next periods' payments (https://docs.stripe.com/billing/subscriptions/pause-payment); the
 * invoices of a pause are voided. Throws OperationError: then nothing has changed.
 */
export const setCardPause = (deps: StripeDeps, orderId: number, isPaused: boolean): Promise<void> =>
  changeAtService(deps, orderId, {
    stripe: async (stripe, { subscriptionNo }) => {
      await stripe.subscriptions.update(subscriptionNo, { pause_collection: isPaused ? { behavior: "void" } : "" });
    },
    paypal: refusePause,
  });

/**
 * Ends a pause after the paid period: Stripe begins a period now and charges it at once. `since`: what the pause began with, so
 * that asking again does not charge again. Throws OperationError: then it is still paused.
 */
export const resumeCard = (deps: StripeDeps, orderId: number, since: number): Promise<void> =>
  changeAtService(deps, orderId, {
    paypal: refusePause,
    async stripe(stripe, { subscriptionNo }) {
      await stripe.subscriptions.update(subscriptionNo, { pause_collection: "" });
      try {
        await stripe.subscriptions.update(
          subscriptionNo,
          {
            billing_cycle_anchor: { type: "now" },
            proration_behavior: "none",
            payment_behavior: "error_if_incomplete",
          },
          { idempotencyKey: `resume-${subscriptionNo}-${since}` },
        );
      } catch (error) {
        await stripe.subscriptions.update(subscriptionNo, { pause_collection: { behavior: "void" } });
        throw error;
      }
    },
  });

type Order = typeof planOrders.$inferSelect;

async function changeAtService(
  deps: StripeDeps,
  orderId: number,
  change: Readonly<{
    stripe: (stripe: Stripe, order: Order) => Promise<void>;
    paypal: (order: Order) => Promise<void>;
  }>,
): Promise<void> {
  const [order] = await deps.db.select().from(planOrders).where(eq(planOrders.id, orderId));
  if (!order || order.subscriptionNo === "") throw new OperationError("plan_no_card");
  try {
    if (order.service === "paypal") await change.paypal(order);
    else await change.stripe(await stripeClient(deps), order);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    deps.log.warn(
      { tradeNo: order.tradeNo, reason: messageOf(error) },
      "a subscription at a service could not be changed",
    );
    throw new OperationError("payment_request_failed");
  }
}
