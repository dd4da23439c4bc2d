import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const start = (setup: Partial<Parameters<typeof startRelay>[0]> = {}) => {
  const relay = startRelay({
    channels: [{}],
    tokens: { test: { id: 5, unlimitedQuota: false, expiredTime: 4_000_000_000 } },
    standing: { remaining: 1_000_000, used: 250_000 },
    ...setup,
  });
  stops.push(relay.stop);
  return {
    relay,
    ask: async (path: string) => (await relay.get(path)).json(),
  };
};

test.each(["/v1/dashboard/billing", "/dashboard/billing"])(
  "%s reports the key's limit and usage, in dollars",
  async (base) => {
    const { relay, ask } = start();
    expect(await ask(`${base}/subscription`)).toEqual({
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: 2.5,
      hard_limit_usd: 2.5,
      system_hard_limit_usd: 2.5,
      access_until: 4_000_000_000,
    });
    expect(await ask(`${base}/usage`)).toEqual({ object: "list", total_usage: 50 });
    expect(relay.standingsRead).toEqual([{ tokenId: 5 }, { tokenId: 5 }]);
  },
);

test("usage is that of the days that are named, the last one not included", async () => {
  const { relay, ask } = start({ spending: 5000 });
  const usage = (query: string) => ask(`/v1/dashboard/billing/usage?${query}`);
  expect(await usage("start_date=2024-01-01&end_date=2024-02-01")).toEqual({ object: "list", total_usage: 1 });
  expect(await usage("end_date=2024-02-01")).toMatchObject({ total_usage: 1 });
  expect(await usage("start_date=2024-01-01")).toMatchObject({ total_usage: 1 });
  const [january, february] = [Date.UTC(2024, 0, 1) / 1000, Date.UTC(2024, 1, 1) / 1000];
  expect(relay.spendingReads.slice(0, 2)).toEqual([
    [{ tokenId: 5 }, january, february],
    [{ tokenId: 5 }, 0, february],
  ]);
  const [, begin, end = 0] = relay.spendingReads[2] ?? [];
  expect([begin, end > Date.now() / 1000, end < Date.now() / 1000 + 86_401]).toEqual([january, true, true]);
  expect(relay.standingsRead).toEqual([]);
  for (const wrong of ["start_date=yesterday", "end_date=2024-13-01", "start_date=2024-1-1"]) {
    expect(await usage(wrong)).toMatchObject({ error: { type: "invalid_request_error", param: wrong.split("=")[0] } });
  }
});

test("reports the owner's balance if the settings say so, in units if money is not displayed", async () => {
  const { relay, ask } = start({ options: { DisplayTokenStatEnabled: "false", DisplayInCurrencyEnabled: "false" } });
  expect(await ask("/v1/dashboard/billing/subscription")).toMatchObject({ hard_limit_usd: 1_250_000, access_until: 0 });
  expect(await ask("/v1/dashboard/billing/usage")).toMatchObject({ total_usage: 25_000_000 });
  expect(relay.standingsRead).toEqual([{ userId: 1 }, { userId: 1 }]);
});

test("an unlimited key that never expires has a limit of a hundred million", async () => {
  const { ask } = start({ tokens: { test: { unlimitedQuota: true } } });
  expect(await ask("/v1/dashboard/billing/subscription")).toMatchObject({
    hard_limit_usd: 100_000_000,
    access_until: 0,
  });
});

test("/api/usage/token reports the key's balance and limits in quota units", async () => {
  const { ask } = start({
    tokens: { test: { id: 5, name: "mine", unlimitedQuota: false, modelLimits: new Set(["a"]) } },
  });
  expect(await ask("/api/usage/token/")).toEqual({
    code: true,
    message: "ok",
    data: {
      object: "token_usage",
      name: "mine",
      total_granted: 1_250_000,
      total_used: 250_000,
      total_available: 1_000_000,
      unlimited_quota: false,
      model_limits: { a: true },
      model_limits_enabled: true,
      expires_at: 0,
    },
  });
});

test.each(["/v1/dashboard/billing/usage", "/dashboard/billing/subscription", "/api/usage/token"])(
  "%s requires a key that may be used from this address",
  async (path) => {
    const { relay } = start({ tokens: { no: { allowIps: { matches: () => false, text: "" } } } });
    expect((await relay.get(path, {})).status).toBe(401);
    expect((await relay.get(path, { authorization: "Bearer sk-no" })).status).toBe(403);
    expect(relay.standingsRead).toEqual([]);
  },
);
