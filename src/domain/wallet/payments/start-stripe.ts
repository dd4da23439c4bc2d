import { and, eq } from "drizzle-orm";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
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

const isUnpaid = (tradeNo: string) => and(eq(topUpOrders.tradeNo, tradeNo), eq(topUpOrders.status, "pending"));

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
        // Which ways to pay the page offers is chosen in Stripe's dashboard; WeChat Pay must know where its code is shown
        // (https://docs.stripe.com/payments/wechat-pay/accept-a-payment).
        payment_method_options: { wechat_pay: { client: "web" } },
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
    // Its payment may have to be looked up.
    await db.update(topUpOrders).set({ gatewayNo: session.id }).where(isUnpaid(tradeNo));
    return session.url;
  } catch (error) {
    await closeOrder(db, tradeNo, "failed");
    log.warn({ tradeNo, reason: messageOf(error) }, "a payment by card could not be started");
    throw new OperationError("payment_request_failed");
  }
}
