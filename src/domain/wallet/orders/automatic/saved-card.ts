import { and, asc, desc, eq, gt, isNotNull, lte, ne, or } from "drizzle-orm";
import type Stripe from "stripe";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { autoTopUps, cardSetups, savedCards } from "../../../../../db/schema/wallet/saved-cards.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { LOG_TYPE, writeLog } from "../../../logs/write-log.ts";
import { type StripeDeps, stripeClient, takesCards } from "../../payments/stripe.ts";
import { RESUMED } from "./pause.ts";

export type SavedCard = typeof savedCards.$inferSelect;

/** Who changes what an account pays with: themselves, or a member of an organization. */
export type Payer = Readonly<{ id: number; username: string }>;

/** A page of Stripe is open for a day. */
const PAGE_OPEN_S = 90_000;
const SETTLING_S = 60;

/** The card that an account pays with; null: none is saved. */
export async function findSavedCard(db: DbOrTx, userId: number): Promise<SavedCard | null> {
  const [card] = await db
    .select()
    .from(savedCards)
    .where(and(eq(savedCards.userId, userId), eq(savedCards.removedAt, 0)));
  return card ?? null;
}

/**
 * Opens a page of Stripe on which an account saves a card for later charges (Checkout in setup mode,
 * https://docs.stripe.com/payments/save-and-reuse), and returns its address. Throws OperationError.
 */
export async function startCardSetup(deps: StripeDeps, userId: number, site: string): Promise<string> {
  const { db, settings, log } = deps;
  if (!takesCards(settings)) throw new OperationError("card_top_up_disabled");
  const customer = await findCustomer(db, userId);
  try {
    const session = await (await stripeClient(deps)).checkout.sessions.create({
      mode: "setup",
      currency: settings.get("StripeCurrency").toLowerCase(),
      allowed_payment_method_types: ["card"],
      ...(customer === null ? { customer_creation: "always" as const } : { customer }),
      success_url: `${site}/topup?card=saved`,
      cancel_url: `${site}/topup`,
    });
    if (!session.url) throw new Error("the response names no page");
    await db.insert(cardSetups).values({ userId, sessionNo: session.id, createdAt: nowSeconds() });
    return session.url;
  } catch (error) {
    log.warn({ userId, reason: messageOf(error) }, "the page to save a card could not be opened");
    throw new OperationError("card_setup_failed");
  }
}

/** Stripe's number of the account, as of its newest card or plan; null: it has none. */
async function findCustomer(db: Db, userId: number): Promise<string | null> {
  const [card] = await db
    .select({ customerNo: savedCards.customerNo })
    .from(savedCards)
    .where(eq(savedCards.userId, userId))
    .orderBy(desc(savedCards.id))
    .limit(1);
  if (card) return card.customerNo;
  const [order] = await db
    .select({ customerNo: planOrders.customerNo })
    .from(planOrders)
    .where(and(eq(planOrders.userId, userId), ne(planOrders.customerNo, "")))
    .orderBy(desc(planOrders.id))
    .limit(1);
  return order?.customerNo ?? null;
}

/**
 * Looks up at Stripe what came of a page to save a card, and saves the card: once, however often it is reported. Pages that
 * are not ours are ignored. Rejects when Stripe does not respond.
 */
export async function applyCardSetup(deps: StripeDeps, sessionNo: string): Promise<void> {
  const { db } = deps;
  const isOpen = and(eq(cardSetups.sessionNo, sessionNo), eq(cardSetups.doneAt, 0));
  const [known] = await db.select({ id: cardSetups.id }).from(cardSetups).where(isOpen);
  if (!known) return;
  const stripe = await stripeClient(deps);
  const session = await stripe.checkout.sessions.retrieve(sessionNo, { expand: ["setup_intent.payment_method"] });
  if (session.status === "open") return;
  const card = readCard(session);
  await db.transaction(async (tx) => {
    const [setup] = await tx.select().from(cardSetups).where(isOpen).for("update");
    if (!setup) return;
    const now = nowSeconds();
    await tx.update(cardSetups).set({ doneAt: now }).where(eq(cardSetups.id, setup.id));
    if (!card) return;
    const { userId } = setup;
    // The account is locked: two pages may be completed at the same time.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
    const present = await findSavedCard(tx, userId);
    const isOlder = present !== null && present.setupId > setup.id;
    if (present && !isOlder) {
      await tx.update(savedCards).set({ removedAt: now }).where(eq(savedCards.id, present.id));
    }
    // The card of an older page is stored as removed, so that Stripe forgets it too.
    await tx
      .insert(savedCards)
      .values({ ...card, userId, setupId: setup.id, savedAt: now, removedAt: isOlder ? now : 0 })
      .onConflictDoNothing();
    if (isOlder) return;
    await tx
      .update(autoTopUps)
      .set(RESUMED)
      .where(and(eq(autoTopUps.userId, userId), gt(autoTopUps.pausedAt, 0)));
    const name = `${card.brand} ${card.lastFour}`;
    await writeLog(tx, {
      ...{ type: LOG_TYPE.management, userId, content: `Saved the card ${name} for automatic top-up` },
      note: { code: "card_saved", params: { card: name } },
      other: { target: "card", action: "create" },
    });
  });
}

/** The card of a completed page; null: there is none. */
function readCard(session: Stripe.Checkout.Session) {
  const { setup_intent: intent, customer } = session;
  if (session.status !== "complete" || !intent || typeof intent === "string" || intent.status !== "succeeded") {
    return null;
  }
  const { payment_method: method } = intent;
  const customerNo = typeof customer === "string" ? customer : (customer?.id ?? "");
  if (!method || typeof method === "string" || !method.card || customerNo === "") return null;
  const { brand, last4, exp_month, exp_year } = method.card;
  return {
    ...{ customerNo, paymentMethodNo: method.id, brand, lastFour: last4 },
    ...{ expiryMonth: exp_month, expiryYear: exp_year },
  };
}

/** Looks up the pages that an account has open, when it returns from one. Throws OperationError. */
export async function confirmCardSetups(deps: StripeDeps, userId: number): Promise<void> {
  const open = await deps.db
    .select({ sessionNo: cardSetups.sessionNo })
    .from(cardSetups)
    .where(and(eq(cardSetups.userId, userId), eq(cardSetups.doneAt, 0)))
    .orderBy(asc(cardSetups.id));
  try {
    for (const { sessionNo } of open) await applyCardSetup(deps, sessionNo);
  } catch (error) {
    deps.log.warn({ userId, reason: messageOf(error) }, "a saved card could not be looked up");
    throw new OperationError("card_setup_failed");
  }
}

/**
 * Removes an account's card and turns automatic top-up off: nothing is charged from then on. Stripe is asked to forget the
 * card by `pollSavedCards`. Throws OperationError.
 */
export async function removeSavedCard({ db }: Readonly<{ db: Db }>, userId: number, by: Payer): Promise<void> {
  await db.transaction(async (tx) => {
    const now = nowSeconds();
    await tx
      .update(autoTopUps)
      .set({ ...RESUMED, isOn: false })
      .where(eq(autoTopUps.userId, userId));
    // A page that was left open saves no card any more.
    await tx
      .update(cardSetups)
      .set({ doneAt: now })
      .where(and(eq(cardSetups.userId, userId), eq(cardSetups.doneAt, 0)));
    const [card] = await tx
      .update(savedCards)
      .set({ removedAt: now })
      .where(and(eq(savedCards.userId, userId), eq(savedCards.removedAt, 0)))
      .returning();
    if (!card) throw new OperationError("auto_top_up_no_card");
    const name = `${card.brand} ${card.lastFour}`;
    await writeLog(tx, {
      ...{ type: LOG_TYPE.management, userId, content: `${by.username} removed the card ${name}` },
      note: { code: "card_removed", params: { by: by.username, card: name } },
      other: { target: "card", action: "delete", by: by.id },
    });
  });
}

/**
 * Finds out what came of pages to save a card that nothing was reported of, and has Stripe detach removed cards and those of
 * deleted accounts. What fails is tried again by the next run.
 */
export async function pollSavedCards(deps: StripeDeps, signal?: AbortSignal, now = nowSeconds()): Promise<void> {
  const { db, log } = deps;
  const open = await db
    .select({ sessionNo: cardSetups.sessionNo, createdAt: cardSetups.createdAt })
    .from(cardSetups)
    .where(and(eq(cardSetups.doneAt, 0), lte(cardSetups.createdAt, now - SETTLING_S)));
  for (const { sessionNo, createdAt } of open) {
    if (signal?.aborted) return;
    try {
      await applyCardSetup(deps, sessionNo);
      if (createdAt > now - PAGE_OPEN_S) continue;
      await db.update(cardSetups).set({ doneAt: now }).where(eq(cardSetups.sessionNo, sessionNo));
    } catch (error) {
      log.warn({ sessionNo, reason: messageOf(error) }, "a saved card could not be looked up");
    }
  }
  const removed = await db
    .select({ id: savedCards.id, paymentMethodNo: savedCards.paymentMethodNo })
    .from(savedCards)
    .innerJoin(users, eq(users.id, savedCards.userId))
    .where(or(gt(savedCards.removedAt, 0), isNotNull(users.deletedAt)));
  if (removed.length === 0) return;
  const stripe = await stripeClient(deps);
  for (const { id, paymentMethodNo } of removed) {
    if (signal?.aborted) return;
    try {
      await detach(stripe, paymentMethodNo);
      await db.delete(savedCards).where(eq(savedCards.id, id));
    } catch (error) {
      log.warn({ paymentMethodNo, reason: messageOf(error) }, "a removed card could not be detached");
    }
  }
}

/** Detaches a card; one that Stripe does not know, or has detached before, counts as detached. */
async function detach(stripe: Stripe, paymentMethodNo: string): Promise<void> {
  try {
    await stripe.paymentMethods.detach(paymentMethodNo);
  } catch (error) {
    const { default: StripeClass } = await import("stripe");
    if (!(error instanceof StripeClass.errors.StripeInvalidRequestError)) throw error;
  }
}
