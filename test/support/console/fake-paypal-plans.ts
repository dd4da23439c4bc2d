type Subscription = {
  id: string;
  tradeNo: string;
  status: "APPROVAL_PENDING" | "ACTIVE" | "SUSPENDED" | "CANCELLED";
  value: string;
  currency: string;
  trialDays: number;
  /** What the first paid period costs. */
  firstValue: string;
  /** When it is to begin; 0: once it is approved. */
  startsAt: number;
  /** Epoch seconds; the second says since when the status is so. */
  startedAt: number;
  changedAt: number;
  sales: Sale[];
  /** The plan that is charged, and one that the buyer has not approved. */
  planNo: string;
  revisedTo: string;
};
type Sale = { id: string; at: number; value: string; status: "COMPLETED" | "REFUNDED" };
type Answer = [status: number, body: object];
type Cycle = {
  tenure_type: string;
  frequency: { interval_unit: string; interval_count: number };
  pricing_scheme?: { fixed_price: { value: string; currency_code: string } };
};

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** The part of the stand-in that has products, plans and subscriptions, as the reference of Subscriptions v1 documents them. */
export function createFakePaypalPlans(next: (prefix: string) => string) {
  const products = new Set<string>();
  const plans = new Map<string, Readonly<{ cycles: readonly Cycle[]; product: string }>>();
  const subscriptions = new Map<string, Subscription>();
  const state = { refusesToCancel: false, listsSales: true, failsToRevise: false };

  const view = (one: Subscription) => ({
    ...{ id: one.id, status: one.status, custom_id: one.tradeNo, start_time: iso(one.startedAt) },
    ...{ status_update_time: iso(one.changedAt), plan_id: one.planNo },
    links: [{ rel: "approve", href: `https://www.paypal.test/subscribe?ba_token=${one.id}`, method: "GET" }],
  });
  const transaction = ({ currency }: Subscription, { id, at, value, status }: Sale) => ({
    ...{ id, status, time: iso(at) },
    amount_with_breakdown: { gross_amount: { currency_code: currency, value } },
  });

  /** Null: the request is for another part. */
  function answer(method: string, path: string, body: Record<string, unknown>): Answer | null {
    const [, version, kind, list, id, action] = path.split("/");
    if (version !== "v1" || (kind !== "catalogs" && kind !== "billing")) return null;
    if (list === "products") {
      if (method === "POST") products.add(String(body.id));
      return products.has(String(id ?? body.id)) ? [method === "POST" ? 201 : 200, { id: id ?? body.id }] : [404, {}];
    }
    if (list === "plans" && method === "GET") {
      const plan = plans.get(String(id));
      return plan ? [200, { id, product_id: plan.product }] : [404, {}];
    }
    if (list === "plans") {
      if (!products.has(String(body.product_id))) return [422, { details: [{ issue: "INVALID_PRODUCT" }] }];
      const plan = next("P-");
      plans.set(plan, { cycles: body.billing_cycles as readonly Cycle[], product: String(body.product_id) });
      return [201, { id: plan, status: "ACTIVE" }];
    }
    if (id === undefined) return subscribe(body);
    const found = subscriptions.get(id);
    if (!found) return [404, { name: "RESOURCE_NOT_FOUND" }];
    if (action === "cancel") {
      const mayCancel = !state.refusesToCancel && (found.status === "ACTIVE" || found.status === "SUSPENDED");
      if (!mayCancel) return [422, { details: [{ issue: "SUBSCRIPTION_STATUS_INVALID" }] }];
      found.status = "CANCELLED";
      return [204, {}];
    }
    if (action === "revise") {
      const [now, next] = [plans.get(found.planNo), plans.get(String(body.plan_id))];
      const mayRevise = !state.failsToRevise && found.status === "ACTIVE" && next && next.product === now?.product;
      if (!mayRevise) return [422, { details: [{ issue: "INCOMPATIBLE_PLAN" }] }];
      found.revisedTo = String(body.plan_id);
      const href = `https://www.paypal.test/revise?ba_token=${found.id}`;
      return [200, { plan_id: body.plan_id, links: [{ rel: "approve", href, method: "GET" }] }];
    }
    if (action !== "transactions") return [200, view(found)];
    return [200, { transactions: state.listsSales ? found.sales.map((sale) => transaction(found, sale)) : [] }];
  }

  function subscribe({ plan_id: planNo, custom_id: tradeNo, start_time: start }: Record<string, unknown>): Answer {
    const cycles = plans.get(String(planNo))?.cycles ?? [];
    const price = cycles.find(({ tenure_type: kind }) => kind === "REGULAR")?.pricing_scheme?.fixed_price;
    if (!price) return [422, { details: [{ issue: "INVALID_PLAN" }] }];
    const trials = cycles.filter(({ tenure_type: kind }) => kind === "TRIAL");
    const trial = trials.find(({ pricing_scheme: scheme }) => !scheme);
    const first = trials.find(({ pricing_scheme: scheme }) => scheme)?.pricing_scheme?.fixed_price;
    const one: Subscription = {
      ...{ id: next("I-"), tradeNo: String(tradeNo), status: "APPROVAL_PENDING" as const, sales: [] },
      ...{ value: price.value, currency: price.currency_code, startedAt: 0, changedAt: 0 },
      ...{ planNo: String(planNo), revisedTo: "" },
      startsAt: typeof start === "string" ? Date.parse(start) / 1000 : 0,
      firstValue: first?.value ?? price.value,
      trialDays: trial?.frequency.interval_count ?? 0,
    };
    subscriptions.set(one.id, one);
    return [201, view(one)];
  }

  const byOrder = (tradeNo: string): Subscription => {
    const found = [...subscriptions.values()].find((one) => one.tradeNo === tradeNo);
    if (!found) throw new Error(`there is no subscription of ${tradeNo}`);
    return found;
  };
  const event = (type: string, resource: object) => ({ type, resource });
  const saleEvent = (one: Subscription, sale: Sale) =>
    event("PAYMENT.SALE.COMPLETED", {
      ...{ id: sale.id, state: "completed", billing_agreement_id: one.id, custom: one.tradeNo },
      ...{ amount: { total: sale.value, currency: one.currency }, create_time: iso(sale.at) },
    });
  return {
    answer,
    state,
    byOrder,
    /** The buyer approves: the first period is paid, unless it is a trial. Returns what is reported. */
    approve(tradeNo: string, now: number) {
      const one = byOrder(tradeNo);
      Object.assign(one, { status: "ACTIVE", startedAt: Math.max(now, one.startsAt), changedAt: now });
      const activated = event("BILLING.SUBSCRIPTION.ACTIVATED", view(one));
      return one.trialDays > 0 || one.startsAt > now ? [activated] : [activated, this.charge(tradeNo, now)];
    },
    /** The buyer approves another price: it is charged from the next period on. Returns what is reported. */
    approveRevision(tradeNo: string, now: number) {
      const one = byOrder(tradeNo);
      const price = plans.get(one.revisedTo)?.cycles.at(-1)?.pricing_scheme?.fixed_price;
      if (!price) throw new Error("there is nothing to approve");
      Object.assign(one, {
        planNo: one.revisedTo,
        revisedTo: "",
        value: price.value,
        firstValue: price.value,
        changedAt: now,
      });
      return event("BILLING.SUBSCRIPTION.UPDATED", view(one));
    },
    /** A period is charged. Returns what is reported. */
    charge(tradeNo: string, now: number, amount?: string) {
      const one = byOrder(tradeNo);
      const value = amount ?? (one.sales.length === 0 ? one.firstValue : one.value);
      const sale: Sale = { id: next("SALE"), at: now, value, status: "COMPLETED" };
      one.sales.push(sale);
      return saleEvent(one, sale);
    },
    /** The buyer, or PayPal, changes the state. Returns what is reported. */
    change(tradeNo: string, status: Subscription["status"], now: number) {
      const one = byOrder(tradeNo);
      Object.assign(one, { status, changedAt: now });
      return event(`BILLING.SUBSCRIPTION.${status}`, view(one));
    },
  };
}
