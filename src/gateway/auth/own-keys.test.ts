import { afterEach, describe, expect, test } from "bun:test";
import { policyRules, tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { OWN, startOwnKeys } from "../../../test/support/gateway/own-keys.ts";
import { until } from "../../../test/support/lib/until.ts";
import { compilePolicy } from "../../domain/accounts/organizations/policies/policy.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startOwnKeys>[1] & object;
const start = (setup: Setup = {}) => startOwnKeys(stops, setup);

const CHAT = "/v1/chat/completions";
const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
const refuse = (status: number, error: object) => () => Response.json({ error }, { status });
const keyOf = ({ headers }: { headers: Headers }) => headers.get("authorization");
const sent = (key: string) => ({ headers: { "x-provider-key": key } });
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string; code: string; type: string } }).error;

describe("a stored key", () => {
  test("takes the calls of its account, at a share of the price; the log and the receipt say so", async () => {
    const { relay, provider, upstream, reports } = start();
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect([provider.received.map(keyOf), upstream.received.length]).toEqual([[`Bearer ${OWN}`], 0]);
    const row = await relay.billing.nextRecord();
    // (10 + 5 × 4) × 1.25 = 37.5; 5 % of it are 1.875
    expect(row).toMatchObject({ quota: 2, channelId: 0, failed: false, promptTokens: 10 });
    expect(row.other.receipt).toMatchObject({ ownKeyPercent: "5", groupRatio: "0.05", total: 2 });
    expect(row.other.receipt?.ownKeyFee).toBeUndefined();
    expect(row.other.own_key).toEqual({ id: 1, name: "mine 1", provider: "OpenAI", worth: 38 });
    expect(row.other.admin_info?.use_channel).toEqual(["0"]);
    expect(relay.billing.openHolds).toBe(0);
    expect(JSON.stringify(row)).not.toContain(OWN);
    expect(reports).toEqual([[1, null]]);
  });

  test.each([
    ["0", "0", 0],
    // 37.5 + 0.0002 × 500,000
    ["100", "0.0002", 138],
    ["0", "0.0002", 100],
    // 1.875 + 0.5: half units are rounded once.
    ["5", "0.000001", 2],
    ["5", "0.0000013", 3],
    // What costs anything costs a unit.
    ["0", "0.0000001", 1],
    ["0.0001", "0", 1],
  ])("costs %p %% and $%p a call: %p", async (percent, perCall, quota) => {
    const { relay } = start({ options: { ProviderKeyFeePercent: percent, ProviderKeyFeePerCall: perCall } });
    await relay.post(CHAT, ASK);
    const { quota: charged, other } = await relay.billing.nextRecord();
    expect(charged).toBe(quota);
    const { subtotal = "", groupRatio = "", ownKeyFee = "0", rounding = "0", total = -1 } = other.receipt ?? {};
    expect(Number(subtotal) * Number(groupRatio) + Number(ownKeyFee) + Number(rounding)).toBeCloseTo(total, 9);
    expect(other.receipt?.ownKeyFee !== undefined).toBe(perCall !== "0");
  });

  test("is in the list of models with what it serves, as far as the caller may", async () => {
    const keys = [{ models: ["my-fine-tuned", "gpt-4.1*"], mode: "only" }] as const;
    const listed = async (setup: Setup) => {
      const { relay } = start({ keys: [...keys], ...setup });
      const { data } = (await (await relay.get("/v1/models")).json()) as { data: { id: string }[] };
      const one = await relay.get("/v1/models/my-fine-tuned");
      return { names: new Set(data.map(({ id }) => id)), status: one.status };
    };
    const all = await listed({});
    expect(all.status).toBe(200);
    expect(["my-fine-tuned", "gpt-4.1-mini", "gpt-4o"].map((name) => all.names.has(name))).toEqual([true, true, true]);
    expect(all.names.has("o3")).toBe(false);
    for (const setup of [
      { options: { ProviderKeys: "call" } },
      { options: { ProviderKeyGroups: '["vip"]' } },
      { options: { ProviderKeyProviders: '["anthropic"]' } },
      { tokens: { test: { modelLimits: new Set(["gpt-4o"]) } } },
      {
        user: { kind: "organization" },
        policies: { of: () => [compilePolicy({ name: "Anthropic", rules: policyRules({ channel_types: [14] }) })] },
      },
    ] satisfies Setup[]) {
      const { names, status } = await listed(setup);
      expect([names.has("my-fine-tuned"), names.has("gpt-4.1-mini"), status]).toEqual([false, false, 404]);
    }
  });

  test("used alone holds no more than its fee", async () => {
    const { relay } = start({ keys: [{ mode: "only" }], options: { ProviderKeyFeePercent: "0" } });
    relay.billing.available = 0;
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect((await relay.billing.nextRecord()).quota).toBe(0);
    const first = start({ options: { ProviderKeyFeePercent: "0" } });
    first.relay.billing.available = 0;
    // Channels of the site may take over, at their price.
    expect((await first.relay.post(CHAT, ASK)).status).toBe(429);
  });

  test("serves the models that it names and no others", async () => {
    const { relay, provider, upstream } = start({ keys: [{ models: ["gpt-4o", "o3*"], mode: "only" }] });
    await relay.post(CHAT, ASK);
    await relay.post(CHAT, { ...ASK, model: "gpt-4o-mini" });
    expect([provider.received.length, upstream.received.length]).toEqual([1, 1]);
  });

  test("is never used by another account, at the same time and after its routes were cached", async () => {
    const bob = userEntry({ id: 2, username: "bob" });
    const { relay, provider, upstream } = start({
      tokens: { test: {}, bob: tokenEntry({ id: 2, userId: 2 }) },
    });
    const { users } = relay.services;
    const alone = users.get;
    Object.assign(users, { get: (id: number) => (id === 2 ? bob : alone(id)) });
    const as = (key: string) => relay.post(CHAT, ASK, { headers: { authorization: `Bearer sk-${key}` } });
    const calls = Array.from({ length: 60 }, (_, at) => as(at % 2 ? "test" : "bob"));
    for (const call of await Promise.all(calls)) expect(call.status).toBe(200);
    await relay.billing.nextRecord(60);
    const owners = relay.billing.records.map(({ userId, other, quota }) => [userId, other.own_key?.id ?? null, quota]);
    expect(owners.filter(([user]) => user === 1)).toEqual(Array(30).fill([1, 1, 2]));
    expect(owners.filter(([user]) => user === 2)).toEqual(Array(30).fill([2, null, 38]));
    expect(new Set(provider.received.map(keyOf))).toEqual(new Set([`Bearer ${OWN}`]));
    expect([provider.received.length, upstream.received.length]).toEqual([30, 30]);
  });

  test.each<[string, Setup]>([
    ["off", { options: { ProviderKeys: "off" } }],
    ["with the call only", { options: { ProviderKeys: "call" } }],
    ["of other groups", { options: { ProviderKeyGroups: '["vip"]' } }],
    ["of other providers", { options: { ProviderKeyProviders: '["anthropic"]' } }],
  ])("has no part where the site allows keys %s", async (_, setup) => {
    const { relay, provider, upstream } = start(setup);
    await relay.post(CHAT, ASK);
    expect([provider.received.length, upstream.received.length]).toEqual([0, 1]);
    expect((await relay.billing.nextRecord()).quota).toBe(38);
  });

  test("cannot be named as a channel, nor be left for one by an administrator", async () => {
    const { relay, provider } = start({ user: { role: 10 } });
    const pinned = (id: number) => relay.post(CHAT, ASK, { headers: { authorization: `Bearer sk-test-${id}` } });
    expect((await pinned(1_000_000_001)).status).toBe(400);
    expect((await pinned(1)).status).toBe(200);
    expect(provider.received).toHaveLength(0);
  });

  test("obeys the policies of its organization", async () => {
    const rules = policyRules({ channel_types: [14] });
    const { relay, provider, upstream } = start({
      user: { kind: "organization" },
      policies: { of: () => [compilePolicy({ name: "Anthropic only", rules })] },
    });
    expect((await relay.post(CHAT, ASK)).status).toBe(403);
    expect([provider.received.length, upstream.received.length]).toEqual([0, 0]);
  });

  test("is left out of the cache of responses", async () => {
    const { relay, provider } = start({ options: { ResponseCacheEnabled: "true" } });
    for (const _ of [1, 2]) expect((await relay.post(CHAT, ASK)).headers.get("x-sluice-cache")).toBe("bypass");
    expect(provider.received).toHaveLength(2);
  });

  test("makes no tasks and no background responses", async () => {
    const { relay, provider } = start({ keys: [{ mode: "only" }] });
    const response = await relay.post("/v1/responses", { model: "gpt-4o", input: "Hi", background: true });
    expect([response.status, (await errorOf(response)).code]).toEqual([400, "provider_key_unsupported"]);
    expect(provider.received).toHaveLength(0);
  });
});

describe("a guardrail that sends calls to a model of the site", () => {
  const words = { kind: "words", words: ["internal"], action: "route", route_to: "local" };
  const options = { Guardrails: JSON.stringify({ g: words }), ModelRatio: '{"local": 1, "gpt-4o": 1}' };
  const channels = [{ models: ["gpt-4o", "local"] }];
  const ask = { ...ASK, messages: [{ role: "user", content: "an internal matter" }] };

  test("is not led to the provider of a key that serves every name", async () => {
    const { relay, provider, upstream } = start({ options, channels });
    expect((await relay.post(CHAT, ask)).status).toBe(200);
    expect([provider.received.length, JSON.parse(upstream.received[0]?.text ?? "").model]).toEqual([0, "local"]);
  });

  test.each([
    ["stored, to be used alone", { keys: [{ mode: "only" as const }] }, {}],
    ["sent with the call", { keys: [] }, sent("openai sk-sent-with-it")],
  ])("refuses them where the key is %s: nobody else may serve them", async (_, setup, init) => {
    const { relay, provider, upstream } = start({ options, channels, ...setup });
    expect((await errorOf(await relay.post(CHAT, ask, init))).code).toBe("guardrail_no_route");
    expect([provider.received.length, upstream.received.length]).toEqual([0, 0]);
    expect(relay.billing.openHolds).toBe(0);
  });
});

describe("a key that comes with the call", () => {
  test("takes the call, alone, and goes nowhere else", async () => {
    const { relay, provider, upstream, reports } = start({
      keys: [],
      channels: [{ ownHeaders: { passed: "all", set: [] } }],
    });
    expect((await relay.post(CHAT, ASK, sent("openai sk-sent-with-it"))).status).toBe(200);
    expect(provider.received.map(keyOf)).toEqual(["Bearer sk-sent-with-it"]);
    expect(provider.received[0]?.headers.get("x-provider-key")).toBeNull();
    const row = await relay.billing.nextRecord();
    expect(row.other.own_key).toEqual({ id: 0, name: "OpenAI", provider: "OpenAI", worth: 38 });
    expect([row.quota, row.channelId]).toEqual([2, 0]);
    expect(JSON.stringify(row)).not.toContain("sk-sent");
    expect([upstream.received.length, reports]).toEqual([0, []]);
  });

  test("that is refused fails the call, and says so without the key", async () => {
    const own = refuse(401, { message: "Incorrect API key provided: sk-sent-with-it", type: "invalid_request_error" });
    const { relay, upstream } = start({ own });
    const response = await relay.post(CHAT, ASK, sent("OpenAI sk-sent-with-it"));
    expect(response.status).toBe(401);
    const { message } = await errorOf(response);
    expect(message).toContain("refused the key that you sent");
    expect(message).not.toContain("sk-sent");
    expect(upstream.received).toHaveLength(0);
    await until(() => relay.billing.records.length === 1);
    expect(JSON.stringify(relay.billing.records)).not.toContain("sk-sent");
  });

  test.each<[string, string, Setup, number, string]>([
    [
      "the site allows none",
      "openai sk-sent-with-it",
      { options: { ProviderKeys: "off" } },
      403,
      "provider_key_not_allowed",
    ],
    [
      "the site only stores them",
      "openai sk-sent-with-it",
      { options: { ProviderKeys: "stored" } },
      403,
      "provider_key_not_allowed",
    ],
    [
      "the group may not",
      "openai sk-sent-with-it",
      { options: { ProviderKeyGroups: '["vip"]' } },
      403,
      "provider_key_not_allowed",
    ],
    [
      "the provider is not offered",
      "openai sk-sent-with-it",
      { options: { ProviderKeyProviders: '["xai"]' } },
      403,
      "provider_key_not_allowed",
    ],
    ["the provider is not known", "acme sk-sent-with-it", {}, 400, "invalid_provider_key"],
    ["it has no provider", "sk-sent-with-it", {}, 400, "invalid_provider_key"],
    ["it is none", "openai x", {}, 400, "invalid_provider_key"],
    ["there are two", "openai sk-sent-with-it sk-another-one", {}, 400, "invalid_provider_key"],
  ])("is refused where %s", async (_, key, setup, status, code) => {
    const { relay, provider, upstream } = start(setup);
    const response = await relay.post(CHAT, ASK, sent(key));
    const error = await errorOf(response);
    expect([response.status, error.code]).toEqual([status, code]);
    expect(error.message).not.toContain("sk-sent");
    expect([provider.received.length, upstream.received.length]).toEqual([0, 0]);
  });
});
