import { Elysia } from "elysia";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import { handleEpayCallback } from "../../domain/wallet/payments/epay-callback.ts";
import { handleStripeWebhook } from "../../domain/wallet/payments/stripe-webhook.ts";
import { bytesUpTo } from "../../lib/http/limited-body.ts";
import type { Logger } from "../../lib/runtime/log.ts";

/** Far larger than any notification of a payment service. */
const LARGEST_NOTICE_BYTES = 262_144;

/** Callbacks of payment services: unauthenticated, verified by their signature. */
export function paymentCallbackRoutes(services: WalletDeps & Readonly<{ log: Logger }>) {
  const respondToEpay = async (fields: URLSearchParams) =>
    plain((await handleEpayCallback(services, Object.fromEntries(fields))) ? "success" : "fail");
  return new Elysia({ prefix: "/api", name: "console/payment-callbacks" })
    .get("/user/epay/notify", ({ request }) => respondToEpay(new URL(request.url).searchParams))
    .post(
      "/user/epay/notify",
      async ({ request }) => {
        const text = await readNotice(request);
        return text === null ? plain("fail", 413) : respondToEpay(new URLSearchParams(text));
      },
      { parse: "none" },
    )
    .post(
      "/stripe/webhook",
      async ({ request }) => {
        const text = await readNotice(request);
        if (text === null) return plain("too large", 413);
        const received = await handleStripeWebhook(services, text, request.headers.get("stripe-signature") ?? "");
        return received ? plain("ok") : plain("refused", 400);
      },
      { parse: "none" },
    );
}

const plain = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" } });

/** The raw body; null when it is too large for a notification. */
async function readNotice(request: Request): Promise<string | null> {
  const bytes = await bytesUpTo(request, LARGEST_NOTICE_BYTES);
  return bytes && Buffer.from(bytes).toString("utf8");
}
