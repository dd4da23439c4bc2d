import { OperationError } from "../../../lib/operation-error.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { amountText } from "../amount-text.ts";
import { closeOrder } from "../orders/close-order.ts";
import { startOrder } from "../orders/start-order.ts";
import { smallestUnits } from "./currency-units.ts";
import type { Payment } from "./start-epay.ts";
import { type StripeDeps, stripeClient } from "./stripe-client.ts";
import { quoteWithTax } from "./tax/tax.ts";

/** Whether payment by card is set up; without the webhook's secret no payment could be believed. */
export const takesCards = (settings: SettingsReader): boolean =>
  settings.get("StripeSecretKey") !== "" && settings.get("StripeWebhookSecret") !== "";

/** Starts an order to be paid by card and returns the address of the page to pay on. Throws OperationError. */
export async function startStripe(deps: StripeDeps, { user, amount, site }: Payment): Promise<string> {
  const { db, settings, log } = deps;
  if (!takesCards(settings)) throw new OperationError("card_top_up_disabled");
  const quote = await quoteWithTax({ db, settings }, user, amount, "stripe");
  const tradeNo = await startOrder(db, user.id, quote, "stripe");
  try {
    const session = await (await stripeClient(deps)).checkout.sessions.create(
      {
        mode: "payment",
        client_reference_id: tradeNo,
        // Stripe copies it to the charge, where refunds are reported.
        payment_intent_data: { metadata: { order: tradeNo } },
        success_url: `${site}/topup?order=${tradeNo}`,
        cancel_url: `${site}/topup`,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: quote.currency.toLowerCase(),
              unit_amount: smallestUnits(quote.money, quote.currency),
              product_data: { name: `${settings.get("SystemName")} ${amountText(settings, quote.quotaUnits)}` },
            },
          },
        ],
      },
      { idempotencyKey: tradeNo },
    );
    if (!session.url) throw new Error("the answer names no page to pay on");
    return session.url;
  } catch (error) {
    await closeOrder(db, tradeNo, "failed");
    log.warn({ tradeNo, reason: messageOf(error) }, "a payment by card could not be started");
    throw new OperationError("payment_request_failed");
  }
}
