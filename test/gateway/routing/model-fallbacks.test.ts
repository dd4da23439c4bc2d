/** Models that take over where none of a model's channels responds, by the client's list and by the operator's setting. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;

const MESSAGES = [{ role: "user", content: "Hi" }];
const busy = () => Response.json({ error: { message: "overloaded", type: "server_error" } }, { status: 503 });
const refused =
  (error: object, status = 400) =>
  () =>
    Response.json({ error }, { status });

/** Model “first”, which fails as configured, and “second” (twice the price) and “third”, which answer. */
function start(fail: () => Response, setup: Setup = {}, firstType?: number) {
  const upstreams = {
    first: startUpstream(fail),
    second: startUpstream(({ path, text }) => {
      if (path !== "/v1/chat/completions") return new Response("404 page not found", { status: 404 });
      return JSON.parse(text).stream
        ? new Response(STREAM, { headers: { "content-type": "text/event-stream" } })
        : Response.json(chatReply({ model: "second" }));
    }),
    third: startUpstream(() => Response.json(chatReply({ model: "third" }))),
  };
  const relay = startRelay({
    channels: Object.entries(upstreams).map(([model, { url }]) => ({
      ...{ baseUrl: url, models: [model] },
      ...(model === "first" && firstType && { type: firstType }),
    })),
    ...setup,
    options: { ModelRatio: '{"first":1,"second":2,"third":1,"claude-first":1}', ...setup.options },
  });
  stops.push(relay.stop, ...Object.values(upstreams).map(({ stop }) => stop));
  const ask = (body: object = {}, path = "/v1/chat/completions") =>
    relay.post(path, { model: "first", messages: MESSAGES, ...body });
  return { ...upstreams, relay, ask };
}

const STREAM = `data: ${JSON.stringify({ ...chatReply(), object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "Hello" } }] })}\n\ndata: [DONE]\n\n`;
const FALLBACKS = { ModelFallbacks: '{"first":["second","third"],"best":["nobody","second"]}' };
/** Of chatReply's usage: 10 tokens in, 5 out. */
const COST_OF_SECOND = 30;

test("the client's list is tried in order, charged by the model that responds, and never sent upstream", async () => {
  const { relay, ask, second } = start(busy);
  const response = await ask({ models: ["first", "unserved", "second", "third"], route: "fallback" });
  expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
  expect((await response.json()).model).toBe("second");
  expect(JSON.parse(second.received[0]?.text ?? "")).toEqual({ model: "second", messages: MESSAGES });
  const row = await relay.billing.nextRecord();
  expect(row).toMatchObject({ modelName: "second", channelId: 2, quota: COST_OF_SECOND, failed: false });
  expect(row.other).toMatchObject({ requested_model: "first" });
  expect(row.other.admin_info?.attempts.map(({ channelId }) => channelId)).toEqual([1, 2]);
  expect(relay.billing.openHolds).toBe(0);
});

test("the client's list works in every chat format, and no upstream gets it", async () => {
  const { relay, ask, second } = start(busy);
  const models = ["second", "third"];
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const asks = [
    await ask({ models, max_tokens: 9 }, "/v1/messages"),
    await ask({ models, input: "Hi", messages: undefined }, "/v1/responses"),
    await relay.post("/v1beta/models/first:generateContent", { contents, models }),
    await relay.post("/v1/interactions", { model: "first", input: "Hi", models }),
  ];
  expect(asks.map(({ status, headers }) => [status, headers.get("x-sluice-model")])).toEqual(
    asks.map(() => [200, "second"]),
  );
  for (const { text } of second.received) expect(text).not.toContain("third");
  const wrong = await relay.post("/v1beta/models/first:generateContent", { contents, models: "second" });
  expect([wrong.status, (await wrong.json()).error.status]).toEqual([400, "INVALID_ARGUMENT"]);
});

test("a list in Gemini's format does not reach a channel of Google", async () => {
  const google = startUpstream(() =>
    Response.json({ candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }] }),
  );
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: google.url, models: ["first", "second"] }],
    options: { ModelRatio: '{"first":1,"second":2}' },
  });
  stops.push(relay.stop, google.stop);
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const body = { contents, models: ["second"], provider: { order: ["google-gemini"] } };
  const response = await relay.post("/v1beta/models/first:generateContent", body);
  expect(response.status).toBe(200);
  const { safetySettings, ...sent } = JSON.parse(google.received[0]?.text ?? "");
  expect(sent).toEqual({ contents });
});

test("the operator's list serves every chat format, and the model itself where it responds", async () => {
  const { relay, ask, first } = start(busy, { options: FALLBACKS });
  const asks = [
    await ask(),
    await ask({ max_tokens: 9 }, "/v1/messages"),
    await ask({ input: "Hi", messages: undefined }, "/v1/responses"),
    await relay.post("/v1beta/models/first:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }),
  ];
  expect(asks.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const response of asks) expect(response.headers.get("x-sluice-model")).toBe("second");
  expect(first.received).toHaveLength(4);
  const healthy = start(() => Response.json(chatReply({ model: "first" })), { options: FALLBACKS });
  const own = await healthy.ask();
  expect([(await own.json()).model, own.headers.get("x-sluice-model")]).toEqual(["first", null]);
  expect(healthy.second.received).toEqual([]);
});

test.each([
  ["a rate limit", refused({ message: "slow down" }, 429)],
  ["a refused key", refused({ message: "no such key" }, 401)],
  ["a prompt too long", refused({ message: "too long", code: "context_length_exceeded" })],
  ["Anthropic's word for it", refused({ type: "invalid_request_error", message: "prompt is too long: 9 > 8" })],
  ["a refusal of the content", refused({ message: "no", code: "content_policy_violation" })],
  ["an answer that is none", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
])("another model is tried after %s", async (_, fail) => {
  const { ask } = start(fail, { options: FALLBACKS });
  expect((await ask()).headers.get("x-sluice-model")).toBe("second");
});

test("another model is tried after a limit of the first one, though errors of upstreams are hidden", async () => {
  const options = { ...FALLBACKS, "global.hide_upstream_error_enabled": "true" };
  const { ask } = start(refused({ message: "too long", code: "context_length_exceeded" }), { options });
  expect((await ask()).headers.get("x-sluice-model")).toBe("second");
});

test("no other model is tried after an error in the request itself", async () => {
  const { ask, second, relay } = start(refused({ message: "temperature must be a number" }), { options: FALLBACKS });
  const response = await ask();
  expect([response.status, (await response.json()).error.message]).toEqual([
    400,
    expect.stringContaining("temperature must be a number"),
  ]);
  expect(second.received).toEqual([]);
  expect(await relay.billing.nextRecord()).toMatchObject({ modelName: "first", failed: true, quota: 0 });
});

test("when all fail the client gets what the model it named failed with, and nothing is charged", async () => {
  const failing = startUpstream(busy);
  const limited = startUpstream(refused({ message: "slow down" }, 429));
  const other = startRelay({
    channels: [
      { baseUrl: limited.url, models: ["first"] },
      { baseUrl: failing.url, models: ["second", "unpriced"] },
    ],
    options: { ModelRatio: '{"first":1,"second":2}', ModelFallbacks: '{"first":["unpriced","second"]}' },
  });
  stops.push(other.stop, failing.stop, limited.stop);
  const response = await other.post("/v1/chat/completions", { model: "first", messages: MESSAGES });
  expect(response.status).toBe(429);
  expect([limited.received.length, failing.received.length]).toEqual([1, 1]);
  expect(await other.billing.nextRecord()).toMatchObject({ modelName: "first", failed: true, quota: 0 });
  expect(other.billing.openHolds).toBe(0);
});

test("a stream that has not begun goes to the next model too", async () => {
  const { relay, ask } = start(busy, { options: FALLBACKS });
  const response = await ask({ stream: true });
  expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
  expect(await response.text()).toContain("Hello");
  expect(await relay.billing.nextRecord()).toMatchObject({ modelName: "second", isStream: true });
});

describe("a name that no channel has", () => {
  test("is a route to its models, and listed", async () => {
    const { relay, second } = start(busy, { options: FALLBACKS });
    const response = await relay.post("/v1/chat/completions", { model: "best", messages: MESSAGES });
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
    expect(JSON.parse(second.received[0]?.text ?? "").model).toBe("second");
    expect((await relay.billing.nextRecord()).other).toMatchObject({ requested_model: "best" });
    const { data } = await (await relay.get("/v1/models")).json();
    expect(data.map(({ id }: { id: string }) => id)).toEqual(["best", "first", "second", "third"]);
    expect((await relay.get("/v1/models/best")).status).toBe(200);
  });

  test("is what a key is limited to, not the models behind it", async () => {
    const { relay } = start(busy, { options: FALLBACKS, tokens: { test: { modelLimits: new Set(["best"]) } } });
    const ask = (model: string) => relay.post("/v1/chat/completions", { model, messages: MESSAGES });
    expect([(await ask("best")).status, (await ask("second")).status]).toEqual([200, 403]);
  });
});

describe("a limited key", () => {
  const tokens = { test: { modelLimits: new Set(["first", "third"]) } };

  test("falls back only to models that it may use", async () => {
    const { ask, second } = start(busy, { options: FALLBACKS, tokens });
    expect((await ask()).headers.get("x-sluice-model")).toBe("third");
    expect(second.received).toEqual([]);
  });

  test("is refused where the client lists others", async () => {
    const { ask, first } = start(busy, { tokens });
    const response = await ask({ models: ["first", "second"] });
    expect([response.status, (await response.json()).error.code]).toEqual([403, "model_not_allowed"]);
    expect(first.received).toEqual([]);
  });
});

describe("the hold", () => {
  test("covers the most expensive model", async () => {
    const { relay, ask } = start(busy, { options: FALLBACKS });
    await ask({ max_tokens: 100 });
    await ask({ max_tokens: 100, model: "third" });
    const [highest = 0, own] = relay.billing.holds.map(({ amount }) => amount);
    expect(own).toBe(highest / 2);
  });

  test("covers only the model itself where there is not enough for a dearer one", async () => {
    const healthy = start(() => Response.json(chatReply({ model: "first" })), { options: FALLBACKS });
    await healthy.ask({ max_tokens: 100 });
    const row = await healthy.relay.billing.nextRecord();
    const enough = (row.other.reserved ?? 0) / 2;
    const poor = start(busy, { options: FALLBACKS });
    poor.relay.billing.available = enough;
    const response = await poor.ask({ max_tokens: 100 });
    expect([response.status, poor.first.received.length, poor.second.received.length]).toEqual([503, 1, 0]);
  });
});

describe("money that does not cover the requested model", () => {
  const PRICES = { ModelRatio: '{"first":10,"second":2,"third":1}', PreConsumedQuota: "500" };
  const prices = { options: PRICES };
  /** A little more than what is held for a call to the model alone; a list in the request makes it longer. */
  const heldFor = async (model: string) => {
    const { relay, ask } = start(() => Response.json(chatReply({ model: "first" })), prices);
    await ask({ model, max_tokens: 100 });
    return 1.5 * (relay.billing.holds[0]?.amount ?? 0);
  };

  test("pays for the first fallback that it covers, exactly, and the requested one is not called", async () => {
    const { relay, ask, first, second, third } = start(busy, prices);
    relay.billing.available = await heldFor("third");
    const response = await ask({ max_tokens: 100, models: ["second", "third"] });
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "third"]);
    expect([first, second, third].map(({ received }) => received.length)).toEqual([0, 0, 1]);
    const row = await relay.billing.nextRecord();
    expect(row).toMatchObject({ modelName: "third", quota: 15, failed: false });
    expect(row.other).toMatchObject({ requested_model: "first" });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("is refused with the requested model's cost where it covers none", async () => {
    const { relay, ask, first, second, third } = start(busy, prices);
    relay.billing.available = 1;
    const response = await ask({ max_tokens: 100, models: ["second", "third"] });
    expect(response.status).toBe(429);
    expect((await response.json()).error.code).toBe("insufficient_quota");
    expect([first, second, third].map(({ received }) => received.length)).toEqual([0, 0, 0]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("is refused without a list, also in a stream and in every format", async () => {
    const { relay, ask, third } = start(busy, prices);
    relay.billing.available = await heldFor("third");
    expect((await ask({ max_tokens: 100 })).status).toBe(429);
    const models = ["third"];
    const streamed = await ask({ max_tokens: 100, models, stream: true });
    const messages = await ask({ max_tokens: 100, models }, "/v1/messages");
    expect([streamed.status, messages.status, third.received.length]).toEqual([200, 200, 2]);
  });

  test("goes on along a route, too", async () => {
    const route = { candidates: [{ model: "first" }, { model: "second" }, { model: "third" }] };
    const options = { ...PRICES, ModelRoutes: JSON.stringify({ best: route }) };
    const { relay, ask, second } = start(busy, { options });
    relay.billing.available = await heldFor("second");
    const response = await ask({ model: "best", max_tokens: 100 });
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
    expect(second.received).toHaveLength(1);
  });
});

test.each([
  ["models", "first"],
  ["models", []],
  ["models", [1]],
  ["models", Array.from({ length: 9 }, String)],
])("%s: %j is refused", async (name, value) => {
  const { ask, first } = start(busy);
  const response = await ask({ [name]: value });
  expect([response.status, (await response.json()).error.param]).toEqual([400, "models"]);
  expect(first.received).toEqual([]);
});

test("a member that only resembles the list is refused: another reader might follow it", async () => {
  const { ask, first } = start(busy);
  expect((await ask({ Models: ["second"] })).status).toBe(400);
  expect(first.received).toEqual([]);
});

test("bodies that pass untouched still name the model that is charged, and no list", async () => {
  const options = { ...FALLBACKS, "global.pass_through_request_enabled": "true" };
  const { ask, second, third } = start(busy, { options });
  await ask();
  await ask({ model: "third", models: ["third", "second"] });
  const sent = [second, third].map(({ received }) => JSON.parse(received[0]?.text ?? ""));
  expect(sent).toEqual([
    { model: "second", messages: MESSAGES },
    { model: "third", messages: MESSAGES },
  ]);
});

test("calls that have no fallbacks send no list either: a provider might follow it", async () => {
  const upstream = startUpstream(() =>
    Response.json({ object: "list", data: [{ index: 0, embedding: [0.1] }], model: "first" }),
  );
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["first"] }],
    options: { ModelRatio: '{"first":1}' },
  });
  stops.push(relay.stop, upstream.stop);
  await relay.post("/v1/embeddings", { model: "first", input: "Hi", models: ["second"] });
  expect(JSON.parse(upstream.received[0]?.text ?? "")).toEqual({ model: "first", input: "Hi" });
});

test("a call that names its channel stays with it", async () => {
  const { relay, second } = start(busy, { options: FALLBACKS, user: { role: 10 } });
  const response = await relay.post(
    "/v1/chat/completions",
    { model: "first", messages: MESSAGES },
    { headers: { authorization: "Bearer sk-test-1" } },
  );
  expect([response.status, second.received.length]).toEqual([503, 0]);
});

describe("an answer that a content filter withheld", () => {
  const withheld = (completion = 0) =>
    Response.json(
      chatReply({
        choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "content_filter" }],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
        usage: { prompt_tokens: 10, completion_tokens: completion, total_tokens: 10 + completion },
      }),
    );
  const sse = (...events: readonly string[]) =>
    new Response(`${events.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  const withheldStream = () => sse(chunk({ role: "assistant", content: "" }), chunk({}, {}, "content_filter"));
  const usageMetadata = { promptTokenCount: 10, totalTokenCount: 10 };
  const gemini = {
    candidates: [{ content: { parts: [], role: "model" }, finishReason: "SAFETY", index: 0 }],
    usageMetadata,
  };
  const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata };
  const claude = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "first", content: [], stop_reason: "refusal" },
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const [ANTHROPIC, GEMINI] = [14, 24];

  test.each<[string, () => Response, object, number | undefined]>([
    ["complete", withheld, {}, undefined],
    ["complete, with tokens", () => withheld(5), {}, undefined],
    ["streamed", withheldStream, { stream: true }, undefined],
    ["of Gemini", () => Response.json(gemini), {}, GEMINI],
    ["of Gemini, to a prompt that it blocks", () => Response.json(blocked), {}, GEMINI],
    ["of Claude", () => Response.json(claude), {}, ANTHROPIC],
  ])("%s counts as a refusal: the next model answers, and is charged", async (_, answer, body, type) => {
    const { relay, ask, second, first } = start(answer, { options: FALLBACKS }, type);
    const response = await ask(body);
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
    expect(await response.text()).toContain("Hello");
    expect([first.received.length, second.received.length]).toEqual([1, 1]);
    const row = await relay.billing.nextRecord();
    expect(row).toMatchObject({ modelName: "second", channelId: 2, failed: false });
    const [refusal] = row.other.admin_info?.attempts ?? [];
    expect(refusal).toMatchObject({ channelId: 1, status: 200, error_reason: { code: "gateway_filtered" } });
    expect(relay.billing.openHolds).toBe(0);
  });

  test.each<[string, () => Response, boolean]>([
    ["complete", () => withheld(5), false],
    ["streamed", withheldStream, true],
  ])("%s is the answer where no other model responds, charged by its own model", async (_, answer, stream) => {
    for (const options of [{}, FALLBACKS]) {
      const { relay, ask, second, third } = start(answer, { options: { ...options, RetryTimes: "0" } });
      await Promise.all([second.stop(), third.stop()]);
      const response = await ask({ stream });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("content_filter");
      const row = await relay.billing.nextRecord();
      expect(row).toMatchObject({ modelName: "first", channelId: 1, failed: false });
      expect(relay.billing.openHolds).toBe(0);
    }
  });

  test("is not one with text that a filter cut off: that is passed on", async () => {
    const cut = () =>
      Response.json(
        chatReply({
          choices: [{ index: 0, message: { role: "assistant", content: "Half" }, finish_reason: "content_filter" }],
        }),
      );
    const { ask, second } = start(cut, { options: FALLBACKS });
    expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: "Half" } }] });
    expect(second.received).toHaveLength(0);
  });
});
