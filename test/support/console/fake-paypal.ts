import { sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakePaypalPlans } from "./fake-paypal-plans.ts";

type Capture = { id: string; status: "COMPLETED" | "PENDING" | "DECLINED"; refunds: Map<string, number> };
type Order = {
  id: string;
  tradeNo: string;
  value: string;
  currency: string;
  /** `approved`: by the buyer, and not captured yet. */
  state: "open" | "approved" | "paid" | "closed";
  capture: Capture | null;
};

const CLIENT = { id: "client-of-the-tests", secret: "secret-of-the-tests" };
const WEBHOOK_ID = "9WH00000000000000";
const NAME = "certificates.paypal.com";

async function openssl(...words: string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  if ((await child.exited) !== 0) throw new Error(await Bun.readableStreamToText(child.stderr));
}

/** An authority, an issuer below it, and certificates of that for each name, with RSA keys; all as PEM. */
async function makeChains(...names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "paypal-certificates-"));
  const file = (part: string) => join(folder, part);
  const make = (part: string, words: readonly string[]) =>
    openssl(
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...words],
      ...["-keyout", file(`${part}.key`), "-out", file(`${part}.crt`)],
    );
  const by = (part: string) => ["-CA", file(`${part}.crt`), "-CAkey", file(`${part}.key`)];
  try {
    await make("root", ["-subj", "/CN=root of the tests"]);
    await make("issuer", ["-subj", "/CN=issuer", ...by("root"), "-addext", "basicConstraints=critical,CA:TRUE"]);
    const read = (part: string) => Bun.file(file(part)).text();
    const chains: { chain: string; key: string }[] = [];
    for (const name of names) {
      await make("leaf", [
        ...["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`, ...by("issuer")],
        ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ]);
      chains.push({ chain: `${await read("leaf.crt")}${await read("issuer.crt")}`, key: await read("leaf.key") });
    }
    return { root: await read("root.crt"), chains };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What all of a process's stand-ins sign with: seven certificates with RSA keys take half a second of work. */
let keys: ReturnType<typeof makeKeys> | undefined;

async function makeKeys() {
  const [{ root, chains }, { chains: strange }] = await Promise.all([
    makeChains(NAME, "paypal.com.example.org"),
    makeChains(NAME),
  ]);
  /** `neighbor` has the same authority as PayPal's, `outside` the same name. */
  return { root, certificates: { own: chains[0], neighbor: chains[1], outside: strange[0] } };
}

/**
 * A stand-in for PayPal as its reference documents it: OAuth tokens, Orders v2, refunds of captures, idempotent by request ID;
 * and notifications that are signed with a certificate it serves.
 */
export async function startFakePaypal() {
  keys ??= makeKeys();
  const { root, certificates } = await keys;
  /** `failing`: the next requests are carried out, and answered with an error. */
  const state = { failing: 0, refusesRefunds: false, declines: false, slow: false };
  const orders = new Map<string, Order>();
  const answers = new Map<string, [status: number, body: object]>();
  let counter = 0;
  const next = (prefix: string) => `${prefix}${++counter}`;

  const plans = createFakePaypalPlans(next);

  const amountOf = ({ value, currency }: Order) => ({ value, currency_code: currency });
  const captureObject = (order: Order, { id, status, refunds }: Capture) => ({
    ...{ id, status: refunds.size > 0 ? "REFUNDED" : status, amount: amountOf(order), final_capture: true },
    ...{ custom_id: order.tradeNo, invoice_id: order.tradeNo },
  });
  const orderObject = (order: Order) => ({
    ...{ id: order.id, intent: "CAPTURE" },
    status: { open: "PAYER_ACTION_REQUIRED", approved: "APPROVED", paid: "COMPLETED", closed: "VOIDED" }[order.state],
    purchase_units: [
      {
        ...{ reference_id: "default", custom_id: order.tradeNo, invoice_id: order.tradeNo, amount: amountOf(order) },
        ...(order.capture && { payments: { captures: [captureObject(order, order.capture)] } }),
      },
    ],
    links: [{ rel: "payer-action", href: `https://www.paypal.test/checkoutnow?token=${order.id}`, method: "GET" }],
  });
  const issue = (status: number, name: string): [number, object] => [
    status,
    { name: "UNPROCESSABLE_ENTITY", details: [{ issue: name }] },
  ];
  const capture = (order: Order): [number, object] => {
    if (order.state === "paid") return issue(422, "ORDER_ALREADY_CAPTURED");
    if (order.state !== "approved") return issue(422, "ORDER_NOT_APPROVED");
    if (state.declines) return issue(422, "INSTRUMENT_DECLINED");
    order.capture = { id: next("CAP"), status: state.slow ? "PENDING" : "COMPLETED", refunds: new Map() };
    order.state = "paid";
    return [201, orderObject(order)];
  };

  function answer(path: string, body: Record<string, unknown>, requestId: string): [number, object] {
    const [, , , kind, id, action] = path.split("/");
    if (path === "/v2/checkout/orders") {
      const [unit] = body.purchase_units as { custom_id: string; amount: { value: string; currency_code: string } }[];
      if (!unit) return issue(400, "MISSING_REQUIRED_PARAMETER");
      const { custom_id: tradeNo, amount } = unit;
      const order: Order = {
        ...{ id: next("ORDER"), tradeNo, value: amount.value, currency: amount.currency_code },
        ...{ state: "open" as const, capture: null },
      };
      orders.set(tradeNo, order);
      return [201, orderObject(order)];
    }
    const order = [...orders.values()].find((one) => one.id === id || one.capture?.id === id);
    if (!order) return issue(404, "INVALID_RESOURCE_ID");
    if (kind === "captures" && action === "refund" && order.capture) {
      if (state.refusesRefunds) return issue(422, "REFUND_TIME_LIMIT_EXCEEDED");
      if (order.capture.refunds.size > 0) return issue(422, "CAPTURE_FULLY_REFUNDED");
      const { value } = body.amount as { value: string };
      order.capture.refunds.set(requestId, Math.round(Number(value) * 100));
      return [201, { id: next("REFUND"), status: "COMPLETED" }];
    }
    return action === "capture" ? capture(order) : [200, orderObject(order)];
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      for (const [name, certificate] of Object.entries(certificates)) {
        if (pathname === `/v1/notifications/certs/CERT-${name}`) return new Response(certificate?.chain);
      }
      const authorization = request.headers.get("authorization") ?? "";
      if (pathname === "/v1/oauth2/token") {
        const isKnown = authorization === `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`;
        return Response.json(isKnown ? { access_token: "token", expires_in: 32_400 } : {}, {
          status: isKnown ? 200 : 401,
        });
      }
      if (authorization !== "Bearer token") return Response.json({ name: "AUTHENTICATION_FAILURE" }, { status: 401 });
      const key = `${pathname} ${request.headers.get("paypal-request-id") ?? ""}`;
      const text = await request.text();
      const isNew = request.method === "GET" || request.headers.get("paypal-request-id") === null || !answers.has(key);
      const input = text === "" ? {} : JSON.parse(text);
      const [status, body] = isNew
        ? (plans.answer(request.method, pathname, input) ??
          answer(pathname, input, request.headers.get("paypal-request-id") ?? ""))
        : (answers.get(key) ?? [500, {}]);
      // What was declined can be asked for again.
      if (request.method === "POST" && status < 300) answers.set(key, [status, body]);
      if (state.failing-- > 0) return Response.json({ name: "INTERNAL_SERVER_ERROR" }, { status: 500 });
      return status === 204 ? new Response(null, { status }) : Response.json(body, { status });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  /** A notification as it is posted; `by`: whose certificate signs it; `changes`: headers that differ. */
  const notice = (
    type: string,
    resource: object,
    by: keyof typeof certificates = "own",
    changes: Record<string, string> = {},
  ) => {
    const body = JSON.stringify({ id: next("WH-"), event_type: type, resource_version: "2.0", resource });
    const [id, time] = [crypto.randomUUID(), new Date().toISOString()];
    const text = `${id}|${time}|${WEBHOOK_ID}|${Bun.hash.crc32(body)}`;
    const headers: Record<string, string> = {
      ...{ "paypal-transmission-id": id, "paypal-transmission-time": time, "paypal-auth-algo": "SHA256withRSA" },
      "paypal-cert-url": `${url}/v1/notifications/certs/CERT-${by}`,
      "paypal-transmission-sig": sign("sha256", Buffer.from(text), certificates[by]?.key ?? "").toString("base64"),
      ...changes,
    };
    return { body, headers };
  };
  const orderOf = (tradeNo: string): Order => {
    const order = orders.get(tradeNo);
    if (!order) throw new Error(`there is no order ${tradeNo}`);
    return order;
  };
  const settings = {
    ...{ PaypalClientId: CLIENT.id, PaypalSecret: CLIENT.secret, PaypalWebhookId: WEBHOOK_ID, PaypalAddress: url },
    PaypalPrice: "7.3",
  };
  return {
    ...{ state, plans, orders, orderOf, notice, settings, root, stop: () => server.stop(true) },
    /** The buyer approves, and PayPal's API has been asked to capture: what was paid. */
    pay(tradeNo: string) {
      const order = orderOf(tradeNo);
      order.state = "approved";
      capture(order);
      return captureObject(order, order.capture ?? { id: "", status: "DECLINED", refunds: new Map() });
    },
    approvedNotice: (tradeNo: string) => notice("CHECKOUT.ORDER.APPROVED", orderObject(orderOf(tradeNo))),
  };
}
