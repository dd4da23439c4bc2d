import type { Emit } from "./fake-stripe.ts";

/** What a saved card does when it is charged without its owner. */
export type CardBehavior =
  | "pays"
  | "slow"
  /** An error of the API, although the payment went through. */
  | "pays, then fails"
  | "unreachable"
  | { code: string; decline_code?: string; advice_code?: string };

type Intent = {
  id: string;
  order: string;
  customer: string;
  method: string;
  amount: number;
  currency: string;
  created: number;
  status: string;
  error: object | null;
};
type Setup = { id: string; customer: string; method: string; status: "open" | "complete" | "expired" };

/** Request fields by name, as Stripe's forms have them. */
type Form = Readonly<{ get(name: string): string | null }>;
type Reply = Readonly<{ status: number; body: object }>;

const NOW = () => Math.floor(Date.now() / 1000);

/**
 * The part of the stand-in that saves cards and charges them without their owner, as Stripe's reference documents
 * checkout in setup mode and payment intents. Requests with an idempotency key that was used are answered as before.
 */
export function createFakeCards(next: (prefix: string) => string, emit: Emit) {
  const setups = new Map<string, Setup>();
  const methods = new Map<string, { customer: string; behavior: CardBehavior }>();
  const intents: Intent[] = [];
  const replies = new Map<string, Reply>();
  const requests: string[] = [];
  /** Resolves when charges may go on; for tests that look at what happens meanwhile. */
  let gate = Promise.resolve();

  const intentObject = (one: Intent) => ({
    ...{ id: one.id, object: "payment_intent", status: one.status, amount: one.amount, currency: one.currency },
    ...{ customer: one.customer, payment_method: one.method, created: one.created, metadata: { order: one.order } },
    amount_received: one.status === "succeeded" ? one.amount : 0,
    last_payment_error: one.error,
  });
  const finish = (intent: Intent, status: "succeeded" | "requires_payment_method", error: object | null = null) => {
    Object.assign(intent, { status, error });
    const type = status === "succeeded" ? "payment_intent.succeeded" : "payment_intent.payment_failed";
    emit(type, intentObject(intent), NOW());
  };
  const failure = (status: number, error: object): Reply => ({ status, body: { error } });
  const missing = (param: string) =>
    failure(400, { type: "invalid_request_error", code: "resource_missing", param, message: `No such ${param}` });

  function charge(form: Form): Reply {
    if (form.get("payment_method_types[0]") !== null) {
      const code = "payment_method_types_no_longer_supported";
      return failure(400, { type: "invalid_request_error", code, message: code });
    }
    const method = methods.get(form.get("payment_method") ?? "");
    if (!method || method.customer !== form.get("customer")) return missing("payment_method");
    if (form.get("off_session") !== "true" || form.get("confirm") !== "true") return missing("off_session");
    const intent: Intent = {
      ...{ id: next("pi"), order: form.get("metadata[order]") ?? "", customer: method.customer, created: NOW() },
      ...{ method: form.get("payment_method") ?? "", amount: Number(form.get("amount")), error: null },
      ...{ currency: form.get("currency") ?? "", status: "processing" },
    };
    intents.push(intent);
    const { behavior } = method;
    if (behavior === "slow") return { status: 200, body: intentObject(intent) };
    if (typeof behavior === "object") {
      const error = { type: "card_error", message: "declined", ...behavior };
      finish(intent, "requires_payment_method", error);
      return failure(402, { ...error, payment_intent: intentObject(intent) });
    }
    finish(intent, "succeeded");
    if (behavior === "pays, then fails") return failure(500, { type: "api_error", message: "try later" });
    return { status: 200, body: intentObject(intent) };
  }

  /** Null: the request is for another part. */
  async function answer(method: string, path: string, form: Form, key: string | null): Promise<Reply | null> {
    const [, , resource, id, action] = path.split("/");
    if (path === "/v1/checkout/sessions" && method === "POST" && form.get("mode") === "setup") {
      if (form.get("payment_method_types[0]") !== null) return missing("allowed_payment_method_types");
      const setup: Setup = {
        ...{ id: next("cs"), customer: form.get("customer") ?? next("cus"), method: "", status: "open" as const },
      };
      setups.set(setup.id, setup);
      return {
        status: 200,
        body: { id: setup.id, object: "checkout.session", url: `https://checkout.test/${setup.id}` },
      };
    }
    const setup = path.startsWith("/v1/checkout/sessions/") ? setups.get(action ?? "") : undefined;
    if (setup) return { status: 200, body: sessionObject(setup) };
    if (resource === "payment_methods" && action === "detach") {
      return methods.delete(id ?? "") ? { status: 200, body: { id, object: "payment_method" } } : missing("id");
    }
    if (resource !== "payment_intents") return null;
    if (method === "POST") {
      requests.push(form.get("metadata[order]") ?? "");
      await gate;
      if (methods.get(form.get("payment_method") ?? "")?.behavior === "unreachable") {
        return { status: 503, body: { error: { type: "api_error", message: "unavailable" } } };
      }
      const before = key === null ? undefined : replies.get(key);
      const reply = before ?? charge(form);
      if (key !== null) replies.set(key, reply);
      return reply;
    }
    if (id) {
      const found = intents.find((one) => one.id === id);
      return found ? { status: 200, body: intentObject(found) } : missing("intent");
    }
    const since = Number(form.get("created[gte]") ?? 0);
    const own = intents.filter(({ customer, created }) => customer === form.get("customer") && created >= since);
    return {
      status: 200,
      body: { object: "list", has_more: false, url: path, data: own.toReversed().map(intentObject) },
    };
  }

  const sessionObject = ({ id, customer, method, status }: Setup) => ({
    ...{ id, object: "checkout.session", mode: "setup", status, payment_status: "no_payment_required", customer },
    setup_intent:
      status === "complete"
        ? {
            ...{ id: `intent_${id}`, object: "setup_intent", status: "succeeded" },
            payment_method: {
              ...{ id: method, object: "payment_method", customer },
              card: { brand: "visa", last4: method.slice(-4).padStart(4, "0"), exp_month: 12, exp_year: 2030 },
            },
          }
        : null,
  });

  return {
    answer,
    intents,
    /** The orders of all requests to charge a card, also those that were answered as before. */
    chargeRequests: requests,
    /** The customer saves a card on the page; its behavior can be changed later. Returns Stripe's number of the card. */
    saveCard(sessionUrl: string, behavior: CardBehavior = "pays"): string {
      const setup = setups.get(sessionUrl.split("/").at(-1) ?? "");
      if (!setup) throw new Error(`no page to save a card: ${sessionUrl}`);
      setup.method = next("pm");
      setup.status = "complete";
      methods.set(setup.method, { customer: setup.customer, behavior });
      emit("checkout.session.completed", { ...sessionObject(setup), setup_intent: `intent_${setup.id}` }, NOW());
      return setup.method;
    },
    setBehavior(method: string, behavior: CardBehavior) {
      const known = methods.get(method);
      if (known) known.behavior = behavior;
    },
    hasCard: (method: string) => methods.has(method),
    /** A slow payment ends. */
    finishIntent: (order: string, isPaid: boolean) => {
      const intent = intents.find((one) => one.order === order);
      if (!intent) throw new Error(`no payment for ${order}`);
      finish(intent, isPaid ? "succeeded" : "requires_payment_method", isPaid ? null : { code: "card_declined" });
    },
    /** Requests to charge wait until the returned function is called. */
    holdCharges(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}
