import { expect, test } from "bun:test";
import type { Attempt } from "../../../billing/types.ts";
import { failureCause } from "./failure-rules.ts";

const attempt = (values: Partial<Attempt>): Attempt => ({
  ...{ channelId: 1, channelName: "East", status: 0, startMs: 0, firstByteMs: null, endMs: 5, error: "no" },
  ...values,
});

const tried = (...attempts: readonly Partial<Attempt>[]) => ({
  admin_info: { use_channel: [], attempts: attempts.map(attempt) },
});

test("a message of the gateway has its class, also inside the sentence that says when a quota is filled up", () => {
  const reason = { code: "gateway_user_quota", params: { needed: "$1", available: "$0" } } as const;
  const error_reason = { code: "gateway_quota_stays", params: { reason } } as const;
  expect(failureCause({ status: 429, error_reason })).toEqual({
    class: "balance",
    status: 429,
    code: "gateway_user_quota",
  });
  const noPrice = { code: "gateway_no_price", params: { model: "m" } } as const;
  expect(failureCause({ status: 500, error_reason: noPrice }).class).toBe("no_price");
});

test.each([
  [{ status: 429, code: "rate_limit_exceeded" }, "provider_limit"],
  [{ status: 401 }, "provider_key"],
  [{ status: 400, problem: "bad_key" }, "provider_key"],
  [{ status: 402 }, "provider_credit"],
  [{ status: 429, problem: "no_credit" }, "provider_credit"],
  [{ status: 0 }, "provider_down"],
  [{ status: 503 }, "provider_down"],
  [{ status: 422 }, "provider_refused"],
] as const)("a provider's answer %p is %p", (last, name) => {
  const cause = failureCause({ ...tried({ status: 500 }, last), status: 502, error: "x" });
  expect(cause).toEqual({ class: name, status: last.status, code: "code" in last ? last.code : "" });
});

test("an attempt that lost a race says nothing", () => {
  const failed = { ...tried({ status: 429 }, { status: 0, isCancelled: true }), status: 429 };
  expect(failureCause(failed).class).toBe("provider_limit");
});

test.each([
  [{ status: 429, error_reason: { code: "gateway_saturated" } }, "provider_limit"],
  [{ status: 503, error_reason: { code: "gateway_temporarily_unavailable" } }, "provider_down"],
  [{ status: 401, error: "Incorrect API key" }, "provider_down"],
  [{ status: 400, error: "max_tokens is too large" }, "provider_refused"],
  [{ status: 400, error_reason: { code: "gateway_no_messages" } }, "request"],
  [{ status: 500, error_reason: { code: "gateway_internal" } }, "gateway"],
  [{ status: 499, ending: "client_left" }, "client_left"],
] as const)("without the operator's part %p is %p", (failed, name) => {
  expect(failureCause(failed).class).toBe(name);
});
