import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { amountText } from "../amount-text.ts";
import { smallestUnits } from "./currency-units.ts";
import type { Payment } from "./epay.ts";
import { closeOrder, startOrder } from "./start-order.ts";
import { quoteWithTax } from "./tax/tax.ts";

const TIMEOUT_MS = 20_000;

export type StripeDeps = Readonly<{
  db: Db;
  settings: SettingsReader;
  fetch: SafeFetch;
  log: Logger;
  /** Base address of the service. */
  stripeAddress: string;
}>;

/** The official client, over the gateway's own checked connections. */
export async function stripeClient({
  settings,
  fetch,
  stripeAddress,
}: Omit<StripeDeps, "db" | "log">): Promise<Stripe> {
  const { default: Stripe } = await import("stripe");
  const { protocol, hostname, port } = new URL(stripeAddress);
  return new Stripe(settings.get("StripeSecretKey"), {
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    ...(port !== "" && { port }),
    maxNetworkRetries: 1,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(asWebFetch(fetch)),
  });
}

/** The library's requests, sent by the gateway's own checked fetch, which opens no connections ahead. */
function asWebFetch(fetch: SafeFetch): typeof globalThis.fetch {
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { body } = init;
    const answer = await fetch(input instanceof Request ? input.url : String(input), {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && body !== "" && { body }),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    return new Response(answer.text(), { status: answer.status, headers: answer.headers });
  };
  return Object.assign(send, { preconnect: () => undefined });
}

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
