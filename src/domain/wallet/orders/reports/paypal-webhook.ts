import { verify, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { eq, or } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { linkOf, takesPaypal } from "../../payments/direct/paypal/client.ts";
import { paypal, stateOfCapture } from "../../payments/direct/paypal/paypal.ts";
import { type DirectDeps, PaymentServiceError, refundNoOf, type ServiceDeps } from "../../payments/direct/service.ts";
import { reportCase } from "../../payments/direct/services.ts";
import { handlePaypalPlanEvent } from "../../plans/card/paypal/events.ts";
import { applyState } from "./apply-state.ts";

export type PaypalDeps = DirectDeps & SignatureDeps;

type Order = typeof topUpOrders.$inferSelect;

/**
 * Handles a notification of PayPal; `body` as it was sent. True: acknowledge it; false: it is not PayPal's, or PayPal could not
 * be asked for its certificate or subscription: then it sends it again.
 */
export async function handlePaypalWebhook(
  deps: PaypalDeps,
  notice: Readonly<{ headers: Headers; body: string }>,
): Promise<boolean> {
  if (!takesPaypal(deps.settings)) return false;
  try {
    if (!(await isFromPaypal(deps, notice))) return false;
  } catch (error) {
    deps.log.warn({ reason: messageOf(error) }, "a notification of PayPal cannot be checked");
    return false;
  }
  const { event_type: type, resource } = recordOf(parseJson(notice.body)) ?? {};
  await handleEvent(deps, String(type), recordOf(resource) ?? {});
  try {
    await handlePaypalPlanEvent(deps, String(type), recordOf(resource) ?? {});
    return true;
  } catch (error) {
    if (!(error instanceof PaymentServiceError || error instanceof OutboundError)) throw error;
    deps.log.warn({ type, reason: error.message }, "a notification of PayPal could not be looked up");
    return false;
  }
}

/** https://developer.paypal.com/api/rest/webhooks/event-names/ */
async function handleEvent(deps: PaypalDeps, type: string, resource: JsonObject): Promise<void> {
  switch (type) {
    case "CHECKOUT.ORDER.APPROVED":
      return lookUp(deps, textOf(recordsOf(resource.purchase_units)[0]?.custom_id) ?? "");
    case "PAYMENT.CAPTURE.COMPLETED":
      return applyState(deps, "paypal", textOf(resource.custom_id) ?? "", stateOfCapture(resource));
    case "PAYMENT.CAPTURE.REFUNDED":
      return applyRefund(deps, resource);
    case "PAYMENT.CAPTURE.REVERSED": {
      const order = await findOrder(deps, resource);
      if (order) await report(deps, "dispute", order, resource.id, recordOf(resource.amount), true);
      return;
    }
    case "CUSTOMER.DISPUTE.CREATED": {
      const [transaction] = recordsOf(resource.disputed_transactions);
      const order = await findOrder(deps, {
        ...{ custom_id: transaction?.custom, invoice_id: transaction?.invoice_number },
        capture_id: transaction?.seller_transaction_id,
      });
      if (order) await report(deps, "dispute", order, resource.dispute_id, recordOf(resource.dispute_amount), false);
      return;
    }
  }
}

/** Captures an order that was approved. When PayPal does not answer, the poller does it. */
async function lookUp(deps: PaypalDeps, tradeNo: string): Promise<void> {
  const order = await findOrder(deps, { custom_id: tradeNo });
  if (!order || order.status === "success") return;
  try {
    await applyState(deps, "paypal", tradeNo, await paypal.find(deps, order));
  } catch (error) {
    deps.log.warn({ tradeNo, reason: messageOf(error) }, "an order of PayPal could not be captured yet");
  }
}

/** Notes a refund of ours; others were made at PayPal: what becomes of the balance is an administrator's decision. */
async function applyRefund(deps: PaypalDeps, refund: JsonObject): Promise<void> {
  const order = await findOrder(deps, refund);
  if (!order) return;
  if (textOf(refund.invoice_id) !== refundNoOf(order.tradeNo)) {
    return report(deps, "refund", order, refund.id, recordOf(refund.amount), refund.status === "COMPLETED");
  }
  if (refund.status !== "COMPLETED" || order.refundStartedTime === 0 || order.refundedTime > 0) return;
  await deps.db.update(topUpOrders).set({ refundedTime: nowSeconds() }).where(eq(topUpOrders.id, order.id));
}

/** The order that something is about: by our number, or by PayPal's of its capture. Undefined: it is none of ours. */
async function findOrder({ db }: PaypalDeps, about: JsonObject): Promise<Order | undefined> {
  const captureNo = textOf(about.capture_id) ?? linkOf(about, ["up"])?.split("/").at(-1) ?? "";
  const numbers = [about.custom_id, about.invoice_id].map(textOf).filter((number) => number !== null);
  const conditions = [
    ...numbers.map((number) => eq(topUpOrders.tradeNo, number)),
    ...(captureNo === "" ? [] : [eq(topUpOrders.gatewayNo, captureNo)]),
  ];
  if (conditions.length === 0) return undefined;
  const [order] = await db
    .select()
    .from(topUpOrders)
    .where(or(...conditions));
  return order?.method === "paypal" ? order : undefined;
}

const report = (
  deps: PaypalDeps,
  kind: "refund" | "dispute",
  { tradeNo, money: ordered, currency: due }: Order,
  reference: unknown,
  amount: JsonObject | null,
  isPaidBack: boolean,
): Promise<void> => {
  const [money, currency] = [textOf(amount?.value) ?? ordered, textOf(amount?.currency_code) ?? due];
  return reportCase(deps, kind, tradeNo, { reference: String(reference ?? tradeNo), money, currency, isPaidBack });
};

type SignatureDeps = ServiceDeps &
  Readonly<{
    /** Authorities (PEM) that PayPal's certificate may lead to; default: the public ones. */
    certificateRoots?: readonly string[];
  }>;

const TIMEOUT_MS = 10_000;
const LARGEST_CERTIFICATE_BYTES = 65_536;
const LONGEST_CHAIN = 8;
const HOUR_MS = 3_600_000;
/** Chains by their address. */
const chains = new LRUCache<string, readonly X509Certificate[]>({ max: 20, ttl: HOUR_MS });
let publicRoots: readonly X509Certificate[] | null = null;

/**
 * Whether PayPal signed a notification for this webhook, as its documentation says
 * (https://developer.paypal.com/api/rest/webhooks/rest/): over the transmission's ID and time, the webhook's ID and the CRC-32 of
 * the body, with the key of a certificate that is PayPal's. Throws PaymentServiceError when the certificate cannot be fetched.
 */
async function isFromPaypal(
  deps: SignatureDeps,
  { headers, body }: Readonly<{ headers: Headers; body: string }>,
): Promise<boolean> {
  const header = (name: string) => headers.get(`paypal-${name}`) ?? "";
  const signature = Buffer.from(header("transmission-sig"), "base64");
  const address = certificateAddress(deps, header("cert-url"));
  if (header("auth-algo") !== "SHA256withRSA" || signature.length === 0 || address === null) return false;
  const chain = chains.get(address) ?? (await fetchChain(deps, address));
  const [leaf] = chain;
  if (!leaf || !namesPaypal(leaf) || !isTrusted(chain, rootsOf(deps), Date.now())) return false;
  chains.set(address, chain);
  const signed = [
    ...[header("transmission-id"), header("transmission-time"), deps.settings.get("PaypalWebhookId")],
    String(Bun.hash.crc32(body)),
  ].join("|");
  return verify("sha256", Buffer.from(signed), leaf.publicKey, signature);
}

/** Where a certificate may be fetched from: PayPal itself, or where its API is called. Null: it is elsewhere. */
function certificateAddress({ settings }: SignatureDeps, text: string): string | null {
  const url = URL.parse(text);
  if (!url?.pathname.startsWith("/v1/notifications/certs/")) return null;
  const isAtPaypal = url.protocol === "https:" && /(^|\.)paypal\.com$/.test(url.hostname) && url.port === "";
  return isAtPaypal || url.origin === URL.parse(settings.get("PaypalAddress"))?.origin ? url.href : null;
}

async function fetchChain(deps: SignatureDeps, address: string): Promise<readonly X509Certificate[]> {
  const response = await deps.fetch(address, {
    ...{ timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_CERTIFICATE_BYTES, maxRedirects: 0 },
  });
  if (response.status !== 200) throw new PaymentServiceError(`PayPal's certificate: ${response.status}`);
  const blocks = response.text().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

/** Whether a certificate names PayPal: a host below paypal.com. */
function namesPaypal({ subjectAltName, subject }: X509Certificate): boolean {
  const names = subjectAltName?.split(/,\s*/) ?? subject.split("\n").filter((line) => line.startsWith("CN="));
  return names.some((name) => /^(?:DNS:|CN=)(?:[a-z0-9-]+\.)*paypal\.com$/i.test(name));
}

function rootsOf({ certificateRoots }: SignatureDeps): readonly X509Certificate[] {
  if (certificateRoots) return certificateRoots.map((pem) => new X509Certificate(pem));
  publicRoots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return publicRoots;
}

/** Whether each certificate is valid now and signed by the next, up to an authority. */
function isTrusted(chain: readonly X509Certificate[], roots: readonly X509Certificate[], now: number): boolean {
  let [current] = chain;
  for (let length = 0; current && length < LONGEST_CHAIN; length++) {
    const certificate = current;
    const isValid = Date.parse(certificate.validFrom) <= now && now < Date.parse(certificate.validTo);
    if (!isValid) return false;
    const isSignedBy = (issuer: X509Certificate) =>
      issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
    if (roots.some(isSignedBy)) return true;
    current = chain.find((one) => one !== certificate && isSignedBy(one));
  }
  return false;
}
