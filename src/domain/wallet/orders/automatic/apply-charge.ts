import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import { autoTopUps, cardCharges, savedCards } from "../../../../../db/schema/wallet/saved-cards.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import type { WalletDeps } from "../../operation.ts";
import { moneyOf } from "../../payments/currency-units.ts";
import { settlePaidOrder } from "../settle-order.ts";
import { type PauseReason, pause, RESUMED, readDecline } from "./pause.ts";

export type ChargeDeps = WalletDeps & Readonly<{ log: Logger }>;

/** Why an order was not paid. `retryAt`: nobody is to blame, and it is tried again then; epoch seconds. */
export type ChargeFailure =
  | Readonly<{ reason: PauseReason; isFinal: boolean }>
  | Readonly<{ reason: "not_charged"; retryAt: number }>;

/**
 * Applies the state of a payment to the order of a saved card that it is for, however often and in whatever order webhook,
 * response and poller report it: credits the order once, or notes that it failed. Payments of other orders are ignored. What
 * does not fit its order waits for an administrator.
 */
export async function applyIntent(deps: ChargeDeps, intent: Stripe.PaymentIntent, now = nowSeconds()): Promise<void> {
  const { db, log } = deps;
  const tradeNo = intent.metadata.order ?? "";
  const [known] = await db
    .select({ order: topUpOrders, intentNo: cardCharges.intentNo })
    .from(cardCharges)
    .innerJoin(topUpOrders, eq(topUpOrders.tradeNo, cardCharges.tradeNo))
    .where(eq(cardCharges.tradeNo, tradeNo));
  if (!known) return;
  const { order } = known;
  if (known.intentNo === "") {
    await db
      .update(cardCharges)
      .set({ intentNo: intent.id })
      .where(and(eq(cardCharges.tradeNo, tradeNo), eq(cardCharges.intentNo, "")));
  }
  if (intent.status === "processing") return;
  if (intent.status !== "succeeded") {
    // A payment that another one of the order has replaced says nothing of the order.
    if (known.intentNo !== "" && known.intentNo !== intent.id) return;
    await failCharge(deps, tradeNo, readDecline(intent.last_payment_error ?? {}), now);
    return;
  }
  const currency = intent.currency.toUpperCase();
  const outcome = await settlePaidOrder(deps, {
    ...{ tradeNo, methods: ["stripe"], money: moneyOf(intent.amount_received, currency), currency },
    gatewayNo: intent.id,
  });
  if (outcome === "credited") {
    // A card that pays has no declines behind it.
    await db.update(autoTopUps).set(RESUMED).where(eq(autoTopUps.userId, order.userId));
    return;
  }
  if (outcome !== "wrong amount" && outcome !== "paid again") return;
  log.warn({ tradeNo, intent: intent.id, outcome, currency }, "a charge of a saved card does not fit its order");
}

/**
 * Notes that an order was not paid, once: a declined card pauses automatic top-up and notifies those who pay. Has no effect on
 * an order that is paid, or whose failure is known.
 */
export async function failCharge(
  { db }: ChargeDeps,
  tradeNo: string,
  failure: ChargeFailure,
  now = nowSeconds(),
): Promise<void> {
  await db.transaction(async (tx) => {
    const [order] = await tx
      .update(topUpOrders)
      .set({ status: "failed" })
      .where(and(eq(topUpOrders.tradeNo, tradeNo), eq(topUpOrders.status, "pending")))
      .returning({ userId: topUpOrders.userId });
    if (!order) return;
    const { userId } = order;
    const isOn = and(eq(autoTopUps.userId, userId), eq(autoTopUps.isOn, true));
    if (failure.reason === "not_charged") {
      await tx.update(autoTopUps).set({ nextTryAt: failure.retryAt }).where(isOn);
      return;
    }
    const [row] = await tx.select().from(autoTopUps).where(isOn).for("update");
    const [card] = await tx
      .select({ brand: savedCards.brand, lastFour: savedCards.lastFour })
      .from(savedCards)
      .innerJoin(cardCharges, eq(cardCharges.paymentMethodNo, savedCards.paymentMethodNo))
      .where(and(eq(cardCharges.tradeNo, tradeNo), eq(savedCards.removedAt, 0)));
    // It was turned off meanwhile, or the card was replaced.
    if (!row || !card) return;
    await pause(tx, row, failure, `${card.brand} ${card.lastFour}`, now);
  });
}
