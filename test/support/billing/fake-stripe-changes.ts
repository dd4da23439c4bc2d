import type { Emit } from "../console/fake-stripe.ts";

/** What the fake keeps of a subscription; times in epoch seconds, money in the currency's smallest coin. */
export type Subscription = {
  id: string;
  customer: string;
  metadata: Record<string, string>;
  status: string;
  cancel_at_period_end: boolean;
  isPaused: boolean;
  currency: string;
  periodStart: number;
  periodEnd: number;
  price: Price;
  /** What the present period was charged with, less its discount: what is unused of it is credited. */
  debited: number;
  /** What changes its price at the end of the period. */
  schedule: Schedule | null;
  /** What the subscription becomes when the invoice is paid. */
  pending: Readonly<{ price: Price; invoice: Invoice }> | null;
};
export type Schedule = { readonly id: string; price: Price | null };
export type Price = Readonly<{ id: string; product: string; unitAmount: number; lengthS: number }>;
export type Invoice = {
  id: string;
  subscription: Subscription;
  amount: number;
  start: number;
  end: number;
  priceNo: string;
  status: "paid" | "open" | "void";
  /** What is unused of the period before, above 0, until its end. */
  credit?: Readonly<{ amount: number; start: number; end: number; priceNo: string }>;
};

type Form = Readonly<{ get(name: string): string | null }>;
type Answer = Readonly<{ status: number; body: object }>;

const DAY_S = 86_400;
const LENGTHS: Readonly<Record<string, number>> = { day: DAY_S, week: 7 * DAY_S, month: 30 * DAY_S, year: 365 * DAY_S };

/** Seconds of a price's period, from the fields of a request below `prefix`. */
export const lengthOf = (form: Form, prefix: string): number =>
  (LENGTHS[form.get(`${prefix}[recurring][interval]`) ?? ""] ?? LENGTHS.month ?? 0) *
  Number(form.get(`${prefix}[recurring][interval_count]`) ?? 1);

/** The schedule of a subscription, as Stripe answers it. */
export function scheduleObject({ schedule, price, periodStart, periodEnd }: Subscription): object {
  const phase = (priceNo: string, start: number, end: number) => ({
    ...{ start_date: start, end_date: end, trial_end: null, items: [{ price: priceNo, quantity: 1 }] },
  });
  const then = schedule?.price;
  return {
    ...{ id: schedule?.id, object: "subscription_schedule" },
    phases: [
      phase(price.id, periodStart, periodEnd),
      ...(then ? [phase(then.id, periodEnd, periodEnd + then.lengthS)] : []),
    ],
  };
}

type Parts = Readonly<{
  next: (prefix: string) => string;
  emit: Emit;
  subscriptions: ReadonlyMap<string, Subscription>;
  invoices: Invoice[];
  invoiceObject: (invoice: Invoice) => object;
  subscriptionObject: (subscription: Subscription) => object;
  /** Whether the card pays, and the time at Stripe. */
  card: Readonly<{ pays: boolean; seconds: number }>;
}>;

/**
 * The part of the stand-in that changes prices of subscriptions, as Stripe's reference documents prorations in the flexible billing
 * mode and pending updates: previews, updates that count when their invoice is paid, and invoices that are voided.
 */
export function createFakeChanges(parts: Parts) {
  const { next, emit, subscriptions, invoices, invoiceObject, subscriptionObject, card } = parts;
  const prices = new Map<string, Price>();
  const replies = new Map<string, Answer>();
  /** `loses`: the next update is carried out, and answered with an error; `fails`: it is not carried out. */
  const state: { update: "answers" | "loses" | "fails"; extra: number; balance: number } = {
    ...{ update: "answers", extra: 0, balance: 0 },
  };

  const failure = (status: number, code: string): Answer => ({
    status,
    body: { error: { type: status < 500 ? "invalid_request_error" : "api_error", code, message: code } },
  });
  const unusedOf = ({ status, debited, periodStart, periodEnd }: Subscription, at: number): number =>
    status === "trialing" ? 0 : Math.round((debited * (periodEnd - at)) / (periodEnd - periodStart));

  function apply(subscription: Subscription, price: Price, { start, end }: Invoice): void {
    const values = {
      price,
      debited: price.unitAmount,
      periodStart: start,
      periodEnd: end,
      status: "active",
      pending: null,
    };
    Object.assign(subscription, values);
    emit("customer.subscription.updated", subscriptionObject(subscription), card.seconds);
  }

  function update(subscription: Subscription, form: Form): Answer {
    const price = prices.get(form.get("items[0][price]") ?? "");
    if (!price || form.get("items[0][id]") !== `si_${subscription.id}`) return failure(400, "resource_missing");
    if (subscription.status === "canceled") return failure(400, "subscription_canceled");
    if (form.get("proration_behavior") === "none") {
      if (price.lengthS !== subscription.price.lengthS) return failure(400, "would begin a period at once");
      subscription.price = price;
      emit("customer.subscription.updated", subscriptionObject(subscription), card.seconds);
      return { status: 200, body: { ...subscriptionObject(subscription), latest_invoice: null } };
    }
    const isNow = form.get("billing_cycle_anchor[type]") === "now" || form.get("trial_end") === "now";
    const isPending = form.get("payment_behavior") === "pending_if_incomplete";
    if (!isNow || !isPending || form.get("proration_behavior") !== "always_invoice") return failure(400, "unexpected");
    if (subscription.pending) return failure(400, "subscription_pending_update");
    const at = Number(form.get("proration_date") ?? card.seconds);
    const unused = unusedOf(subscription, at);
    const invoice: Invoice = {
      ...{ id: next("in"), subscription, amount: price.unitAmount - unused + state.extra, priceNo: price.id },
      ...{ start: card.seconds, end: card.seconds + price.lengthS, status: card.pays ? "paid" : "open" },
      credit: { amount: unused, start: at, end: subscription.periodEnd, priceNo: subscription.price.id },
    };
    invoices.push(invoice);
    if (card.pays) {
      emit("invoice.paid", invoiceObject(invoice), card.seconds);
      apply(subscription, price, invoice);
    } else subscription.pending = { price, invoice };
    return { status: 200, body: { ...subscriptionObject(subscription), latest_invoice: invoiceObject(invoice) } };
  }

  /** Schedules of two phases: the present period, and then another price. */
  function schedules(id: string, action: string, form: Form, key: string): Answer {
    const before = key === "" ? undefined : replies.get(key);
    if (before) return before;
    const subscription =
      id === ""
        ? subscriptions.get(form.get("from_subscription") ?? "")
        : [...subscriptions.values()].find(({ schedule }) => schedule?.id === id);
    if (!subscription) return failure(404, "resource_missing");
    const isCreated = id === "";
    if (isCreated) {
      if (subscription.schedule) return failure(400, "has a schedule");
      subscription.schedule = { id: next("schedule"), price: null };
    } else if (action === "release") {
      const { schedule } = subscription;
      subscription.schedule = null;
      return { status: 200, body: { id: schedule?.id, object: "subscription_schedule", phases: [] } };
    } else {
      const phase = (name: string) => form.get(`phases[1]${name}`);
      const isPresent =
        form.get("phases[0][start_date]") === String(subscription.periodStart) &&
        form.get("phases[0][end_date]") === String(subscription.periodEnd) &&
        form.get("phases[0][items][0][price]") === subscription.price.id;
      const price = prices.get(phase("[items][0][price]") ?? "");
      const lengthS = (LENGTHS[phase("[duration][interval]") ?? ""] ?? 0) * Number(phase("[duration][interval_count]"));
      const isPlain = form.get("end_behavior") === "release" && form.get("proration_behavior") === "none";
      if (!isPresent || !isPlain || !price || price.lengthS !== lengthS || !subscription.schedule)
        return failure(400, "unexpected phases");
      const { update: how } = state;
      state.update = "answers";
      if (how === "fails") return failure(402, "card_declined");
      subscription.schedule.price = price;
      if (how === "loses") {
        const lost = failure(500, "api_error");
        replies.set(key, lost);
        return lost;
      }
    }
    const reply = { status: 200, body: scheduleObject(subscription) };
    if (key !== "") replies.set(key, reply);
    return reply;
  }

  /** Null: the request is for another part. */
  function answer(method: string, path: string, form: Form, key: string): Answer | null {
    const [, , resource, id, action] = path.split("/");
    if (resource === "prices" && method === "POST") {
      const before = replies.get(key);
      if (before) return before;
      const price = {
        ...{ id: next("price"), product: next("prod"), unitAmount: Number(form.get("unit_amount")) },
        lengthS:
          (LENGTHS[form.get("recurring[interval]") ?? ""] ?? 0) * Number(form.get("recurring[interval_count]") ?? 1),
      };
      prices.set(price.id, price);
      const reply = { status: 200, body: { id: price.id, object: "price" } };
      replies.set(key, reply);
      return reply;
    }
    if (path === "/v1/invoices/create_preview") {
      const subscription = subscriptions.get(form.get("subscription") ?? "");
      if (!subscription) return failure(404, "resource_missing");
      const detail = (name: string) => form.get(`subscription_details${name}`);
      const unused = unusedOf(subscription, Number(detail("[proration_date]") ?? card.seconds));
      const amount = Number(detail("[items][0][price_data][unit_amount]")) - unused + state.extra;
      return {
        status: 200,
        body: { object: "invoice", total: amount, amount_due: amount - state.balance, currency: subscription.currency },
      };
    }
    if (resource === "invoices" && action === "void") {
      const invoice = invoices.find((one) => one.id === id);
      if (invoice?.status !== "open") return failure(400, "invoice_not_editable");
      invoice.status = "void";
      if (invoice.subscription.pending?.invoice === invoice) invoice.subscription.pending = null;
      return { status: 200, body: invoiceObject(invoice) };
    }
    if (resource === "subscription_schedules") return schedules(id ?? "", action ?? "", form, key);
    if (form.get("cancel_at_period_end") !== null && subscriptions.get(id ?? "")?.schedule) {
      return failure(400, "managed by the subscription schedule");
    }
    const subscription = resource === "subscriptions" && method === "POST" ? subscriptions.get(id ?? "") : undefined;
    if (!subscription || form.get("items[0][price]") === null) return null;
    const before = key === "" ? undefined : replies.get(key);
    if (before) return before;
    const { update: how } = state;
    state.update = "answers";
    if (how === "fails") return failure(402, "card_declined");
    // A price that was there before is one that a checkout began with.
    if (!prices.has(subscription.price.id)) prices.set(subscription.price.id, subscription.price);
    const done = update(subscription, form);
    const reply = how === "loses" ? failure(500, "api_error") : done;
    if (key !== "") replies.set(key, reply);
    return reply;
  }

  return {
    answer,
    state,
    /** Prices of subscriptions that a checkout began. */
    addPrice: (price: Price) => void prices.set(price.id, price),
    /** The customer pays the invoice of a change on Stripe's page. */
    payPending(subscription: Subscription) {
      const { pending } = subscription;
      if (!pending) throw new Error("no change waits for its payment");
      const { invoice, price } = pending;
      invoice.status = "paid";
      emit("invoice.paid", invoiceObject(invoice), card.seconds);
      apply(subscription, price, invoice);
    },
    /** A period is over: what a schedule has for the next begins. */
    beginScheduled(subscription: Subscription) {
      const { schedule } = subscription;
      if (!schedule?.price) return;
      subscription.price = schedule.price;
      // It goes on until the end of its last phase.
      schedule.price = null;
    },
    /** Nobody has paid it in time. */
    expirePending(subscription: Subscription) {
      if (subscription.pending) subscription.pending.invoice.status = "void";
      subscription.pending = null;
    },
  };
}
