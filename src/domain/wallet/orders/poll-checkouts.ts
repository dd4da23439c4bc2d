import { and, eq, gt, like, lt, lte, ne, or } from "drizzle-orm";
import type Stripe from "stripe";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { WalletDeps } from "../operation.ts";
import { moneyOf } from "../payments/currency-units.ts";
import { closeOrder } from "../payments/start-order.ts";
import { type StripeDeps, stripeClient, takesCards } from "../payments/stripe.ts";
import { type Settlement, settlePaidOrder } from "./settle-order.ts";

type CheckoutDeps = StripeDeps & WalletDeps;

const SETTLING_S = 300;
/** Each minute for as long as most people pay, then every ten minutes. */
const FRESH_S = 1800;
const SLOW_EVERY_S = 600;
/** A page is open for a day, and slow ways to pay need days after it. */
const OLDEST_S = 8 * 86_400;

/** Credits the order that a page of Stripe's was paid for, once. A merchant's account may sell other things too: none of ours. */
export async function settleCheckout(
  deps: WalletDeps & Pick<StripeDeps, "log">,
  { id, client_reference_id, currency: code, amount_total: amount }: Stripe.Checkout.Session,
): Promise<Settlement> {
  const tradeNo = client_reference_id ?? "";
  const currency = (code ?? "").toUpperCase();
  const outcome = await settlePaidOrder(deps, {
    ...{ tradeNo, methods: ["stripe"], money: moneyOf(amount ?? -1, currency), currency, gatewayNo: id },
  });
  if (outcome === "wrong amount" || outcome === "paid again")
    deps.log.warn({ tradeNo, amount, currency }, "a payment does not fit its order");
  return outcome;
}

/**
 * Asks Stripe for pages to pay top-ups on whose payment its webhook should have reported and may not have. Returns how many were asked
 * for.
 */
export async function pollCheckouts(deps: CheckoutDeps, signal?: AbortSignal, now = nowSeconds()): Promise<number> {
  const { db, settings, log } = deps;
  if (!takesCards(settings)) return 0;
  const isSlowTurn = now % SLOW_EVERY_S < 60;
  const due = await db
    .select({ tradeNo: topUpOrders.tradeNo, sessionNo: topUpOrders.gatewayNo })
    .from(topUpOrders)
    .where(
      and(
        // One that expired here may have been paid all the same; charges of saved cards have no page.
        ...[ne(topUpOrders.status, "success"), ne(topUpOrders.status, "failed")],
        ...[eq(topUpOrders.method, "stripe"), like(topUpOrders.gatewayNo, "cs\\_%")],
        lte(topUpOrders.createdTime, now - SETTLING_S),
        gt(topUpOrders.createdTime, now - (isSlowTurn ? OLDEST_S : FRESH_S)),
      ),
    );
  if (due.length === 0) return 0;
  const stripe = await stripeClient(deps);
  for (const { tradeNo, sessionNo } of due) {
    if (signal?.aborted) break;
    try {
      const session = await stripe.checkout.sessions.retrieve(sessionNo);
      if (session.payment_status === "paid") await settleCheckout(deps, session);
      else if (session.status === "expired") await closeOrder(db, tradeNo, "failed");
    } catch (error) {
      log.warn({ tradeNo, reason: messageOf(error) }, "a page to pay on could not be looked up");
    }
  }
  return due.length;
}

/** Nobody pays an order that is older; one that is paid all the same still counts. */
const STALE_SECONDS = 86_400;
/** Transfers to the operator take days. */
const STALE_MANUAL_SECONDS = 30 * 86_400;

/** Marks orders that nobody has paid for a day as expired (to the operator: 30 days), and returns how many. */
export async function expireOrders(db: Db, nowSeconds: number): Promise<number> {
  const expired = await db
    .update(topUpOrders)
    .set({ status: "expired" })
    .where(
      and(
        ...[eq(topUpOrders.status, "pending"), lt(topUpOrders.createdTime, nowSeconds - STALE_SECONDS)],
        or(ne(topUpOrders.method, "manual"), lt(topUpOrders.createdTime, nowSeconds - STALE_MANUAL_SECONDS)),
      ),
    )
    .returning({ id: topUpOrders.id });
  return expired.length;
}
