import { afterEach, describe, expect, test } from "bun:test";
import { tokenEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import { readCredential } from "./authenticate.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startRelay>[0];
const start = (setup: Partial<Setup> = {}) => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    ...setup,
    channels: (setup.channels ?? [{}]).map((c) => ({ baseUrl: upstream.url, ...c })),
  });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
};

const CHAT = "/v1/chat/completions";
const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };

const refusal = async (setup: Partial<Setup>, body: unknown = ASK, init: RequestInit = {}, path = CHAT) => {
  const { relay, upstream } = start(setup);
  const answer = await relay.post(path, body, init);
  const { error } = (await answer.json()) as { error?: { message: string; type: string; code: string; param: string } };
  return {
    status: answer.status,
    code: error?.code,
    message: error?.message,
    requests: upstream.received.length,
    relay,
    answer,
  };
};

describe("where the API key is read from", () => {
  test.each([
    [{ authorization: "Bearer sk-abc" }, "abc"],
    [{ authorization: "bearer abc" }, "abc"],
    [{ authorization: "sk-abc" }, "abc"],
    [{ "x-api-key": "sk-abc" }, "abc"],
    [{ "api-key": "abc" }, "abc"],
    [{ "x-goog-api-key": "abc" }, "abc"],
    [{ "mj-api-secret": "Bearer sk-abc" }, "abc"],
    [{ authorization: "midjourney-proxy", "mj-api-secret": "sk-abc" }, "abc"],
    [{ "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-abc, x" }, "abc"],
    [{ "sec-websocket-protocol": "realtime", authorization: "Bearer abc" }, "abc"],
    [{ authorization: "Bearer one", "x-api-key": "two" }, "one"],
  ])("%j", (headers, key) => {
    expect(readCredential(new Request("http://x/v1/models", { headers }))?.key).toBe(key);
  });

  test("x-api-key comes first on /v1/messages, ?key= counts on model paths", () => {
    const headers = { authorization: "Bearer one", "x-api-key": "two" };
    expect(readCredential(new Request("http://x/v1/messages", { headers }))?.key).toBe("two");
    expect(readCredential(new Request("http://x/v1beta/models/m:generateContent?key=three"))?.key).toBe("three");
    for (const path of ["/v1/models", "/v1beta/models", "/hf/v1/models", "/v1/models/m"])
      expect(readCredential(new Request(`http://x${path}?key=three`))?.key).toBe("three");
    for (const path of ["/v1/chat/completions?", "/v1/modelsx?", "/v1/chat/completions?a=/v1/models/&"])
      expect(readCredential(new Request(`http://x${path}key=three`))).toBeNull();
  });

  test("a channel id may follow the key", () => {
    const read = (key: string) =>
      readCredential(new Request("http://x/", { headers: { authorization: `Bearer ${key}` } }));
    expect(read("sk-abc-12")).toEqual({ key: "abc", channelId: 12 });
    expect(read("sk-abc-")).toEqual({ key: "abc", channelId: null });
    expect(() => read("sk-abc-x")).toThrow("channel ID");
  });
});

describe("rejected keys and owners", () => {
  test.each<[string, Partial<ApiKeyEntry>, number, string]>([
    ["a disabled key", { status: 2 }, 401, "api_key_disabled"],
    ["an expired key", { status: 3 }, 401, "api_key_expired"],
    ["a key past its time", { expiredTime: 1_000 }, 401, "api_key_expired"],
    ["an exhausted key", { status: 4 }, 429, "insufficient_quota"],
    ["a key without its owner", { userId: 99 }, 401, "invalid_api_key"],
    ["another address", { allowIps: { matches: () => false, text: "" } }, 403, "ip_not_allowed"],
    ["a group its owner may not use", { group: "secret" }, 403, "group_not_allowed"],
    ["a key for other models", { modelLimits: new Set(["gpt-4o-mini"]) }, 403, "model_not_allowed"],
    ["a key for no model", { modelLimits: new Set() }, 403, "model_not_allowed"],
  ])("%s", async (_name, token, status, code) => {
    expect(await refusal({ tokens: { test: token } })).toMatchObject({ status, code, requests: 0 });
  });

  test("an expired key is marked as such", async () => {
    const { relay } = await refusal({ tokens: { test: { expiredTime: 1_000 } } });
    expect(relay.marked).toEqual([{ tokenId: 1, status: 3 }]);
  });

  test("no key, an unknown key, a banned owner", async () => {
    expect(await refusal({}, ASK, { headers: { authorization: "" } })).toMatchObject({
      status: 401,
      code: "missing_api_key",
    });
    expect(await refusal({ tokens: {} })).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(await refusal({ user: { status: 2 } })).toMatchObject({ status: 403, code: "user_banned" });
  });

  test("a group without a ratio", async () => {
    const options = { UserUsableGroups: '{"default":"d","old":"o"}', GroupRatio: '{"default":1}' };
    expect(await refusal({ tokens: { test: { group: "old" } }, options })).toMatchObject({
      status: 403,
      code: "group_deprecated",
    });
  });

  test.each([
    ["unknown", null],
    ["disabled", { status: 2 }],
    ["exhausted", { status: 4 }],
  ])("a key that is %s in memory is checked in the database before it is rejected", async (_, inMemory) => {
    const tokens: Record<string, Partial<ApiKeyEntry>> = inMemory ? { test: inMemory } : {};
    const rechecked: string[] = [];
    const recheckKey = async (key: string, address: string) => {
      rechecked.push(`${key} from ${address}`);
      relay.tokens.set("test", tokenEntry({}));
      return true;
    };
    const { relay } = start({ tokens, recheckKey });
    for (const path of [CHAT, "/v1/messages"]) {
      const body = path === CHAT ? ASK : { ...ASK, max_tokens: 9 };
      expect((await relay.post(path, body)).status).toBe(200);
    }
    expect((await fetch(`${relay.url}/v1/models`, { headers: { authorization: "Bearer sk-test" } })).status).toBe(200);
    expect(rechecked).toEqual(["test from 127.0.0.1"]);
  });

  test("a database that does not respond does not make a key invalid", async () => {
    const recheckKey = () => Promise.reject(new Error("no database"));
    const unknown = await refusal({ tokens: {}, recheckKey });
    expect(unknown).toMatchObject({ status: 503, code: "key_check_unavailable" });
    expect(unknown.answer.headers.get("retry-after")).toBe("5");
    expect(await refusal({ tokens: { test: { status: 2 } }, recheckKey })).toMatchObject({ code: "api_key_disabled" });
  });

  test("the message ends with the request id that the client sent", async () => {
    const { message } = await refusal({ tokens: {} }, ASK, { headers: { "x-request-id": "my-id" } });
    expect(message).toEndWith("(request id: my-id)");
  });
});

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
  const allowed = { test: { modelLimits: new Set(["gpt-4o", "gpt-image-1", "claude-x"]) } };
  expect((await refusal({ tokens: allowed }, { model: "gpt-4o", ...body }, {}, path)).status).not.toBe(403);
});
