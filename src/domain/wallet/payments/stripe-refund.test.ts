import { afterAll, beforeEach, expect, test } from "bun:test";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { refundByStripe } from "./stripe-refund.ts";

const requests: { path: string; body: string; key: string | null }[] = [];
let answer: { status: number; body: object } = { status: 200, body: {} };
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname: path } = new URL(request.url);
    if (request.method === "GET") return Response.json({ id: "cs_1", payment_intent: "pi_of_page" });
    requests.push({ path, body: await request.text(), key: request.headers.get("idempotency-key") });
    return Response.json(answer.body, { status: answer.status });
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  requests.length = 0;
});

const deps = {
  settings: fixedSettings({ StripeSecretKey: "sk_test" }),
  fetch: createSafeFetch(createAddressPolicy(true)),
  stripeAddress: `http://127.0.0.1:${server.port}`,
};
const refund = (gatewayNo: string) => refundByStripe(deps, { tradeNo: "T1", gatewayNo });

test("the payment of a page and of a saved card is refunded, under one key", async () => {
  answer = { status: 200, body: { id: "re_1", status: "succeeded" } };
  expect([await refund("cs_1"), await refund("pi_2")]).toEqual([{ state: "done" }, { state: "done" }]);
  expect(requests).toMatchObject([
    { path: "/v1/refunds", body: expect.stringContaining("payment_intent=pi_of_page"), key: "T1R" },
    { path: "/v1/refunds", body: expect.stringContaining("payment_intent=pi_2"), key: "T1R" },
  ]);
});

test.each([
  ["pending", { status: 200, body: { status: "pending" } }, { state: "pending" }],
  ["failed", { status: 200, body: { status: "failed", failure_reason: "lost_or_stolen_card" } }, { state: "refused" }],
  [
    "paid back in the dashboard",
    { status: 400, body: { error: { code: "charge_already_refunded" } } },
    { state: "done" },
  ],
  ["refused", { status: 400, body: { error: { message: "disputed" } } }, { state: "refused", reason: "disputed" }],
] as const)("a refund that is %s", async (_, stripeAnswer, expected) => {
  answer = stripeAnswer;
  expect(await refund("pi_2")).toMatchObject(expected);
});

test("without an answer nobody knows, and without a payment Stripe has to be asked", async () => {
  answer = { status: 500, body: { error: { message: "down" } } };
  await expect(refund("pi_2")).rejects.toThrow();
  await expect(refund("")).rejects.toMatchObject({ code: "order_refund_at_service" });
});
