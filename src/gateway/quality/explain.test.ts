import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { createPolicyIndex } from "../../domain/accounts/organizations/policies/directory.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

test("explains where a call would go, and why not elsewhere", () => {
  const relay = startRelay({
    channels: [
      { models: ["m"], groups: ["default"], priority: 5, weight: 3 },
      { models: ["m"], groups: ["default"], priority: 5, weight: 1 },
      { models: ["m"], groups: ["default"], priority: 1 },
      { models: ["m"], groups: ["vip"] },
      { models: ["m"], groups: ["default"], status: 3 },
      { models: ["m"], groups: ["default"], priority: 5, weight: 5, maxInputTokens: 10 },
      { models: ["other"], groups: ["default"] },
      { models: ["m"], groups: ["default"], priority: 5, weight: 0 },
    ],
    options: { ModelRatio: '{"m": 1}', ModelFallbacks: '{"m": ["unserved", "other"]}' },
  });
  stops.push(relay.stop);
  const { model, channels, fallbacks } = relay.explain({ model: "m", group: "default", promptTokens: 100 });
  expect([model, fallbacks]).toEqual(["m", ["other"]]);
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  expect(channels[0]).toMatchObject({ id: 1, share: 0.75, tier: 1, reasons: [] });
  expect(byId.get(2)).toMatchObject({ share: 0.25, tier: 1, reasons: [] });
  expect(byId.get(3)).toMatchObject({ share: 0, tier: 2, reasons: [] });
  expect(byId.get(4)).toMatchObject({ share: 0, tier: null, reasons: ["other_group"] });
  expect(byId.get(5)).toMatchObject({ reasons: ["auto_disabled"] });
  expect(byId.get(6)).toMatchObject({ share: 0, reasons: ["prompt_too_long"] });
  expect(byId.has(7)).toBe(false);
  expect(byId.get(8)).toMatchObject({ share: 0, tier: null, reasons: ["no_weight"] });
});

test("if all eligible channels cool down, a call goes to one of them", async () => {
  const upstream = startUpstream(() => Response.json({ error: { message: "slow" } }, { status: 429 }));
  const channel = { baseUrl: upstream.url, models: ["m"], groups: ["default"], priority: 5, weight: 1 };
  const relay = startRelay({
    channels: [{ ...channel, weight: 3 }, channel, { ...channel, priority: 1 }, { ...channel, maxInputTokens: 10 }],
    options: { ModelRatio: '{"m": 1}', RetryTimes: "3" },
  });
  stops.push(relay.stop, upstream.stop);
  const shares = () => {
    const { channels } = relay.explain({ model: "m", group: "default", promptTokens: 100 });
    return channels.map(({ id, share, reasons }) => [id, share, ...reasons]);
  };
  const messages = [{ role: "user", content: "word ".repeat(100) }];
  expect((await relay.post("/v1/chat/completions", { model: "m", messages })).status).toBe(429);
  expect(shares()).toEqual([
    [1, 0.75, "cooling"],
    [2, 0.25, "cooling"],
    [4, 0, "prompt_too_long"],
    [3, 0, "cooling"],
  ]);
});

/** Long enough for a provider's cache. */
const WORDS = "What is a sluice? ".repeat(300);
const REQUESTS = [
  ["/v1/chat/completions", { messages: [{ role: "user", content: WORDS }] }, "prompt"],
  ["/v1/chat/completions", { messages: [{ role: "user", content: WORDS }], user: "u" }, "user"],
  ["/v1/chat/completions", { messages: [{ role: "user", content: WORDS }], prompt_cache_key: "k" }, "prompt_cache_key"],
  ["/v1/responses", { input: WORDS }, "prompt"],
  ["/v1/messages", { max_tokens: 9, system: "Be brief.", messages: [{ role: "user", content: WORDS }] }, "prompt"],
  ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: WORDS }] }] }, "prompt"],
] as const;

test.each(REQUESTS)("explains that a conversation sticks, by what and until when: %s %j", async (path, request, by) => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const channel = { type: 8, baseUrl: upstream.url, models: ["m"], groups: ["default"], keys: ["a", "b", "c"] };
  const relay = startRelay({
    channels: [channel, channel],
    tokens: { test: { id: 7 }, other: { id: 8 } },
    options: { ModelRatio: JSON.stringify({ m: 1 }) },
  });
  stops.push(relay.stop, upstream.stop);
  const question = { model: "m", group: "default", promptTokens: 5 };
  const about = (tokenId: number) => relay.explain({ ...question, tokenId, request });
  expect(about(7)).toMatchObject({ sticky: null, channels: [{ share: 0.5 }, { share: 0.5 }] });

  const before = Date.now();
  expect((await relay.post(path, { model: "m", ...request })).status).toBe(200);
  const key = upstream.received.at(-1)?.headers.get("authorization")?.slice("Bearer ".length);
  const explanation = about(7);
  expect(explanation.sticky).toMatchObject({ keyIndex: channel.keys.indexOf(key ?? ""), by, holds: true });
  expect(explanation.sticky?.until).toBeGreaterThan(before);
  expect(explanation.channels.map(({ id, share }) => [id, share])).toEqual([
    [explanation.sticky?.channelId ?? 0, 1],
    [3 - (explanation.sticky?.channelId ?? 0), 0],
  ]);
  // An explanation changes nothing.
  expect(about(7)).toEqual(explanation);
  expect(about(8).sticky).toBeNull();
  expect(about(9).sticky).toBeNull();
  expect(relay.explain(question)).toMatchObject({ sticky: null });

  for (let i = 0; i < 3; i += 1) await relay.post(path, { model: "m", ...request });
  const keys = upstream.received.map(({ headers }) => headers.get("authorization"));
  expect(new Set(keys).size).toBe(1);
});

test("a conversation whose channel cannot serve it any more is free again", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const channel = { type: 8, baseUrl: upstream.url, models: ["m"], groups: ["default"], maxInputTokens: 5_000 };
  const relay = startRelay({
    channels: [channel, channel],
    options: { ModelRatio: JSON.stringify({ m: 1 }) },
    tokens: { test: { id: 7 } },
  });
  stops.push(relay.stop, upstream.stop);
  const request = { messages: [{ role: "user", content: WORDS }] };
  await relay.post("/v1/chat/completions", { model: "m", ...request });
  const conversation = { tokenId: 7, request };
  expect(relay.explain({ model: "m", group: "default", promptTokens: 5, ...conversation }).sticky?.holds).toBe(true);
  const long = relay.explain({ model: "m", group: "default", promptTokens: 50_000, ...conversation });
  expect(long.sticky?.holds).toBe(false);
  expect(long.channels.map(({ share }) => share)).toEqual([0, 0]);
});

test("says which policy, or limit of the key, refuses a channel or the model", () => {
  const rules = {
    ...{ models: [], channel_types: [], allow_ips: "", blocked_words: "" },
    ...{ no_content_log: false, max_key_days: 0, max_call_quota: 0 },
  };
  const policy = (id: number, projectId: number, change: object) => ({
    ...{ id, organizationId: 3, projectId, name: `p${id}`, rules: { ...rules, ...change } },
  });
  const relay = startRelay({
    channels: [
      { type: 1, models: ["m", "n", "secret"] },
      { type: 14, models: ["m", "n", "secret"] },
    ],
    tokens: {
      test: { id: 7, userId: 3, projectId: 5 },
      limited: { id: 8, userId: 3, projectId: 0, modelLimits: new Set(["n"]) },
    },
    user: { id: 3, username: "acme", displayName: "" },
    options: { ModelRatio: '{"m": 1, "n": 1, "secret": 1}' },
    policies: createPolicyIndex([policy(1, 0, { channel_types: [14] }), policy(2, 5, { models: ["m", "n"] })]),
  });
  stops.push(relay.stop);
  const ask = (model: string, tokenId?: number) =>
    relay
      .explain({ model, group: "default", promptTokens: 5, ...(tokenId && { tokenId }) })
      .channels.map(({ id, share, reasons, policy }) => [
        id,
        share,
        reasons,
        policy && `${policy.organization}/${policy.name}`,
      ]);
  expect(ask("m").map(([, share]) => share)).toEqual([0.5, 0.5]);
  expect(ask("m", 7)).toEqual([
    [2, 1, [], null],
    [1, 0, ["policy_channel"], "acme/p1"],
  ]);
  expect(ask("secret", 7)).toEqual([
    [1, 0, ["policy_model"], "acme/p2"],
    [2, 0, ["policy_model"], "acme/p2"],
  ]);
  expect(ask("m", 8).map(([id, share, reasons]) => [id, share, reasons])).toEqual([
    [1, 0, ["key_model", "policy_channel"]],
    [2, 0, ["key_model"]],
  ]);
});

test.each([
  ["policy_rotation", { rotation_days: 30 }],
  ["policy_expiry", { max_key_days: 30 }],
] as const)("names the policy by which no channel takes calls of the key: %s", (reason, change) => {
  const rules = {
    ...{ models: [], channel_types: [], allow_ips: "", blocked_words: "" },
    ...{ no_content_log: false, max_key_days: 0, max_call_quota: 0 },
  };
  const now = Math.floor(Date.now() / 1000);
  const relay = startRelay({
    channels: [{ type: 1, models: ["m"] }],
    tokens: {
      test: { id: 7, userId: 3, secretSince: now - 31 * 86_400 },
      fresh: { id: 8, userId: 3, secretSince: now, expiredTime: now + 86_400 },
    },
    user: { id: 3, username: "acme", displayName: "" },
    options: { ModelRatio: '{"m": 1}' },
    policies: createPolicyIndex([
      { id: 1, organizationId: 3, projectId: 0, name: "p1", rules: { ...rules, ...change } },
    ]),
  });
  stops.push(relay.stop);
  const ask = (tokenId: number) =>
    relay.explain({ model: "m", group: "default", promptTokens: 5, tokenId }).channels[0];
  expect(ask(7)).toMatchObject({ share: 0, reasons: [reason], policy: { name: "p1", organization: "acme" } });
  expect(ask(8)).toMatchObject({ share: 1, reasons: [], policy: null });
});

test("explains the choice of a route with the figures it is made on, and the channels of its first model", async () => {
  const upstream = startUpstream(() => Response.json(chatReply({ model: "large" })));
  const relay = startRelay({
    channels: [
      { models: ["large"], baseUrl: upstream.url, tag: "us" },
      { models: ["cheap"], baseUrl: upstream.url, tag: "us" },
      { models: ["cheap"], baseUrl: upstream.url, tag: "eu", setting: { region: "eu-central-1" } },
      { models: ["cheap"], baseUrl: upstream.url, tag: "eu", setting: { region: "us-east-1" } },
    ],
    options: {
      ModelRatio: '{"cheap":1,"large":10}',
      ModelRoutes: JSON.stringify({
        best: {
          strategy: "least-cost",
          candidates: [
            { model: "large" },
            { model: "cheap", channel_tags: ["eu"], regions: ["eu-*"] },
            { model: "large", regions: ["eu-*"] },
            { model: "nobody" },
            { model: "cheap", min_prompt_tokens: 5_000 },
          ],
        },
        spread: {
          strategy: "weighted",
          candidates: [
            { model: "large", weight: 1 },
            { model: "cheap", weight: 3 },
          ],
        },
      }),
    },
  });
  stops.push(relay.stop, upstream.stop);
  const question = { model: "best", group: "default", promptTokens: 1_000 };
  const { route, model, channels } = relay.explain(question);
  expect(route).toMatchObject({ name: "best", strategy: "least-cost" });
  expect(route?.candidates.map(({ model, position, reason }) => [model, position, reason])).toEqual([
    ["cheap", 1, null],
    ["large", 2, null],
    ["large", null, "no_region"],
    ["nobody", null, "no_channel"],
    ["cheap", null, "prompt_too_short"],
  ]);
  const [cheap, large] = route?.candidates ?? [];
  expect(large?.figures?.cost).toBe(10 * (cheap?.figures?.cost ?? Number.NaN));
  expect(model).toBe("cheap");
  expect(channels.map(({ id, share, reasons }) => [id, share, reasons])).toEqual([
    [3, 1, []],
    [2, 0, ["other_tag", "other_region"]],
    [4, 0, ["other_region"]],
  ]);
  const shares = relay.explain({ ...question, model: "spread" }).route?.candidates;
  expect(shares?.map(({ model, share }) => [model, share])).toEqual([
    ["cheap", 0.75],
    ["large", 0.25],
  ]);
  expect(relay.explain({ ...question, model: "large" }).route).toBeNull();
});
