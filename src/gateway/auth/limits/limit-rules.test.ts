/** The site's limit rules: what they count, for whom, and which channel takes a call when another is at its limit. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { registry } from "../../../settings/registry/index.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const CHAT = "/v1/chat/completions";
const USAGE = { usage: { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 } };
const ask = (model = "gpt-4o", more: object = {}) => ({
  model,
  messages: [{ role: "user", content: "Hello" }],
  ...more,
});

type Setup = Parameters<typeof startRelay>[0];

function start(rules: readonly object[], setup: Partial<Setup> = {}, answer?: () => Response | Promise<Response>) {
  const upstream = startUpstream(answer ?? (() => Response.json(chatReply(USAGE))));
  const relay = startRelay({
    ...setup,
    channels: (setup.channels ?? [{ models: ["gpt-4o", "gpt-4o-mini"] }]).map((channel) => ({
      baseUrl: upstream.url,
      ...channel,
    })),
    tokens: { test: { id: 1, userId: 1 }, other: { id: 2, userId: 1 } },
    options: { LimitRules: JSON.stringify(rules), ...setup.options },
  });
  stops.push(relay.stop, upstream.stop);
  const call = async (body = ask(), key = "test") => {
    const response = await relay.post(CHAT, body, { headers: { authorization: `Bearer sk-${key}` } });
    await response.arrayBuffer();
    return response.status;
  };
  return { relay, upstream, call };
}

describe("rules about callers", () => {
  test("count requests separately for what they name, and for the models that they are about", async () => {
    const { call } = start([{ name: "mini", models: ["*-mini"], per: ["key"], requests: 1 }]);
    expect([await call(ask("gpt-4o-mini")), await call(ask("gpt-4o-mini"))]).toEqual([200, 429]);
    expect(await call(ask("gpt-4o-mini"), "other")).toBe(200);
    expect([await call(), await call()]).toEqual([200, 200]);
  });

  test("say when to come again, and in which limit", async () => {
    const { relay, call } = start([{ name: "few", requests: 1, seconds: 3600 }]);
    await call();
    const refused = await relay.post(CHAT, ask());
    expect([refused.status, Number(refused.headers.get("retry-after")) > 3_000]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({ error: { type: "rate_limit_error", code: "rate_limit_exceeded" } });
  });

  test("count tokens and quota of finished calls, by end user", async () => {
    const { relay, call } = start(
      [
        { name: "tokens", per: ["end_user"], tokens: 150, seconds: 3600 },
        { name: "quota", models: ["gpt-4o-mini"], per: ["end_user"], quota: 1 },
      ],
      { options: { EndUsersEnabled: "true" } },
    );
    const as = (user: string, model?: string) => call(ask(model, { user }));
    expect([await as("a"), await as("a"), await as("a")]).toEqual([200, 200, 429]);
    expect([await as("b", "gpt-4o-mini"), await as("b", "gpt-4o-mini")]).toEqual([200, 429]);
    // A call that names nobody is in no rule by end user.
    expect([await call(), await call(), await call()]).toEqual([200, 200, 200]);
    expect((await relay.billing.nextRecord()).other.end_user).toBe("a");
  });

  test("a refused call takes nothing from the other rules", async () => {
    const { call } = start([
      { name: "all", requests: 2 },
      { name: "mini", models: ["gpt-4o-mini"], requests: 1 },
    ]);
    expect([await call(ask("gpt-4o-mini")), await call(ask("gpt-4o-mini")), await call()]).toEqual([200, 429, 200]);
    expect(await call()).toBe(429);
  });

  test("concurrent calls leave their place when they end, also when they fail", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { upstream, call } = start([{ name: "one", per: ["user"], concurrency: 1 }], {}, async () => {
      await held;
      return Response.json({ error: { message: "no" } }, { status: 500 });
    });
    const first = call();
    await until(() => upstream.received.length === 1);
    expect(await call(ask(), "other")).toBe(429);
    release();
    expect(await first).toBe(500);
    expect(await call()).toBe(500);
  });

  test.each([
    ["all rules", "[]"],
    ["the rule, not another", '[{"name": "other", "requests": 1000}]'],
  ])("a call that ends after %s went leaves its places, so that the rule can come back", async (_, others) => {
    const rules = [
      { name: "caller", per: ["user"], concurrency: 1 },
      { name: "channel", per: ["channel"], concurrency: 1 },
    ];
    const answers: (() => void)[] = [];
    const { relay, call } = start(rules, {}, async () => {
      await new Promise<void>((resolve) => void answers.push(resolve));
      return Response.json(chatReply(USAGE));
    });
    const { values } = relay.services.settings;
    const setRules = (text: string) =>
      Object.assign(values, { LimitRules: registry.LimitRules.read(text, "LimitRules").value });
    for (const _round of [1, 2]) {
      const running = call();
      await until(() => answers.length > 0);
      expect(await call(ask(), "other")).toBe(429);
      setRules(others);
      for (const answer of answers.splice(0)) answer();
      expect(await running).toBe(200);
      setRules(JSON.stringify(rules));
    }
  });

  test("groups, users by name or id, and keys", async () => {
    for (const about of [{ groups: ["nobody"] }, { users: ["nobody", 99] }, { keys: [99] }]) {
      const { call } = start([{ name: "none", ...about, requests: 1 }]);
      expect([await call(), await call()]).toEqual([200, 200]);
    }
    for (const about of [{ groups: ["default"] }, { users: [1] }, { keys: [1] }]) {
      const { call } = start([{ name: "some", ...about, requests: 1 }]);
      expect([await call(), await call()]).toEqual([200, 429]);
    }
  });
});

describe("rules about channels", () => {
  const two = (rules: readonly object[], setup: Partial<Setup> = {}) =>
    start(rules, {
      channels: [
        { id: 1, name: "a", priority: 1 },
        { id: 2, name: "b" },
      ].map((one) => ({ ...one, models: ["gpt-4o"] })),
      ...setup,
    });
  const channelsOf = ({ relay }: ReturnType<typeof start>) => relay.billing.records.map(({ channelId }) => channelId);

  test("a channel at its limit leaves calls to the next one, without a retry; then callers get 429", async () => {
    const started = two([{ name: "each", per: ["channel"], requests: 1 }], { options: { RetryTimes: "0" } });
    expect([await started.call(), await started.call(), await started.call()]).toEqual([200, 200, 429]);
    expect(channelsOf(started)).toEqual([1, 2, 0]);
  });

  test("tokens count for the channel that served", async () => {
    const started = two([{ name: "first", channels: ["a"], tokens: 100 }]);
    expect([await started.call(), await started.call(), await started.call()]).toEqual([200, 200, 200]);
    expect(channelsOf(started)).toEqual([1, 2, 2]);
  });

  test("keys of a channel have limits of their own", async () => {
    const started = start([{ name: "key", per: ["channel_key"], requests: 1 }], {
      channels: [{ models: ["gpt-4o"], keys: ["k1", "k2"] }],
    });
    expect([await started.call(), await started.call(), await started.call()]).toEqual([200, 200, 429]);
    const keys = started.upstream.received.map(({ headers }) => headers.get("authorization"));
    expect(keys.toSorted()).toEqual(["Bearer k1", "Bearer k2"]);
  });

  test("a failed attempt gives its place back", async () => {
    const started = two([{ name: "one", channels: [1], concurrency: 1 }], { options: { RetryTimes: "1" } });
    expect([await started.call(), await started.call(), await started.call()]).toEqual([200, 200, 200]);
    expect(channelsOf(started)).toEqual([1, 1, 1]);
  });
});
