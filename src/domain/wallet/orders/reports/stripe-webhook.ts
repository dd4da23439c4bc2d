import type Stripe from "stripe";
import { nowSeconds } from "../../../../lib/clock.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { WalletDeps } from "../../operation.ts";
import { closeOrder } from "../../payments/start-order.ts";
import type { StripeDeps } from "../../payments/stripe.ts";
import { handlePlanEvent } from "../../plans/card/stripe/events.ts";
import { applyIntent } from "../automatic/apply-charge.ts";
import { applyCardSetup } from "../automatic/saved-card.ts";
import { settleCheckout } from "../poll-checkouts.ts";

/** As far as a signature may be from the future, seconds: as far as it may be from the past. */
const CLOCKS_DIFFER_S = 300;

/** The time that a signature names, which it covers (https://docs.stripe.com/webhooks#verify-manually); epoch seconds. */
const signedAt = (signature: string): number => Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? Infinity);

/**
 * Handles Stripe's webhook about a checkout or a saved card; `text` is the raw body, `signature` its header. True:
 * understood; false: refused, because the signature is wrong, too old or from the future, or Stripe could not be asked for the card: then it
 * reports again. A payment that does not fit its order is understood: it waits for an administrator.
 */
export async function handleStripeWebhook(
  deps: WalletDeps & StripeDeps,
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
  // The library refuses old signatures only.
  if (signedAt(signature) > nowSeconds() + CLOCKS_DIFFER_S) return false;
  await handlePlanEvent(deps, event);
  switch (event.type) {
    case "checkout.session.completed":
      if (event.data.object.mode === "subscription") return true;
      if (event.data.object.mode === "setup") return saveCard(deps, event.data.object.id);
      // Slow ways to pay are completed first and paid days later, which has an event of its own.
      if (event.data.object.payment_status === "paid") await settleCheckout(deps, event.data.object);
      return true;
    case "checkout.session.async_payment_succeeded":
      await settleCheckout(deps, event.data.object);
      return true;
    case "checkout.session.expired":
      await closeOrder(deps.db, event.data.object.client_reference_id ?? "", "expired");
      return true;
    case "checkout.session.async_payment_failed":
      await closeOrder(deps.db, event.data.object.client_reference_id ?? "", "failed");
      return true;
    case "payment_intent.succeeded":
    case "payment_intent.payment_failed":
    case "payment_intent.canceled":
      await applyIntent(deps, event.data.object);
      return true;
    default:
      return true;
  }
}

async function saveCard(deps: StripeDeps, sessionNo: string): Promise<boolean> {
  try {
    await applyCardSetup(deps, sessionNo);
    return true;
  } catch (error) {
    deps.log.warn({ sessionNo, reason: messageOf(error) }, "a saved card could not be looked up");
    return false;
  }
}
