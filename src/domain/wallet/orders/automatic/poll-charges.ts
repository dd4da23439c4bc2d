import { and, eq, gt, lte, ne } from "drizzle-orm";
import type Stripe from "stripe";
import { cardCharges } from "../../../../../db/schema/wallet/saved-cards.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { stripeClient, takesCards } from "../../payments/stripe.ts";
import { applyIntent, failCharge } from "./apply-charge.ts";
import type { AutoTopUpDeps } from "./charge-due.ts";

/** Longer than a request to Stripe and its retry take: what Stripe does not know by then has not been sent. */
const SETTLING_S = 120;
const FRESH_S = 3600;
/** Stripe settles a charge of a card at once; this also covers an outage. */
const OLDEST_S = 3 * 86_400;
const SLOW_EVERY_S = 600;
/** Clocks differ. */
const SKEW_S = 300;
const RETRY_S = 300;
const PAGE = 100;

/**
 * Asks Stripe what came of charges that neither a response nor a webhook has settled: after a crash between the charge and the
 * book, or when webhooks don't come. Those of the last hour each time, older ones every ten minutes. A charge that Stripe does
 * not know was never sent: its order fails, and the next is begun if the balance is still low. Returns how many it asked for.
 */
export async function pollCharges(deps: AutoTopUpDeps, signal?: AbortSignal, now = nowSeconds()): Promise<number> {
  const { db, settings, log } = deps;
  if (!takesCards(settings)) return 0;
  const isSlowTurn = now % SLOW_EVERY_S < SETTLING_S;
  const open = await db
    .select({ charge: cardCharges, status: topUpOrders.status, createdTime: topUpOrders.createdTime })
    .from(cardCharges)
    .innerJoin(topUpOrders, eq(topUpOrders.tradeNo, cardCharges.tradeNo))
    .where(
      and(
        // One that has failed or expired here may have been paid all the same.
        ne(topUpOrders.status, "success"),
        lte(topUpOrders.createdTime, now - SETTLING_S),
        gt(topUpOrders.createdTime, now - (isSlowTurn ? OLDEST_S : FRESH_S)),
      ),
    )
    .orderBy(topUpOrders.createdTime);
  if (open.length === 0) return 0;
  const stripe = await stripeClient(deps);
  for (const { charge, status, createdTime } of open) {
    if (signal?.aborted) break;
    const { tradeNo } = charge;
    try {
      const intent = await findIntent(stripe, charge, createdTime);
      if (intent) await applyIntent(deps, intent, now);
      else if (status === "pending") {
        await failCharge(deps, tradeNo, { reason: "not_charged", retryAt: now + RETRY_S }, now);
      }
    } catch (error) {
      log.warn({ tradeNo, reason: messageOf(error) }, "a charge of a saved card could not be looked up");
    }
  }
  return open.length;
}

/** The payment of an order, by its number or among those of its customer; undefined: Stripe has none. */
async function findIntent(
  stripe: Stripe,
  { tradeNo, customerNo, intentNo }: typeof cardCharges.$inferSelect,
  createdTime: number,
): Promise<Stripe.PaymentIntent | undefined> {
  if (intentNo !== "") return stripe.paymentIntents.retrieve(intentNo);
  const listed = stripe.paymentIntents.list({
    ...{ customer: customerNo, created: { gte: createdTime - SKEW_S }, limit: PAGE },
  });
  for await (const intent of listed) if (intent.metadata.order === tradeNo) return intent;
  return undefined;
}
