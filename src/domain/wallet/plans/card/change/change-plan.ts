import { eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../../db/schema/wallet/plans/plans.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import type { StripeDeps } from "../../../payments/stripe.ts";
import { readChange, switchPlan } from "../../change-subscription.ts";
import { quoteSeats, setSeats } from "../../seats/change-seats.ts";
import type { PlanDeps } from "../../subscribe.ts";
import { type ChangeInput, readCardTerms, textOf } from "./card-terms.ts";
import { changeAtPaypal, requirePaypalChange } from "./paypal-change.ts";
import { type Changed, changeAtStripe, previewAtStripe } from "./stripe-change.ts";

type ChangeDeps = StripeDeps & PlanDeps;
type Customer = Readonly<{ id: number; group: string }>;

/** What a change of a plan costs, before it is confirmed. */
export type ChangePreview = {
  /** The other plan begins at once, or with the next period. */
  starts: "now" | "next_period";
  /** When the next period begins, epoch seconds. */
  period_end: number;
  /** Who pays: the balance (amounts in quota units), or a service (amounts in decimal text of `currency`). */
  pays: "balance" | "stripe" | "paypal";
  due_units: number;
  price_units: number;
  due: string;
  price: string;
  currency: string;
  /** The time for which this was computed, and what the plan had paid then: a confirmation names them, so that it costs the same. */
  at: number;
  drawn_units: number;
  drawn_calls: number;
};

/** How long a preview can be confirmed. */
const PREVIEW_S = 900;

/** Computes what a change of a plan costs; nothing is changed. Throws OperationError. */
export async function previewChange(
  deps: ChangeDeps,
  user: Customer,
  input: ChangeInput,
  now = nowSeconds(),
): Promise<ChangePreview> {
  const service = await serviceOf(deps, user, input.subscriptionId);
  const none = { due_units: 0, price_units: 0, due: "", price: "", currency: "", drawn_units: 0, drawn_calls: 0 };
  if (service === null && input.seats !== undefined) {
    const { isMore, due, price, periodEnd } = await quoteSeats(
      deps.db,
      user.id,
      input.subscriptionId,
      input.seats,
      now,
    );
    return {
      ...{ ...none, starts: isMore ? "now" : "next_period", period_end: periodEnd, pays: "balance", at: now },
      ...{ price_units: price, due_units: due },
    };
  }
  if (service === null) {
    const { current, isUpgrade, price, credit } = await readChange(
      ...([deps.db, user.id, input.subscriptionId, input.planId ?? 0, now] as const),
    );
    return {
      ...{
        ...none,
        starts: isUpgrade ? "now" : "next_period",
        period_end: current.periodEnd,
        pays: "balance",
        at: now,
      },
      ...{ price_units: price, due_units: isUpgrade ? Math.max(0, price - credit) : 0 },
    };
  }
  const terms = await readCardTerms(deps, user, input, now);
  const { quote, change } = terms;
  if (service === "paypal") requirePaypalChange(terms, now);
  const isNow = change.isUpgrade && service === "stripe";
  const due = isNow ? await atService(deps, terms.order, () => previewAtStripe(deps, terms, now)) : 0;
  return {
    ...{
      ...none,
      starts: isNow ? "now" : "next_period",
      period_end: change.current.periodEnd,
      pays: service,
    },
    ...{ price: quote.money, currency: quote.currency, due: textOf(due, quote.currency), at: now },
    ...{ drawn_units: terms.drawn.units, drawn_calls: terms.drawn.calls },
  };
}

/**
 * Changes the plan of a subscription or its seats, whoever pays it; PayPal's page leads back to `site`. `at`: the time of the preview that is confirmed, a quarter of an hour ago at most.
 * Throws OperationError.
 */
export async function changePlan(
  deps: ChangeDeps,
  user: Customer,
  { at, site, ...input }: ChangeInput & Readonly<{ at?: number | undefined; site: string }>,
  now = nowSeconds(),
): Promise<Changed> {
  const { subscriptionId, planId, seats } = input;
  const service = await serviceOf(deps, user, subscriptionId);
  if (service === null) {
    if (seats === undefined) await switchPlan(deps, user.id, subscriptionId, planId, now);
    else await setSeats(deps, user.id, subscriptionId, seats, now);
    return { url: null };
  }
  if (at !== undefined && (at > now || at < now - PREVIEW_S)) throw new OperationError("plan_change_preview_old");
  const terms = await readCardTerms(deps, user, input, now);
  // What was unused before the period began is none of it.
  const from = Math.max(at ?? now, terms.change.current.periodStart);
  return atService(deps, terms.order, () =>
    service === "paypal" ? changeAtPaypal(deps, terms, { site, now }) : changeAtStripe(deps, terms, from, now),
  );
}

/** The service that renews a subscription; null: none does. */
async function serviceOf({ db }: ChangeDeps, user: Customer, id: number) {
  const [found] = await db
    .select({ userId: subscriptions.userId, service: planOrders.service })
    .from(subscriptions)
    .leftJoin(planOrders, eq(planOrders.id, subscriptions.orderId))
    .where(eq(subscriptions.id, id));
  if (found?.userId !== user.id) throw new OperationError("subscription_not_found");
  return found.service;
}

/** Runs work that asks a service. Throws OperationError, also when the service fails. */
async function atService<T>(
  { log }: ChangeDeps,
  { tradeNo }: Readonly<{ tradeNo: string }>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperationError) throw error;
    log.warn({ tradeNo, reason: messageOf(error) }, "a plan at a service could not be changed");
    throw new OperationError("payment_request_failed");
  }
}
