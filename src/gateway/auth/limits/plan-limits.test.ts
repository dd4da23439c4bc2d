import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { PlanTerms } from "../../../domain/wallet/plans/limits/terms.ts";
import { GatewayError } from "../../call/errors.ts";
import { createPlanLimits, type PlanLimits } from "./plan-limits.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const plan = (planName: string, limits: Partial<Pick<PlanTerms, "requestsPerMinute" | "tokensPerMinute" | "userId">>) =>
  ({ planName, userId: 1, requestsPerMinute: 0, tokensPerMinute: 0, ...limits }) as PlanTerms;

/** What refuses the call, and by which limit; null: it is admitted. */
async function refusal(limits: PlanLimits, ...terms: readonly PlanTerms[]) {
  try {
    await limits.admit(terms);
    return null;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { status, reason, limit, retryAfterSeconds } = error;
    const params = typeof reason === "object" && "params" in reason ? reason.params : {};
    return { status, limit, retryAfterSeconds, ...params };
  }
}

/** The call is admitted after the time that its refusal names, about a minute, and not a second before. */
async function passes(
  limits: PlanLimits,
  refused: Awaited<ReturnType<typeof refusal>>,
  ...terms: readonly PlanTerms[]
) {
  const { retryAfterSeconds = 0, seconds } = { seconds: 0, ...refused };
  expect([seconds, retryAfterSeconds >= 60 && retryAfterSeconds < 65]).toEqual([retryAfterSeconds, true]);
  jest.advanceTimersByTime((retryAfterSeconds - 1) * 1000);
  expect(await refusal(limits, ...terms)).toMatchObject({ seconds: 1 });
  jest.advanceTimersByTime(1000);
  expect(await refusal(limits, ...terms)).toBeNull();
}

describe("requests a minute", () => {
  test("are as many as the plan allows, for each account, and again a minute later", async () => {
    const limits = createPlanLimits(null);
    const terms = plan("Pro", { requestsPerMinute: 2 });
    expect([await refusal(limits, terms), await refusal(limits, terms)]).toEqual([null, null]);
    const refused = await refusal(limits, terms);
    expect(refused).toMatchObject({ status: 429, limit: "plan_requests_per_minute", plan: "Pro", count: 2 });
    expect(await refusal(limits, { ...terms, userId: 2 })).toBeNull();
    await passes(limits, refused, terms);
  });

  test("are those of the most generous of several plans; one without a limit does not count", async () => {
    for (const order of [
      [1, 3, 2],
      [3, 1, 0],
    ]) {
      const limits = createPlanLimits(null);
      const several = order.map((requestsPerMinute) => plan(`of ${requestsPerMinute}`, { requestsPerMinute }));
      for (let call = 0; call < 3; call += 1) expect(await refusal(limits, ...several)).toBeNull();
      expect(await refusal(limits, ...several)).toMatchObject({ plan: "of 3", count: 3 });
    }
  });

  test("may be one", async () => {
    const limits = createPlanLimits(null);
    const terms = plan("Single", { requestsPerMinute: 1 });
    expect([await refusal(limits, terms), await refusal(limits, terms)]).toMatchObject([null, { count: 1 }]);
  });

  test("are not counted without a limit", async () => {
    const limits = createPlanLimits(null);
    for (let call = 0; call < 5; call += 1) expect(await refusal(limits, plan("Free", {}))).toBeNull();
    expect(await refusal(limits)).toBeNull();
  });
});

test("tokens a minute refuse calls once they are used up", async () => {
  const limits = createPlanLimits(null);
  const terms = [plan("Small", { tokensPerMinute: 50 }), plan("Large", { tokensPerMinute: 100 })];
  limits.used(terms, 99);
  expect(await refusal(limits, ...terms)).toBeNull();
  limits.used(terms, 0);
  expect(await refusal(limits, ...terms)).toBeNull();
  limits.used(terms, 1);
  const refused = await refusal(limits, ...terms);
  expect(refused).toMatchObject({ status: 429, limit: "plan_tokens_per_minute", plan: "Large", count: 100 });
  limits.used([plan("Free", {})], 1_000_000);
  expect(await refusal(limits, plan("Free", {}))).toBeNull();
  await passes(limits, refused, ...terms);
});
