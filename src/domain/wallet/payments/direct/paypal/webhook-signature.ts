import { verify, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { LRUCache } from "lru-cache";
import { PaymentServiceError, type ServiceDeps } from "../service.ts";

export type SignatureDeps = ServiceDeps &
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
export async function isFromPaypal(
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
