import { Elysia } from "elysia";
import { handleEpayCallback } from "../../../domain/wallet/orders/reports/epay-callback.ts";
import { handleAlipayNotice, handleWechatNotice } from "../../../domain/wallet/orders/reports/notices.ts";
import { handlePaypalWebhook, type PaypalDeps } from "../../../domain/wallet/orders/reports/paypal-webhook.ts";
import { handleStripeWebhook } from "../../../domain/wallet/orders/reports/stripe-webhook.ts";
import type { StripeDeps } from "../../../domain/wallet/payments/stripe.ts";
import { bytesUpTo } from "../../../lib/http/limited-body.ts";

/** Far larger than any notification of a payment service. */
const LARGEST_NOTICE_BYTES = 262_144;

/** Callbacks of payment services: unauthenticated, verified by their signature. */
export function paymentCallbackRoutes(services: PaypalDeps & StripeDeps) {
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
      "/user/alipay/notify",
      async ({ request }) => {
        const text = await readNotice(request);
        if (text === null) return plain("fail", 413);
        const isHandled = await handleAlipayNotice(services, Object.fromEntries(new URLSearchParams(text)));
        return plain(isHandled ? "success" : "fail");
      },
      { parse: "none" },
    )
    .post(
      "/user/wechat/notify",
      async ({ request }) => {
        const body = await readNotice(request);
        if (body === null) return plain("too large", 413);
        const isHandled = await handleWechatNotice(services, { headers: request.headers, body });
        if (isHandled) return new Response(null, { status: 204 });
        return Response.json({ code: "FAIL", message: "refused" }, { status: 400 });
      },
      { parse: "none" },
    )
    .post(
      "/paypal/webhook",
      async ({ request }) => {
        const body = await readNotice(request);
        if (body === null) return plain("too large", 413);
        const received = await handlePaypalWebhook(services, { headers: request.headers, body });
        return received ? plain("ok") : plain("refused", 400);
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
