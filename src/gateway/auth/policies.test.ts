import { afterEach, expect, test } from "bun:test";
import type { PolicyRules } from "../../../db/schema/accounts/organizations/policies.ts";
import { channelEntry, policyRules } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { createPolicyIndex } from "../../domain/accounts/organizations/policies/directory.ts";
import { compilePolicy } from "../../domain/accounts/organizations/policies/policy.ts";
import { GatewayError } from "../call/errors.ts";
import {
  allowedCandidates,
  allowsPrice,
  channelRefusal,
  policyRefusal,
  refuseAddress,
  refusePrice,
} from "./policies.ts";

/** Policies of an organization refuse calls before anything is sent, in the client's format, and say which it was. */

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ORGANIZATION = 1;
const PROJECT = 7;
const OPENAI = 1;
const ANTHROPIC = 14;
const ASK = { model: "gpt-4o", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };

type Rules = Readonly<{ name?: string; projectId?: number }> & Partial<PolicyRules>;

function start(policies: readonly Rules[], options: Record<string, string> = {}, types = [OPENAI], secretSince = 0) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const entries = policies.map(({ name = "Strict", projectId = 0, ...rules }, at) => ({
    ...{ id: at + 1, organizationId: ORGANIZATION, projectId, name },
    rules: policyRules(rules),
  }));
  const relay = startRelay({
    channels: types.map((type) => ({
      type,
      baseUrl: upstream.url,
      models: ["gpt-4o", "gpt-4o-mini", "claude-3-opus"],
    })),
    user: { id: ORGANIZATION, kind: "organization" },
    tokens: {
      test: { id: 5, userId: ORGANIZATION, projectId: PROJECT, secretSince },
      other: { id: 6, userId: ORGANIZATION, projectId: 8, secretSince },
    },
    policies: createPolicyIndex(entries),
    options,
  });
  stops.push(upstream.stop, relay.stop);
  return { ...relay, upstream };
}

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code?: string; type?: string; message: string } };
  return { status: response.status, ...error };
};

test.each([
  ["a model", { models: ["claude-*", "gpt-4o-mini"] }, "policy_model_not_allowed"],
  ["a provider", { channel_types: [ANTHROPIC] }, "policy_provider_not_allowed"],
  ["a region", { regions: ["eu-*"] }, "policy_provider_not_allowed"],
  ["an address", { allow_ips: "10.0.0.0/8" }, "policy_ip_not_allowed"],
  ["a key without an expiry", { max_key_days: 30 }, "policy_key_expiry"],
  ["a secret that was not rotated", { rotation_days: 30 }, "policy_key_rotation"],
  ["a price", { max_call_quota: 1 }, "policy_price_exceeded"],
  ["words", { blocked_words: "nothing\nregex:\\bhi\\b" }, "policy_words_detected"],
] as const)("refuses %s, by its name, before anything is sent", async (_, rules, code) => {
  const relay = start([{ name: "House rules", ...rules }]);
  const refused = await errorOf(await relay.post("/v1/chat/completions", ASK));
  expect(refused).toMatchObject({ code, status: code === "policy_words_detected" ? 400 : 403 });
  expect(refused.message).toContain("House rules");
  const anthropic = await relay.post("/v1/messages", ASK, { headers: { "x-api-key": "sk-test" } });
  expect(await anthropic.json()).toMatchObject({
    type: "error",
    error: { message: expect.stringContaining("House rules") },
  });
  const gemini = await relay.post(
    "/v1beta/models/gpt-4o:generateContent",
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    { headers: { "x-goog-api-key": "sk-test" } },
  );
  expect(await errorOf(gemini)).toMatchObject({ message: expect.stringContaining("House rules") });
  const responses = await relay.post("/v1/responses", { model: "gpt-4o", max_output_tokens: 10, input: "Hi" });
  expect(await errorOf(responses)).toMatchObject({ code, message: expect.stringContaining("House rules") });
  expect(relay.upstream.received).toHaveLength(0);
});

test("a secret is refused from the day on that the strictest policy of its project names", async () => {
  const ask = async (ageDays: number, key: string) => {
    const relay = start(
      [
        { name: "Yearly", rotation_days: 365 },
        { name: "Monthly", projectId: PROJECT, rotation_days: 30 },
        { name: "Quarterly", projectId: PROJECT, rotation_days: 90 },
      ],
      {},
      [OPENAI],
      Math.floor(Date.now() / 1000) - ageDays * 86_400,
    );
    const response = await relay.post("/v1/chat/completions", ASK, { headers: { authorization: `Bearer sk-${key}` } });
    return response.ok ? "passes" : (await errorOf(response)).message;
  };
  expect(await ask(29.9, "test")).toBe("passes");
  expect(await ask(30, "test")).toContain("The policy Monthly refuses this API key: its secret is older than 30 days.");
  expect(await ask(91, "test")).toContain("Monthly");
  expect(await ask(364, "other")).toBe("passes");
  expect(await ask(366, "other")).toContain("Yearly");
});

test("only channels of an allowed region are called; those that name none are not", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const rules = policyRules({ regions: ["eu-*", "CH"] });
  const regions = ["us-east-1", "ch", "eu-central-1", 7, undefined];
  const relay = startRelay({
    channels: regions.map((region, at) => ({
      ...{ type: OPENAI, baseUrl: `${upstream.url}/${at}`, models: ["gpt-4o"], priority: 10 - at },
      setting: region === undefined ? {} : { region },
    })),
    user: { id: ORGANIZATION, kind: "organization" },
    tokens: { test: { id: 5, userId: ORGANIZATION, projectId: PROJECT } },
    policies: createPolicyIndex([{ id: 1, organizationId: ORGANIZATION, projectId: 0, name: "Europe", rules }]),
  });
  stops.push(upstream.stop, relay.stop);
  for (let call = 0; call < 5; call++) expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
  expect(new Set(upstream.received.map(({ path }) => path.split("/")[1]))).toEqual(new Set(["2"]));
});

test("lets calls pass that all policies allow", async () => {
  const relay = start([
    { models: ["gpt-*"], channel_types: [OPENAI, ANTHROPIC], allow_ips: "127.0.0.0/8\n::1", blocked_words: "bomb" },
    { models: ["*-4o"], max_call_quota: 10_000_000 },
  ]);
  expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
});

test("the strictest of several holds; those of other projects don't", async () => {
  const relay = start([
    { name: "Everybody", models: ["gpt-*"] },
    { name: "Website", projectId: PROJECT, models: ["*-mini", "claude-*"] },
  ]);
  const ask = async (model: string, key: string) => {
    const response = await relay.post(
      "/v1/chat/completions",
      { ...ASK, model },
      {
        headers: { authorization: `Bearer sk-${key}` },
      },
    );
    return response.ok ? "passes" : (await errorOf(response)).message.match(/policy (\w+)/)?.[1];
  };
  expect(await ask("gpt-4o-mini", "test")).toBe("passes");
  expect(await ask("gpt-4o", "test")).toBe("Website");
  expect(await ask("claude-3-opus", "test")).toBe("Everybody");
  expect(await ask("gpt-4o", "other")).toBe("passes");
});

test("channels of other providers are not tried, and fallback models that are not allowed neither", async () => {
  const relay = start([{ channel_types: [OPENAI] }], {}, [ANTHROPIC, OPENAI]);
  for (let call = 0; call < 8; call += 1) {
    expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
  }
  expect(relay.upstream.received.every(({ path }) => path === "/v1/chat/completions")).toBe(true);
  const models = start([{ name: "GPT only", models: ["gpt-*", "smart"] }], {
    ModelFallbacks: JSON.stringify({ smart: ["claude-3-opus", "gpt-4o-mini"] }),
  });
  expect((await models.post("/v1/chat/completions", { ...ASK, model: "smart" })).status).toBe(200);
  expect(models.upstream.received.map(({ text }) => JSON.parse(text).model)).toEqual(["gpt-4o-mini"]);
  const listed = { ...ASK, models: ["gpt-4o", "claude-3-opus"] };
  expect(await errorOf(await models.post("/v1/chat/completions", listed))).toMatchObject({
    code: "policy_model_not_allowed",
  });
});

test("contents are not logged where a policy forbids it", async () => {
  for (const no_content_log of [true, false]) {
    const relay = start([{ no_content_log }], { LogChatContentEnabled: "true" });
    expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
    expect(relay.billing.records.map(({ other }) => "input_content" in other)).toEqual([!no_content_log]);
  }
});

test("a policy binds an organization, and no person", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const entry = { id: 1, organizationId: ORGANIZATION, projectId: 0, name: "Strict" };
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url }],
    user: { id: ORGANIZATION },
    policies: createPolicyIndex([{ ...entry, rules: policyRules({ models: ["o3"] }) }]),
  });
  stops.push(upstream.stop, relay.stop);
  expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
});

const policy = (name: string, rules: Partial<PolicyRules>) => compilePolicy({ name, rules: policyRules(rules) });
const codeOf = (refuse: () => void) => {
  try {
    refuse();
    return null;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.message;
  }
};

test.each([
  ["10.1.2.3", null],
  ["11.1.2.3", "11.1.2.3"],
  ["", "(unknown)"],
])("a refusal of the address %p names it: %p", (ip, named) => {
  const message = codeOf(() => refuseAddress([policy("Office", { allow_ips: "10.0.0.0/8" })], ip));
  if (named === null) expect(message).toBeNull();
  else expect(message).toContain(named);
});

test.each([
  [99, null],
  [100, null],
  [101, "Small"],
  [500, "Small"],
  [501, "Small"],
])("of two price limits of 100 and 500, %d units are refused by %p", (needed, name) => {
  for (const limits of [
    [100, 500, 0],
    [0, 500, 100],
  ]) {
    const set = limits.map((max_call_quota) => policy(max_call_quota === 100 ? "Small" : "Large", { max_call_quota }));
    expect(allowsPrice(set, needed)).toBe(name === null);
    const message = codeOf(() => refusePrice(set, needed));
    if (name === null) expect(message).toBeNull();
    else expect(message).toContain(needed <= 500 ? "Small" : set[0]?.maxCallQuota === 100 ? "Small" : "Large");
  }
});

test("the first refusal of a planned call is that of the key, then of the model, then of the channel", () => {
  const now = 1_800_000_000;
  const token = { expiredTime: now + 86_400, secretSince: now - 86_400 };
  const call = { token, model: "gpt-4o", channel: channelEntry({ type: OPENAI }), now };
  const expiry = policy("expiry", { max_key_days: 1 });
  const rotation = policy("rotation", { rotation_days: 1 });
  const model = policy("model", { models: ["o3"] });
  const channel = policy("channel", { channel_types: [ANTHROPIC] });
  const free = policy("free", {});
  const reasonOf = (set: readonly (typeof free)[], of: Partial<typeof call> = {}) => {
    const found = policyRefusal(set, { ...call, ...of });
    return found && `${found.reason} by ${found.policy.name}`;
  };
  const late = { ...token, expiredTime: now + 86_401 };
  expect(reasonOf([channel, model, rotation, expiry], { token: late })).toBe("policy_expiry by expiry");
  expect(reasonOf([channel, model, rotation, expiry])).toBe("policy_rotation by rotation");
  expect(reasonOf([channel, model, expiry])).toBe("policy_model by model");
  expect(reasonOf([free, channel])).toBe("policy_channel by channel");
  expect(reasonOf([free, model, channel], { model: "o3", channel: channelEntry({ type: ANTHROPIC }) })).toBeNull();
  expect(reasonOf([])).toBeNull();
});

test("the channels that policies allow are worked out once, until channels or policies change", () => {
  const [openai, anthropic] = [channelEntry({ id: 1, type: OPENAI }), channelEntry({ id: 2, type: ANTHROPIC })];
  const all = () => ({
    model: "gpt-4o",
    tiers: [openai, anthropic].map((one) => ({ priority: one.id, channels: [one] })),
  });
  const candidates = all();
  const restricting = [policy("free", {}), policy("OpenAI", { channel_types: [OPENAI] })];
  const narrowed = allowedCandidates(restricting, candidates, "gpt-4o");
  expect(narrowed).toEqual({ model: "gpt-4o", tiers: [{ priority: 1, channels: [openai] }] });
  expect(allowedCandidates(restricting, candidates, "gpt-4o")).toBe(narrowed);
  expect(allowedCandidates(restricting, all(), "gpt-4o")).not.toBe(narrowed);
  const others = [policy("Anthropic", { channel_types: [ANTHROPIC] })];
  expect(allowedCandidates(others, candidates, "gpt-4o").tiers).toEqual([{ priority: 2, channels: [anthropic] }]);
  expect(allowedCandidates(restricting, candidates, "gpt-4o")).toBe(narrowed);
  expect(allowedCandidates([policy("free", {})], candidates, "gpt-4o")).toBe(candidates);
  expect(allowedCandidates([policy("o3", { models: ["o3"] })], candidates, "gpt-4o").tiers).toEqual([]);
  expect([
    channelRefusal(restricting, openai, "gpt-4o"),
    channelRefusal(restricting, anthropic, "gpt-4o")?.status,
  ]).toEqual([null, 403]);
});
