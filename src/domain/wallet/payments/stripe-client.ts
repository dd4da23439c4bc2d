import type Stripe from "stripe";
import type { Db } from "../../../../db/types.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

const TIMEOUT_MS = 20_000;

export type StripeDeps = Readonly<{
  db: Db;
  settings: SettingsReader;
  fetch: SafeFetch;
  log: Logger;
  /** Base address of the service. */
  stripeAddress: string;
}>;

/** The official client, over the gateway's own checked connections. */
export async function stripeClient({
  settings,
  fetch,
  stripeAddress,
}: Omit<StripeDeps, "db" | "log">): Promise<Stripe> {
  const { default: Stripe } = await import("stripe");
  const { protocol, hostname, port } = new URL(stripeAddress);
  return new Stripe(settings.get("StripeSecretKey"), {
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    ...(port !== "" && { port }),
    maxNetworkRetries: 1,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(asWebFetch(fetch)),
  });
}

/** The library's requests, sent by the gateway's own checked fetch, which opens no connections ahead. */
function asWebFetch(fetch: SafeFetch): typeof globalThis.fetch {
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { body } = init;
    const answer = await fetch(input instanceof Request ? input.url : String(input), {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && body !== "" && { body }),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    return new Response(answer.text(), { status: answer.status, headers: answer.headers });
  };
  return Object.assign(send, { preconnect: () => undefined });
}
