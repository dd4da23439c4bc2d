import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { pino } from "pino";
import { tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import type { SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { Caller } from "../call/caller.ts";
import type { GatewayError } from "../call/errors.ts";
import { createPlanLimits } from "./limits/plan-limits.ts";
import { createUserLimits } from "./limits/user-limits.ts";
import { createApiKeyLimits, createModelRequestLimit, isLimited, rateLimit } from "./rate-limit.ts";

/** Which limits count a request, by whom, in which window: what a question to Redis would ask. */

const MINUTE_MS = 60_000;
/** Where a slice of each window begins. */
beforeEach(() => void jest.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void jest.useRealTimers());

/** Counts in memory, and records each question. */
function createRecordedLimits() {
  const questions: string[] = [];
  const shared: SharedLimits = {
    limiter(name, limit) {
      const counts = createRateLimiter(limit);
      /** Records a question, then counts. */
      const noting =
        <Arguments extends [key: string, amount?: number], Result>(
          verb: string,
          count: (...args: Arguments) => Result,
        ) =>
        async (...args: Arguments): Promise<Result> => {
          const [key, amount] = args;
          questions.push(`${verb} ${amount === undefined ? "" : `${amount} `}${name} of ${key} in ${limit.windowMs}`);
          return count(...args);
        };
      return {
        take: noting("take", counts.take),
        check: noting("check", counts.check),
        add: noting("add", counts.add),
        giveBack: noting("give back", counts.giveBack),
        forget: async (key) => counts.forget(key),
      };
    },
    isAnswering: () => true,
    ping: null,
    close() {},
  };
  return { questions, shared };
}

const OPTIONS = {
  ModelRequestRateLimitEnabled: "true",
  ModelRequestRateLimitCount: "3",
  ModelRequestRateLimitSuccessCount: "2",
} as const;

const callerOf = (user: Partial<UserEntry>, token: Partial<ApiKeyEntry> | null = null, owners?: readonly UserEntry[]) =>
  ({
    ...{
      user: userEntry({ id: 7, ...user }),
      token: token && tokenEntry({ id: 5, ...token }),
      tokenName: "",
      group: "",
    },
    ...{ pinnedChannelId: null, owners },
  }) satisfies Caller;

function createLimits(options: Partial<Record<keyof typeof OPTIONS | "ModelRequestRateLimitDurationMinutes", string>>) {
  const { questions, shared } = createRecordedLimits();
  const settings = fixedSettings(options);
  const renewed: number[] = [];
  const context = {
    services: { settings },
    requestLimit: createModelRequestLimit(settings, shared),
    userLimits: createUserLimits(shared),
    tokenLimits: createApiKeyLimits({
      sharedLimits: shared,
      log: pino({ level: "silent" }),
      renewBudget: async (id) => void renewed.push(id),
    }),
  };
  return { context: context as typeof context & { services: never }, questions, shared, renewed };
}

const OWNERS = [userEntry({ id: 2, requestsPerMinute: 1 }), userEntry({ id: 3 })];

describe("a request is counted", () => {
  test.each<[string, Partial<typeof OPTIONS>, Caller, readonly string[]]>([
    ["nowhere without limits", {}, callerOf({}, {}), []],
    ["nowhere for the playground", {}, callerOf({}), []],
    ["by its user", {}, callerOf({ requestsPerMinute: 1 }, {}), ["take user-1 of 7 in 60000"]],
    [
      "by an organization and its owners",
      {},
      callerOf({ requestsPerMinute: 4 }, {}, OWNERS),
      ["take user-4 of 7 in 60000", "take user-1 of 2 in 60000"],
    ],
    ["by its owners alone", {}, callerOf({}, {}, OWNERS), ["take user-1 of 2 in 60000"]],
    ["by its key", {}, callerOf({}, { requestsPerMinute: 1 }), ["take key-calls-1 of 5 in 60000"]],
    ["by its key's tokens", {}, callerOf({}, { tokensPerMinute: 1 }), ["check key-tokens-1 of 5 in 60000"]],
    [
      "by the site, for its user",
      OPTIONS,
      callerOf({}, {}),
      ["take calls of 7 in 60000", "check successes of 7 in 60000"],
    ],
    [
      "by the site, for the owners of its organization",
      { ...OPTIONS, ModelRequestRateLimitCount: "0" } as never,
      callerOf({}, {}, OWNERS),
      ["check successes of 2 in 60000", "check successes of 3 in 60000", "take user-1 of 2 in 60000"],
    ],
  ])("%s", async (_, options, caller, expected) => {
    const { context, questions } = createLimits(options);
    expect(isLimited(context, caller)).toBe(expected.length > 0);
    await rateLimit(context, caller);
    expect(questions).toEqual([...expected]);
  });

  test.each([
    [1_800_000_000, [5]],
    [1_800_000_001, []],
    [1, [5]],
    [0, []],
  ])("and the budget of its key, due at %d, is renewed for %j", async (budgetRenewsAt, expected) => {
    const { context, renewed } = createLimits({});
    const caller = callerOf({}, { budgetRenewsAt });
    expect(isLimited(context, caller)).toBe(budgetRenewsAt !== 0);
    await rateLimit(context, caller);
    expect(renewed).toEqual(expected);
  });
});

test("tokens are counted where a limit needs them, and none where there are none", async () => {
  const { context, questions, shared } = createLimits({});
  const plans = createPlanLimits(shared);
  const terms = (tokensPerMinute: number) => [{ userId: 9, tokensPerMinute, requestsPerMinute: 0 } as never];
  for (const [limit, tokens] of [
    [1, 1],
    [1, 0],
    [0, 1],
    [9, 8],
  ] as const) {
    context.tokenLimits.used(tokenEntry({ id: 5, tokensPerMinute: limit }), tokens);
    plans.used(terms(limit), tokens);
  }
  expect(questions).toEqual([
    ...["add 1 key-tokens-1 of 5 in 60000", "add 1 plan-tokens-1 of 9 in 60000"],
    ...["add 8 key-tokens-9 of 5 in 60000", "add 8 plan-tokens-9 of 9 in 60000"],
  ]);
});

describe("the site's limit", () => {
  const call = (caller = callerOf({})) => ({
    progress: { client: {} as { takeBack?: (() => void) | null } },
    caller,
  });
  /** What refuses a request: the limit and the message; null: nothing does. */
  const refusalOf = (admitting: Promise<void>) =>
    admitting.then(
      () => null,
      (error: GatewayError) => `${error.limit}: ${error.message}`,
    );
  const waitOf = (admitting: Promise<void>) =>
    admitting.then(
      () => 0,
      (error: GatewayError) => error.retryAfterSeconds ?? 0,
    );

  test.each([
    ["0", 1, "in 1 minute reached"],
    ["1", 1, "in 1 minute reached"],
    ["2", 2, "in 2 minutes reached"],
  ])("of %s minutes is one of a sliding window, which a refusal names", async (text, minutes, named) => {
    const { context } = createLimits({ ...OPTIONS, ModelRequestRateLimitDurationMinutes: text });
    const { requestLimit } = context;
    for (const _ of [1, 2, 3]) await requestLimit.admit(7);
    const refused = await refusalOf(requestLimit.admit(7));
    expect(refused).toContain("user_requests: ");
    expect(refused).toContain(named);
    expect(await refusalOf(requestLimit.admit(8))).toBeNull();
    const seconds = await waitOf(requestLimit.admit(7));
    expect(seconds).toBeGreaterThanOrEqual(minutes * 60);
    jest.advanceTimersByTime((seconds - 1) * 1000);
    expect(await waitOf(requestLimit.admit(7))).toBe(1);
    jest.advanceTimersByTime(1000);
    expect(await refusalOf(requestLimit.admit(7))).toBeNull();
  });

  test.each(["0", "9"])("of successes refuses at its own count, of %s requests in all", async (count) => {
    const { context } = createLimits({ ...OPTIONS, ModelRequestRateLimitCount: count });
    const { requestLimit } = context;
    for (const _ of [1, 2]) await requestLimit.begin(call());
    for (const refusing of [() => requestLimit.admit(7), () => requestLimit.begin(call())]) {
      expect(await refusalOf(refusing())).toContain("user_successes: ");
    }
    const seconds = await waitOf(requestLimit.admit(7));
    jest.advanceTimersByTime((seconds - 1) * 1000);
    for (const refusing of [() => requestLimit.admit(7), () => requestLimit.begin(call())]) {
      expect(await waitOf(refusing())).toBe(1);
    }
    jest.advanceTimersByTime(1000);
    for (const _ of [1, 2]) await requestLimit.begin(call());
  });

  test("of one request in all admits one", async () => {
    const { context } = createLimits({ ...OPTIONS, ModelRequestRateLimitCount: "1" });
    await context.requestLimit.admit(7);
    expect(await refusalOf(context.requestLimit.admit(7))).toContain("user_requests: ");
  });

  test("counts nothing while it is off", async () => {
    const { context, questions } = createLimits({ ...OPTIONS, ModelRequestRateLimitEnabled: "false" });
    const { requestLimit } = context;
    await requestLimit.admit(7);
    const one = call();
    await requestLimit.begin(one);
    requestLimit.succeeded(one);
    requestLimit.failed(one);
    expect(questions).toEqual([]);
  });

  const TAKE = "take successes of 7 in 60000";
  const BACK = "give back successes of 7 in 60000";
  type Step = "begin" | "succeeded" | "failed" | number;
  test.each<[string, readonly Step[], readonly string[]]>([
    ["succeeds", ["begin", "succeeded"], [TAKE]],
    ["fails", ["begin", "failed"], [TAKE, BACK]],
    ["succeeds, and fails afterwards", ["begin", "succeeded", "failed"], [TAKE]],
    ["fails twice", ["begin", "failed", "failed"], [TAKE, BACK]],
    ["succeeds without having begun", ["succeeded"], [TAKE]],
    ["fails without having begun", ["failed"], []],
    ["fails, is sent again and succeeds", ["begin", "failed", "succeeded"], [TAKE, BACK, TAKE]],
    ["begins later and fails", [MINUTE_MS - 1, "begin", "failed"], [TAKE, BACK]],
    ["fails just within the window", ["begin", MINUTE_MS - 1, "failed"], [TAKE, BACK]],
    ["fails when the window is over", ["begin", MINUTE_MS, "failed"], [TAKE]],
  ])("of successes counts a call that %s", async (_, steps, expected) => {
    const { context, questions } = createLimits(OPTIONS);
    const one = call();
    for (const step of steps) {
      if (typeof step === "number") jest.advanceTimersByTime(step);
      else await context.requestLimit[step](one);
    }
    expect(questions).toEqual([...expected]);
  });

  test("of successes refuses a call for one owner, and gives back what it counted for the other", async () => {
    const { context, questions } = createLimits(OPTIONS);
    const { requestLimit } = context;
    const [first, second] = OWNERS;
    const shared = call(callerOf({}, null, OWNERS));
    for (const _ of [1, 2]) await requestLimit.begin(call(callerOf({}, null, second && [second])));
    jest.advanceTimersByTime(((await waitOf(requestLimit.admit(3))) - 1) * 1000);
    questions.length = 0;
    expect(await waitOf(requestLimit.begin(shared))).toBe(1);
    const ofFirst = ["take", "give back"].map((verb) => `${verb} successes of 2 in 60000`);
    expect(questions.filter((question) => question.includes(" of 2 "))).toEqual(ofFirst);
    requestLimit.failed(shared);
    expect(questions.filter((question) => question.startsWith("give back"))).toHaveLength(1);
    for (const _ of [1, 2]) await requestLimit.begin(call(callerOf({}, null, first && [first])));
  });

  test("of successes gives back for each owner what a failed call counted", async () => {
    const { context, questions } = createLimits(OPTIONS);
    const shared = call(callerOf({}, null, OWNERS));
    await context.requestLimit.begin(shared);
    expect(questions).toHaveLength(2);
    context.requestLimit.failed(shared);
    expect(questions.slice(2)).toEqual([2, 3].map((id) => `give back successes of ${id} in 60000`));
  });

  test("is the same for all organizations of a person together", async () => {
    const { context } = createLimits({ ...OPTIONS, ModelRequestRateLimitSuccessCount: "9" });
    const person = userEntry({ id: 7 });
    const outcomes = [];
    for (const id of [7, 8, 9, 10])
      outcomes.push(await refusalOf(rateLimit(context, callerOf({ id }, null, [person]))));
    expect(outcomes.map((outcome) => outcome === null)).toEqual([true, true, true, false]);
  });

  test("starts again when an option changes", async () => {
    const values = { ...OPTIONS, ModelRequestRateLimitDurationMinutes: "1" };
    let settings = fixedSettings(values);
    const { questions, shared } = createRecordedLimits();
    const current = {
      get values() {
        return settings.values;
      },
    } as typeof settings;
    const limit = createModelRequestLimit(current, shared);
    for (const _ of [1, 2, 3]) await limit.admit(7);
    for (const change of [
      { ModelRequestRateLimitCount: "4" },
      { ModelRequestRateLimitSuccessCount: "5" },
      { ModelRequestRateLimitDurationMinutes: "3" },
    ]) {
      settings = fixedSettings({ ...values, ...change });
      expect(await refusalOf(limit.admit(7))).toBeNull();
    }
    expect(questions.at(-2)).toBe("take calls of 7 in 180000");
  });
});
