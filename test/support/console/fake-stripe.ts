import { createHmac } from "node:crypto";
import type Stripe from "stripe";
import {
  createFakeChanges,
  type Invoice,
  lengthOf,
  type Subscription,
  scheduleObject,
} from "../billing/fake-stripe-changes.ts";
import { createFakeCards } from "./fake-stripe-cards.ts";

type Session = {
  id: string;
  subscription: string | null;
  status: "open" | "complete" | "expired";
  form: URLSearchParams;
};

/** Reports what happened; `created` is epoch seconds. */
export type Emit = (type: string, object: object, created: number) => void;

/**
 * A scripted stand-in for Stripe's API of checkout, saved cards, subscriptions, invoices and the customer portal, as its reference
 * documents them, with a ledger of what customers paid. Events are collected for the test to deliver: twice, late, in any
 * order, or never.
 */
export function startFakeStripe() {
  const sessions = new Map<string, Session>();
  const subscriptions = new Map<string, Subscription>();
  const invoices: Invoice[] = [];
  const events: Stripe.Event[] = [];
  let refusesToCancel = false;
  /** What coupons take off the first invoice, in the smallest coin. */
  const coupons = new Map<string, number>();
  let counter = 0;
  const next = (prefix: string) => `${prefix}_${++counter}`;

  const lineOf = (id: string, amount: number, start: number, end: number, priceNo: string) => ({
    ...{ id, amount, period: { start, end } },
    pricing: { type: "price_details", price_details: { price: priceNo, product: `product of ${priceNo}` } },
  });
  const invoiceObject = ({ id, subscription, amount, start, end, priceNo, status, credit }: Invoice) => ({
    ...{ id, object: "invoice", status, amount_paid: status === "paid" ? amount : 0, currency: subscription.currency },
    hosted_invoice_url: `https://invoice.test/${id}`,
    customer: subscription.customer,
    parent: {
      type: "subscription_details",
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    lines: {
      object: "list",
      data: [
        ...(credit ? [lineOf(`ic_${id}`, -credit.amount, credit.start, credit.end, credit.priceNo)] : []),
        lineOf(`il_${id}`, amount + (credit?.amount ?? 0), start, end, priceNo),
      ],
    },
  });
  const itemOf = ({ id }: Subscription, { id: priceNo, product }: Subscription["price"]) => ({
    ...{ id: `si_${id}`, object: "subscription_item", price: { id: priceNo, object: "price", product } },
  });
  const subscriptionObject = (one: Subscription) => ({
    ...{ id: one.id, object: "subscription", customer: one.customer, metadata: one.metadata, status: one.status },
    ...{ cancel_at_period_end: one.cancel_at_period_end, cancel_at: null },
    pause_collection: one.isPaused ? { behavior: "void", resumes_at: null } : null,
    items: { object: "list", data: [itemOf(one, one.price)] },
    schedule: one.schedule?.id ?? null,
    pending_update: one.pending && { subscription_items: [itemOf(one, one.pending.price)] },
    latest_invoice: one.pending && invoiceObject(one.pending.invoice),
  });
  /** The payment intent that paid an invoice. */
  const paymentNoOf = (invoiceNo: string) => `pi_of_${invoiceNo}`;
  const emit: Emit = (type, object, created) => {
    const event = { id: next("evt"), object: "event", type, created, data: { object } };
    events.push(JSON.parse(JSON.stringify(event)));
  };
  const cards = createFakeCards(next, emit);
  /** Periods that were begun at once, by idempotency key; and whether the card pays for them, and when they begin. */
  const begun = new Set<string>();
  const cardNow = { pays: true, seconds: Math.floor(Date.now() / 1000) };
  const changes = createFakeChanges({
    ...{ next, emit, subscriptions, invoices, invoiceObject, subscriptionObject, card: cardNow },
  });

  /** A period begins at once and is charged, once for each key. */
  function startNow(subscription: Subscription, key: string): boolean {
    if (begun.has(key)) return true;
    if (!cardNow.pays) return false;
    begun.add(key);
    Object.assign(subscription, {
      periodStart: cardNow.seconds,
      periodEnd: cardNow.seconds + subscription.price.lengthS,
    });
    pay(subscription, cardNow.seconds);
    return true;
  }

  function answer(method: string, path: string, form: URLSearchParams, key: string): object | null {
    const [, , resource, sub, id] = path.split("/");
    if (path === "/v1/checkout/sessions" && method === "POST") {
      const session = { id: next("cs"), subscription: null, status: "open" as const, form };
      sessions.set(session.id, session);
      return { id: session.id, object: "checkout.session", url: `https://checkout.test/${session.id}` };
    }
    if (resource === "checkout" && sub === "sessions" && id) {
      const session = sessions.get(id);
      if (!session) return null;
      if (path.endsWith("/expire")) {
        if (session.status !== "open") return null;
        session.status = "expired";
      }
      return { id, object: "checkout.session", subscription: session.subscription, status: session.status };
    }
    if (path === "/v1/coupons") {
      if (form.get("duration") !== "once" || !form.get("currency")) return null;
      const coupon = next("coupon");
      coupons.set(coupon, Number(form.get("amount_off")));
      return { id: coupon, object: "coupon" };
    }
    if (path === "/v1/billing_portal/sessions") {
      return { id: next("bps"), object: "billing_portal.session", url: `https://portal.test/${form.get("customer")}` };
    }
    if (path === "/v1/invoice_payments") {
      if (form.get("payment[type]") !== "payment_intent") return null;
      const paid = invoices.filter(({ id: number }) => paymentNoOf(number) === form.get("payment[payment_intent]"));
      const data = paid.map((one) => ({
        object: "invoice_payment",
        invoice: one.id,
        status: "paid",
        amount_paid: one.amount,
      }));
      return { object: "list", has_more: false, data };
    }
    if (resource === "invoices" && sub) {
      const found = invoices.find((one) => one.id === sub);
      return found ? invoiceObject(found) : null;
    }
    if (path === "/v1/invoices") {
      const isOwn = ({ subscription, status }: Invoice) =>
        subscription.id === form.get("subscription") && status === form.get("status");
      const own = invoices.filter(isOwn);
      return { object: "list", has_more: false, data: own.toReversed().map(invoiceObject) };
    }
    if (resource === "subscriptions" && sub) {
      const found = subscriptions.get(sub);
      if (!found) return null;
      if (method === "DELETE") {
        if (refusesToCancel || found.status === "canceled") return null;
        found.status = "canceled";
        changes.expirePending(found);
        emit("customer.subscription.deleted", subscriptionObject(found), cardNow.seconds);
      }
      if (method === "POST") {
        const cancels = form.get("cancel_at_period_end");
        if (cancels !== null) found.cancel_at_period_end = cancels === "true";
        const isPaused = form.get("pause_collection[behavior]") === "void";
        if (isPaused !== found.isPaused && (isPaused || form.get("pause_collection") === "")) {
          found.isPaused = isPaused;
          emit("customer.subscription.updated", subscriptionObject(found), cardNow.seconds);
        }
        if (form.get("billing_cycle_anchor[type]") === "now" && !startNow(found, key)) return null;
      }
      const hasSchedule = found.schedule !== null && form.get("expand[0]") === "schedule";
      return { ...subscriptionObject(found), ...(hasSchedule && { schedule: scheduleObject(found) }) };
    }
    return null;
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const url = new URL(request.url);
      const form = request.method === "GET" ? url.searchParams : new URLSearchParams(await request.text());
      const key = request.headers.get("idempotency-key");
      const reply = await cards.answer(request.method, url.pathname, form, key);
      if (reply) return Response.json(reply.body, { status: reply.status });
      const changed = changes.answer(request.method, url.pathname, form, key ?? "");
      if (changed) return Response.json(changed.body, { status: changed.status });
      const found = answer(request.method, url.pathname, form, key ?? "");
      return found
        ? Response.json(found)
        : Response.json({ error: { type: "invalid_request_error", message: "No such resource" } }, { status: 404 });
    },
  });

  const pay = (subscription: Subscription, now: number, amount = subscription.price.unitAmount) => {
    const { periodStart: start, periodEnd: end, price } = subscription;
    const invoice: Invoice = { id: next("in"), subscription, amount, start, end, priceNo: price.id, status: "paid" };
    subscription.debited = amount;
    invoices.push(invoice);
    emit("invoice.paid", invoiceObject(invoice), now);
  };
  const byOrder = (tradeNo: string) => [...subscriptions.values()].find(({ metadata }) => metadata.order === tradeNo);
  const foundOf = (tradeNo: string): Subscription => {
    const found = byOrder(tradeNo);
    if (!found) throw new Error(`there is no subscription of ${tradeNo}`);
    return found;
  };
  return {
    url: `http://127.0.0.1:${server.port}`,
    events,
    invoices,
    paymentNoOf,
    cards,
    /** What customers paid, as Stripe knows it: for each order of ours, the number of invoices. */
    paidInvoices: (tradeNo: string) =>
      invoices.filter(({ subscription, status }) => subscription.metadata.order === tradeNo && status === "paid")
        .length,
    /** The customer pays on the checkout page. */
    checkOut(tradeNo: string, now: number, amount?: number) {
      const session = [...sessions.values()].find(({ form }) => form.get("client_reference_id") === tradeNo);
      if (!session) throw new Error(`no checkout for ${tradeNo}`);
      if (session.status !== "open") throw new Error(`the page of ${tradeNo} is ${session.status}`);
      session.status = "complete";
      const { form } = session;
      const price = {
        ...{ id: next("price"), product: next("prod"), lengthS: lengthOf(form, "line_items[0][price_data]") },
        unitAmount: Number(form.get("line_items[0][price_data][unit_amount]")),
      };
      changes.addPrice(price);
      const subscription: Subscription = {
        ...{ id: next("sub"), customer: form.get("customer") ?? next("cus"), status: "active" },
        ...{ cancel_at_period_end: false, isPaused: false, periodStart: now, periodEnd: now + price.lengthS },
        metadata: { order: form.get("subscription_data[metadata][order]") ?? "" },
        ...{ price, debited: 0, pending: null, schedule: null },
        currency: form.get("line_items[0][price_data][currency]") ?? "",
      };
      const trialDays = Number(form.get("subscription_data[trial_period_days]") ?? 0);
      if (trialDays > 0) {
        Object.assign(subscription, { periodEnd: now + trialDays * 86_400, status: "trialing" });
      }
      subscriptions.set(subscription.id, subscription);
      session.subscription = subscription.id;
      const off = coupons.get(form.get("discounts[0][coupon]") ?? "") ?? 0;
      pay(subscription, now, trialDays > 0 ? 0 : (amount ?? price.unitAmount - off));
      emit(
        "checkout.session.completed",
        {
          ...{ id: session.id, object: "checkout.session", mode: "subscription", payment_status: "paid" },
          ...{ client_reference_id: tradeNo, subscription: subscription.id, customer: subscription.customer },
        },
        now,
      );
    },
    /** A period is over: Stripe charges the card, which pays or not. */
    renew(tradeNo: string, now: number, isPaid = true) {
      const found = byOrder(tradeNo);
      if (!found || found.status === "canceled") return;
      if (found.cancel_at_period_end) {
        found.status = "canceled";
        changes.expirePending(found);
        emit("customer.subscription.deleted", subscriptionObject(found), now);
        return;
      }
      changes.beginScheduled(found);
      found.periodStart = found.periodEnd;
      found.periodEnd = found.periodStart + found.price.lengthS;
      found.status = "active";
      changes.expirePending(found);
      if (found.isPaused) emit("invoice.voided", { object: "invoice" }, now);
      else if (isPaid) pay(found, now);
      else emit("invoice.payment_failed", { object: "invoice" }, now);
    },
    /** Whether requests to cancel a subscription fail. */
    refuseToCancel: (refuses: boolean) => {
      refusesToCancel = refuses;
    },
    /** Changes of prices: how the next one is answered, and what becomes of one that waits for its payment. */
    changes: changes.state,
    payPending: (tradeNo: string) => changes.payPending(foundOf(tradeNo)),
    expirePending: (tradeNo: string) => changes.expirePending(foundOf(tradeNo)),
    isWaiting: (tradeNo: string) => foundOf(tradeNo).pending !== null,
    hasSchedule: (tradeNo: string) => foundOf(tradeNo).schedule !== null,
    unitAmount: (tradeNo: string) => foundOf(tradeNo).price.unitAmount,
    statusOf: (tradeNo: string) => byOrder(tradeNo)?.status,
    /** Orders whose pages can be paid on. */
    openPages: () =>
      [...sessions.values()].flatMap(({ status, form }) =>
        status === "open" ? [form.get("client_reference_id") ?? ""] : [],
      ),
    periodEnd: (tradeNo: string) => byOrder(tradeNo)?.periodEnd ?? 0,
    /** The customer changes the renewal in the portal. */
    setRenewal(tradeNo: string, isRenewed: boolean, now: number) {
      const found = byOrder(tradeNo);
      if (!found) return;
      found.cancel_at_period_end = !isRenewed;
      emit("customer.subscription.updated", subscriptionObject(found), now);
    },
    /** When the next period that is begun at once begins, and whether the card pays for it. */
    setCard: (seconds: number, pays: boolean) => Object.assign(cardNow, { seconds, pays }),
    /** Somebody pauses the collection at Stripe. */
    pause(tradeNo: string, now: number) {
      const found = byOrder(tradeNo);
      if (!found) return;
      found.isPaused = true;
      emit("customer.subscription.updated", subscriptionObject(found), now);
    },
    isPaused: (tradeNo: string) => byOrder(tradeNo)?.isPaused,
    isCanceled: (tradeNo: string) => byOrder(tradeNo)?.cancel_at_period_end,
    /** Something else that is reported: a refund, a dispute. */
    emit,
    customerOf: (tradeNo: string) => byOrder(tradeNo)?.customer ?? "",
    stop: () => server.stop(true),
  };
}

/** The header with which Stripe signs a webhook's body. */
export function stripeSignature(body: string, secret: string, seconds = Math.floor(Date.now() / 1000)): string {
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${signature}`;
}
