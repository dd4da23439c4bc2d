import { and, eq, gte, inArray, isNotNull, isNull, lt, lte, notExists, sql } from "drizzle-orm";
import { requireRow } from "../../../../../db/require-row.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { autoTopUps, cardCharges, savedCards } from "../../../../../db/schema/wallet/saved-cards.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import type { DbOrTx, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { amountText } from "../../amount-text.ts";
import { smallestUnits } from "../../payments/currency-units.ts";
import { notifyPayers } from "../../payments/notify-payers.ts";
import { quoteUnits } from "../../payments/quote.ts";
import { startOrder } from "../../payments/start-order.ts";
import { type StripeDeps, stripeClient, takesCards } from "../../payments/stripe.ts";
import { addAccountTax, type TaxedQuote } from "../../payments/tax/tax.ts";
import { applyIntent, type ChargeDeps, failCharge } from "./apply-charge.ts";
import { limitNotice, pause, readDecline } from "./pause.ts";
import type { SavedCard } from "./saved-card.ts";

export type AutoTopUpDeps = StripeDeps & ChargeDeps;

/** Accounts that are charged at the same time; one run goes through all. */
const AT_ONCE = 8;
/** Stripe is left alone for so long after it refused to be asked. */
const REFUSED_S = 600;

/** The first second (UTC) of the calendar month. */
export function monthStart(now: number): number {
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
}

/** Quota units that an account's card has bought, or is about to, since the month began. */
export async function boughtSince(db: DbOrTx, userId: number, since: number): Promise<number> {
  const { total } = requireRow(
    await db
      .select({ total: sql<number>`coalesce(sum(${topUpOrders.quota}), 0)::float8` })
      .from(topUpOrders)
      .innerJoin(cardCharges, eq(cardCharges.tradeNo, topUpOrders.tradeNo))
      .where(
        and(
          ...[eq(topUpOrders.userId, userId), gte(topUpOrders.createdTime, since)],
          inArray(topUpOrders.status, ["pending", "success"]),
        ),
      ),
  );
  return total;
}

/**
 * Charges the saved cards of accounts whose settled balance is below their threshold: one order at a time, within the limit of
 * the month. Returns how many orders were begun.
 */
export async function chargeDueTopUps(deps: AutoTopUpDeps, signal?: AbortSignal, now = nowSeconds()): Promise<number> {
  const { db, settings } = deps;
  if (!takesCards(settings)) return 0;
  const due = await db
    .select({ userId: autoTopUps.userId })
    .from(autoTopUps)
    .innerJoin(users, eq(users.id, autoTopUps.userId))
    .where(isDue(db, now))
    .orderBy(autoTopUps.userId);
  let begun = 0;
  for (let from = 0; from < due.length && !signal?.aborted; from += AT_ONCE) {
    const tradeNos = await Promise.all(due.slice(from, from + AT_ONCE).map(({ userId }) => topUp(deps, userId, now)));
    begun += tradeNos.filter((tradeNo) => tradeNo !== null).length;
  }
  return begun;
}

const isDue = (db: DbOrTx, now: number) =>
  and(
    ...[eq(autoTopUps.isOn, true), isNotNull(autoTopUps.nextTryAt), lte(autoTopUps.nextTryAt, now)],
    ...[lt(users.quota, autoTopUps.threshold), isNull(users.deletedAt), eq(users.status, 1)],
    notExists(
      db
        .select({ one: sql`1` })
        .from(topUpOrders)
        .innerJoin(cardCharges, eq(cardCharges.tradeNo, topUpOrders.tradeNo))
        .where(and(eq(topUpOrders.userId, autoTopUps.userId), eq(topUpOrders.status, "pending"))),
    ),
  );

type Charge = Readonly<{ tradeNo: string; quote: TaxedQuote; card: SavedCard }>;

/** Orders and charges one top-up of an account. Returns the order's number; null: none is due. */
async function topUp(deps: AutoTopUpDeps, userId: number, now: number): Promise<string | null> {
  const charge = await deps.db.transaction((tx) => order(deps, tx, userId, now));
  if (charge) await chargeCard(deps, charge, now);
  return charge?.tradeNo ?? null;
}

/** Writes the order down, under the lock of the account's automatic top-up: of two processes, the second finds nothing due. */
async function order({ settings }: AutoTopUpDeps, tx: Tx, userId: number, now: number): Promise<Charge | null> {
  await tx.select({ id: autoTopUps.userId }).from(autoTopUps).where(eq(autoTopUps.userId, userId)).for("update");
  const [due] = await tx
    .select({ row: autoTopUps, card: savedCards, group: users.group })
    .from(autoTopUps)
    .innerJoin(users, eq(users.id, autoTopUps.userId))
    .innerJoin(savedCards, and(eq(savedCards.userId, autoTopUps.userId), eq(savedCards.removedAt, 0)))
    .where(and(eq(autoTopUps.userId, userId), isDue(tx, now)));
  if (!due) return null;
  const { row, card, group } = due;
  const since = monthStart(now);
  if ((await boughtSince(tx, userId, since)) + row.amount > row.monthlyLimit) {
    if (row.limitNotifiedAt >= since) return null;
    await tx.update(autoTopUps).set({ limitNotifiedAt: now }).where(eq(autoTopUps.userId, userId));
    await notifyPayers(tx, userId, limitNotice(amountText(settings, row.monthlyLimit)), now);
    return null;
  }
  try {
    const quote = await addAccountTax({ db: tx, settings }, userId, quoteUnits(settings, group, row.amount, "stripe"));
    const tradeNo = await startOrder(tx, userId, quote, "stripe", now);
    const { customerNo, paymentMethodNo } = card;
    await tx.insert(cardCharges).values({ tradeNo, customerNo, paymentMethodNo });
    return { tradeNo, quote, card };
  } catch (error) {
    // The operator sells other amounts than when this one was chosen.
    if (!(error instanceof OperationError)) throw error;
    await pause(tx, row, { reason: "amount_not_allowed", isFinal: true }, `${card.brand} ${card.lastFour}`, now);
    return null;
  }
}

/**
 * Charges a card for an order without its owner (https://docs.stripe.com/api/payment_intents/create). Asking again does not
 * charge again: the order's number is the idempotency key. What Stripe does not respond to is looked up by the poller.
 */
async function chargeCard(deps: AutoTopUpDeps, { tradeNo, quote, card }: Charge, now: number): Promise<void> {
  const { settings, log } = deps;
  const { default: Stripe } = await import("stripe");
  try {
    const stripe = await stripeClient(deps);
    const intent = await stripe.paymentIntents.create(
      {
        amount: smallestUnits(quote.money, quote.currency),
        currency: quote.currency.toLowerCase(),
        customer: card.customerNo,
        payment_method: card.paymentMethodNo,
        allowed_payment_method_types: ["card"],
        off_session: true,
        confirm: true,
        description: `${settings.get("SystemName")} ${amountText(settings, quote.quotaUnits)}`,
        // Stripe copies it to the charge, where refunds are reported.
        metadata: { order: tradeNo },
      },
      { idempotencyKey: tradeNo },
    );
    await applyIntent(deps, intent, now);
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError, StripeAuthenticationError, StripePermissionError } =
      Stripe.errors;
    log.warn({ tradeNo, reason: messageOf(error) }, "a saved card could not be charged");
    if (error instanceof StripeCardError) return failCharge(deps, tradeNo, readDecline(error), now);
    if (error instanceof StripeInvalidRequestError) {
      const reason = error.code === "resource_missing" ? "card_unusable" : "charge_refused";
      return failCharge(deps, tradeNo, { reason, isFinal: true }, now);
    }
    if (
      error instanceof StripeAuthenticationError ||
      error instanceof StripePermissionError ||
      error instanceof Stripe.errors.StripeRateLimitError
    ) {
      await failCharge(deps, tradeNo, { reason: "not_charged", retryAt: now + REFUSED_S }, now);
    }
  }
}
