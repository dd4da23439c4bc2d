import { afterEach, describe, expect, test } from "bun:test";
import { policyRules, tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { ASK, CHAT, createAnsweringRelays } from "../../../test/support/gateway/start-gateway.ts";
import { createModelCatalog } from "../../catalog/catalog.ts";
import { compilePolicy } from "../../domain/accounts/organizations/policies/policy.ts";
import type { Caller } from "../call/caller.ts";
import type { Endpoint, ParsedRequest } from "../call/endpoint.ts";
import { allowsModel, authorize, authorizeModel, findCandidates, noRoute } from "./authorize.ts";

const relays = createAnsweringRelays();
afterEach(relays.stop);
const { start, refusal } = relays;

describe("rejected calls", () => {
  test.each<[string, unknown, number, string]>([
    ["no JSON", "{", 400, "invalid_request"],
    ["a list", "[]", 400, "invalid_request"],
    ["no model", { messages: ASK.messages }, 400, "invalid_request"],
    ["no messages", { model: "gpt-4o" }, 400, "invalid_request"],
    ["an absurd limit", { ...ASK, max_tokens: 2_000_000_000 }, 400, "invalid_max_tokens"],
    ["an unknown model", { ...ASK, model: "nope" }, 404, "model_not_found"],
    [
      "a forbidden word",
      { ...ASK, messages: [{ role: "user", content: "a Test_Sensitive b" }] },
      400,
      "sensitive_words_detected",
    ],
    [
      "a forbidden word in a part",
      { ...ASK, messages: [{ role: "user", content: [{ type: "text", text: "test_sensitive" }] }] },
      400,
      "sensitive_words_detected",
    ],
  ])("%s", async (_name, body, status, code) => {
    expect(await refusal({}, body)).toMatchObject({ status, code, requests: 0 });
  });

  test("patterns apply without any plain word", async () => {
    const options = { SensitiveWords: "regex:se+cret" };
    expect(await refusal({ options }, { ...ASK, messages: [{ role: "user", content: "SEEEcret" }] })).toMatchObject({
      code: "sensitive_words_detected",
    });
  });

  test("a model without a price is rejected, unless the user accepts that", async () => {
    const channels = [{ models: ["unheard-of"] }];
    const body = { ...ASK, model: "unheard-of" };
    expect(await refusal({ channels }, body)).toMatchObject({ status: 500, code: "model_price_error", requests: 0 });
    expect(await refusal({ channels, user: { acceptUnsetPrice: true } }, body)).toMatchObject({ status: 200 });
  });

  test("a call that the balance does not cover is rejected", async () => {
    const { relay, upstream } = start();
    relay.billing.available = 3;
    const answer = await relay.post(CHAT, { ...ASK, max_tokens: 1000 });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({ error: { code: "insufficient_quota" } });
    expect(upstream.received).toHaveLength(0);
  });

  test("everything is rejected while the OpenAI endpoints are disabled", async () => {
    expect(await refusal({ options: { OpenAIEndpointEnabled: "false" } })).toMatchObject({
      status: 403,
      code: "endpoint_disabled",
    });
  });
});

describe("a channel id after the key", () => {
  const pinned = { headers: { authorization: "Bearer sk-test-2" } };
  test("is for administrators only", async () => {
    expect(await refusal({}, ASK, pinned)).toMatchObject({ status: 403, code: "channel_not_allowed" });
  });
  test("is used regardless of groups, models and limits", async () => {
    const { relay } = start({
      channels: [{}, { groups: ["other"] }],
      user: { role: 10 },
      tokens: { test: { modelLimits: new Set(["x"]) } },
    });
    expect((await relay.post(CHAT, ASK, pinned)).status).toBe(200);
    expect((await relay.billing.nextRecord()).channelId).toBe(2);
  });
  test("must exist and be enabled", async () => {
    expect(await refusal({ user: { role: 10 } }, ASK, pinned)).toMatchObject({
      status: 400,
      code: "invalid_channel_id",
    });
    expect(await refusal({ user: { role: 10 }, channels: [{}, { status: 2 }] }, ASK, pinned)).toMatchObject({
      status: 403,
      code: "channel_disabled",
    });
  });
});

describe("the model request limit", () => {
  const options = {
    ModelRequestRateLimitEnabled: "true",
    ModelRequestRateLimitCount: "3",
    ModelRequestRateLimitSuccessCount: "2",
  };
  test("counts successes after they end, and every request", async () => {
    const { relay } = start({ options });
    const statuses: number[] = [];
    for (let i = 0; i < 2; i += 1) statuses.push((await relay.post(CHAT, ASK)).status);
    const refused = await relay.post(CHAT, ASK);
    expect([...statuses, refused.status]).toEqual([200, 200, 429]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limit_exceeded", type: "rate_limit_error" } });
  });
  test("a burst in parallel does not pass the limit of successes", async () => {
    const { relay } = start({ options: { ...options, ModelRequestRateLimitCount: "0" } });
    const responses = await Promise.all(Array.from({ length: 20 }, () => relay.post(CHAT, ASK)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, 200, ...Array.from({ length: 18 }, () => 429)]);
    expect(relay.billing.openHolds).toBe(0);
  });
  test("a burst that fails leaves the limit of successes as it was", async () => {
    const failing = { baseUrl: "http://127.0.0.1:1" };
    const { relay } = start({ options: { ...options, ModelRequestRateLimitCount: "0" }, channels: [failing] });
    for (let round = 0; round < 3; round += 1) {
      const responses = await Promise.all([relay.post(CHAT, ASK), relay.post(CHAT, ASK)]);
      expect(responses.map(({ status }) => status)).toEqual([502, 502]);
    }
  });
  test("counts failures in the total only", async () => {
    const { relay } = start({ options, channels: [{ baseUrl: "http://127.0.0.1:1" }] });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await relay.post(CHAT, ASK)).status);
    expect(statuses).toEqual([502, 502, 502, 429]);
  });
});

test.each([
  ["/v1/responses", { input: "Hi", tools: [{ type: "image_generation", model: "gpt-image-1" }] }],
  [
    "/v1/messages",
    { max_tokens: 5, messages: ASK.messages, tools: [{ type: "advisor", name: "advisor", model: "claude-x" }] },
  ],
])("a key limited to models passes no other one inside a tool of %s", async (path, body) => {
  const tokens = { test: { modelLimits: new Set(["gpt-4o"]) } };
  const answer = await refusal({ tokens }, { model: "gpt-4o", ...body }, {}, path);
  expect(answer).toMatchObject({ status: 403, requests: 0 });
  expect(answer.message).toContain(body.tools[0]?.model ?? "");
  const nameless = [
    { ...body.tools[0], model: "" },
    { ...body.tools[0], model: 7 },
  ];
  for (const tool of nameless) {
    expect((await refusal({ tokens }, { model: "gpt-4o", ...body, tools: [tool] }, {}, path)).status).not.toBe(403);
  }
  const allowed = { test: { modelLimits: new Set(["gpt-4o", "gpt-image-1", "claude-x"]) } };
  expect((await refusal({ tokens: allowed }, { model: "gpt-4o", ...body }, {}, path)).status).not.toBe(403);
});

describe("a key that is limited to models", () => {
  const callerOf = (limits: readonly string[] | null, more: Partial<Caller> = {}): Caller => ({
    ...{ user: userEntry(), tokenName: "key", group: "default", pinnedChannelId: null, ...more },
    token: tokenEntry({ modelLimits: limits && new Set(limits) }),
  });
  const policies = [compilePolicy({ name: "GPT only", rules: policyRules({ models: ["gpt-*"] }) })];

  test.each<[string, Caller, string, string | null]>([
    ["no limit", callerOf(null), "gpt-4o", null],
    ["the model", callerOf(["gpt-4o"]), "gpt-4o", null],
    ["another model", callerOf(["gpt-4o"]), "gpt-4o-mini", "no access to the model"],
    ["no model", callerOf([]), "gpt-4o", "no access to any model"],
    ["another model, on a named channel", callerOf(["gpt-4o"], { pinnedChannelId: 1 }), "gpt-4o-mini", null],
    ["the model, which a policy refuses", callerOf(["o3"], { policies }), "o3", "policy"],
    ["another model, which a policy allows", callerOf(["o3"], { policies }), "gpt-4o", "no access to the model"],
    ["the model, which a policy allows", callerOf(["gpt-4o"], { policies }), "gpt-4o", null],
  ])("with %s", (_, caller, model, refusal) => {
    expect(allowsModel(caller, model)).toBe(refusal === null);
    if (refusal === null) authorizeModel(caller, model);
    else expect(() => authorizeModel(caller, model)).toThrow(refusal);
  });
});

describe("channels that may serve a call", () => {
  const channels = [
    { models: ["gpt-4o"], modelPrefix: "a/", type: 1 },
    { models: ["gpt-4o", "old-1"], type: 14 },
    { models: ["o3", "gpt-4o"], modelPrefix: "b/", status: 2 },
  ];
  const options = { ModelCatalog: '{"gone-1":{"deprecation_date":"2026-01-31"}}' };
  const setup = (more: Partial<Caller> = {}) => {
    const { relay } = start({ channels, options });
    const context = { services: relay.services, catalog: createModelCatalog(relay.services.settings) };
    const caller: Caller = {
      ...{ user: userEntry(), token: tokenEntry(), tokenName: "key", group: "default", pinnedChannelId: null, ...more },
    };
    return { context, caller };
  };
  const anthropicOnly = [compilePolicy({ name: "Anthropic", rules: policyRules({ channel_types: [14] }) })];
  const onlyFirst = (context: ReturnType<typeof setup>["context"], caller: Caller) => {
    const only = context.services.channels.get(1);
    if (!only) throw new Error("there is no such channel");
    const request = { summary: { model: "a/gpt-4o" }, prompt: {}, fallbacks: [] } as unknown as ParsedRequest;
    return authorize(
      context,
      { only, endpoint: { capability: "chat" } as Endpoint, request: new Request("http://gateway") },
      caller,
      request,
    ).candidates;
  };

  test("are the one that has what the request is about, unless a policy refuses it", () => {
    const { context, caller } = setup();
    const [only] = context.services.channels.all();
    expect(onlyFirst(context, caller)).toEqual({
      model: "a/gpt-4o",
      tiers: [{ priority: 0, channels: [only] }],
    } as never);
    expect(() => onlyFirst(context, { ...caller, policies: anthropicOnly })).toThrow("Anthropic");
  });

  test.each([
    [1, "a/gpt-4o", "gpt-4o"],
    [1, "b/gpt-4o", "b/gpt-4o"],
    [2, "gpt-4o", "gpt-4o"],
  ])("are channel %d alone where the key names it, which calls %s %s", (pinnedChannelId, model, name) => {
    const { context, caller } = setup({ pinnedChannelId });
    expect(findCandidates(context.services, caller, model)).toEqual({
      model: name,
      tiers: [{ priority: 0, channels: [context.services.channels.get(pinnedChannelId)] }],
    } as never);
  });

  test.each<[string, string, Partial<Caller>, number, string]>([
    ["a policy refuses the channels", "a/gpt-4o", { policies: anthropicOnly }, 403, "The policy Anthropic"],
    ["its channels are disabled", "b/o3", {}, 503, "No channel is available for the model “b/o3”"],
    ["only channels of other groups have it", "b/o3", { group: "vip" }, 404, "does not exist"],
    ["channels have it under another name", "o3", {}, 404, "does not exist"],
    ["no channel has it", "o9", {}, 404, "does not exist"],
    ["it was retired", "gone-1", {}, 404, "was retired on 2026-01-31"],
  ])("are none where %s", (_, model, more, status, message) => {
    const { context, caller } = setup(more);
    const error = noRoute(context, caller, model);
    expect(error.status).toBe(status);
    expect(error.message).toContain(message);
  });

  test("may be back by the time that it is said why there are none", () => {
    const { context, caller } = setup();
    expect(noRoute(context, caller, "gpt-4o").status).toBe(503);
  });
});
