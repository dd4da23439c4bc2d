import type Stripe from "stripe";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { WalletDeps } from "../operation.ts";
import { closeOrder } from "../orders/close-order.ts";
import { settlePaidOrder } from "../orders/settle-order.ts";
import { handlePlanEvent } from "../plans/card/stripe-events.ts";
import { moneyOf } from "./currency-units.ts";

/**
 * Handles Stripe's webhook about a checkout; `text` is the raw body, `signature` its header. True:
 * understood; false: refused, because the signature is wrong or too old, or the payment does not fit its order.
 */
export async function handleStripeWebhook(
  deps: WalletDeps & Readonly<{ log: Logger }>,
  text: string,
  signature: string,
): Promise<boolean> {
  const secret = deps.settings.get("StripeWebhookSecret");
  if (secret === "") return false;
  const { default: Stripe } = await import("stripe");
  let event: Stripe.Event;
  try {
    event = await Stripe.webhooks.constructEventAsync(text, signature, secret);
  } catch {
    return false;
  }
  await handlePlanEvent(deps, event);
  switch (event.type) {
    case "checkout.session.completed":
      if (event.data.object.mode === "subscription") return true;
      // Slow ways to pay are completed first and paid days later, which is told by an event of its own.
      return event.data.object.payment_status === "paid" ? settle(deps, event.data.object) : true;
    case "checkout.session.async_payment_succeeded":
      return settle(deps, event.data.object);
    case "checkout.session.expired":
      await closeOrder(deps.db, event.data.object.client_reference_id ?? "", "expired");
      return true;
    case "checkout.session.async_payment_failed":
      await closeOrder(deps.db, event.data.object.client_reference_id ?? "", "failed");
      return true;
    default:
      return true;
  }
}

async function settle(
  deps: WalletDeps & Readonly<{ log: Logger }>,
  session: Stripe.Checkout.Session,
): Promise<boolean> {
  const tradeNo = session.client_reference_id ?? "";
  const currency = (session.currency ?? "").toUpperCase();
  const outcome = await settlePaidOrder(deps, {
    tradeNo,
    methods: ["stripe"],
    money: moneyOf(session.amount_total ?? -1, currency),
    currency,
    gatewayNo: session.id,
  });
  // An account may sell other things too: their payments are none of ours.
  if (outcome !== "wrong amount") return true;
  deps.log.warn({ tradeNo, amount: session.amount_total, currency }, "a payment does not fit its order");
  return false;
}
