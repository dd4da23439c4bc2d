import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  sse,
  startUpstream,
  usageChunk,
} from "../../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { readWish } from "./cache-control.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Relay = Parameters<typeof startRelay>[0];

const start = (answer: Parameters<typeof startUpstream>[0], setup: Partial<Relay> = {}) => {
  const upstream = startUpstream(answer);
  const options = { ResponseCacheEnabled: "true", ...setup.options };
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], ...setup, options });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
};

const CHAT = "/v1/chat/completions";
const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
const STREAM = { ...ASK, stream: true, stream_options: { include_usage: true } };

/** One character of each answer says which call of the upstream it is. */
const counting = () => {
  let calls = 0;
  return () => {
    calls += 1;
    const message = { role: "assistant", content: `answer ${calls}` };
    return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  };
};

const streaming = () =>
  sse(
    chunk({ role: "assistant" }) +
      chunk({ content: "An answer" }) +
      chunk({ content: " more" }) +
      chunk({}, {}, "stop") +
      usageChunk() +
      DONE,
  );

describe("the cache of responses", () => {
  test("answers an equal request byte for byte, without the upstream, for a part of the price", async () => {
    const { upstream, relay } = start(counting());
    const first = await relay.post(CHAT, ASK);
    const again = await relay.post(
      CHAT,
      `{"messages": [{"content":"Hi","role":"user"}], "model":"gpt-4o", "user": "else"}`,
    );
    expect([first.headers.get("x-sluice-cache"), again.headers.get("x-sluice-cache")]).toEqual(["miss", "hit"]);
    expect(first.headers.get("age")).toBeNull();
    expect(Number(again.headers.get("age"))).toBeLessThan(5);
    expect(await again.text()).toBe(await first.text());
    expect(upstream.received).toHaveLength(1);
    const hit = await relay.billing.nextRecord(2);
    // (10 + 5 × 4) × 1.25 = 37.5, and a tenth of it: 3.75
    expect(hit).toMatchObject({ quota: 4, promptTokens: 10, completionTokens: 5, channelId: 0, failed: false });
    expect(hit.other.receipt).toMatchObject({ total: 4, cacheHitPercent: 10, groupRatio: "0.1" });
    expect(hit.other.response_cache).toEqual({ age_seconds: expect.any(Number), saved: 34 });
    expect((await relay.billing.nextRecord(1)).other.response_cache).toEqual({ miss: true });
    expect(hit.other.admin_info?.use_channel).toEqual([]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a hit's row has the text of its answer where contents are logged", async () => {
    const { relay } = start(counting(), { options: { LogChatContentEnabled: "true" } });
    for (const _ of [1, 2]) await relay.post(CHAT, ASK);
    expect((await relay.billing.nextRecord(2)).other).toMatchObject({
      response_cache: expect.anything(),
      output_content: "answer 1",
    });
  });

  test("a hit says what of the request its provider could not express, in its header and in the log", async () => {
    const { relay } = start(counting());
    const body = { ...{ model: "gpt-4o", max_tokens: 9, top_k: 3 }, messages: ASK.messages };
    const dropped: (string | null)[] = [];
    for (const _ of [1, 2]) dropped.push((await relay.post("/v1/messages", body)).headers.get("x-sluice-dropped"));
    expect(dropped).toEqual(["top_k", "top_k"]);
    const hit = await relay.billing.nextRecord(2);
    expect([hit.other.response_cache, hit.other.dropped]).toEqual([expect.anything(), ["top_k"]]);
  });

  test("is off unless it is switched on", async () => {
    const { upstream, relay } = start(counting(), { options: { ResponseCacheEnabled: "false" } });
    for (const _ of [1, 2]) expect((await relay.post(CHAT, ASK)).headers.get("x-sluice-cache")).toBeNull();
    expect(upstream.received).toHaveLength(2);
  });

  test("gives a stream from a stream, and each from the other", async () => {
    const { upstream, relay } = start(streaming);
    const first = await (await relay.post(CHAT, STREAM)).text();
    const same = await (await relay.post(CHAT, STREAM)).text();
    expect(same).toBe(first);
    const complete = await (await relay.post(CHAT, ASK)).json();
    expect(complete).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { content: "An answer more" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    });
    // A client that asks for no usage gets none.
    const plain = await (await relay.post(CHAT, { ...ASK, stream: true })).text();
    expect(plain).toContain("An answer");
    expect(plain).not.toContain('"prompt_tokens"');
    expect(plain.trimEnd()).toEndWith("data: [DONE]");
    expect(upstream.received).toHaveLength(1);
    expect((await relay.billing.nextRecord(4)).quota).toBe(4);
  });

  const MESSAGES = { model: "gpt-4o", max_tokens: 50, messages: [{ role: "user", content: "Hi" }] };
  const RESPONSES = { model: "gpt-4o", input: "Hi", store: false };
  const GEMINI = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
  test.each([
    ["/v1/messages", MESSAGES, "/v1/messages", { ...MESSAGES, stream: true }, "message_stop"],
    ["/v1/responses", RESPONSES, "/v1/responses", { ...RESPONSES, stream: true }, "response.completed"],
    [
      "/v1beta/models/gpt-4o:generateContent",
      GEMINI,
      "/v1beta/models/gpt-4o:streamGenerateContent?alt=sse",
      GEMINI,
      "STOP",
    ],
  ])("speaks the format of %s", async (path, body, streamPath, streamed, end) => {
    // DeepSeek: its chats are translated from each of these formats.
    const upstream = startUpstream(counting());
    const channels = [{ baseUrl: upstream.url, type: 43, models: ["gpt-4o"] }];
    const relay = startRelay({ channels, options: { ResponseCacheEnabled: "true" } });
    stops.push(upstream.stop, relay.stop);
    const first = await (await relay.post(path, body)).text();
    expect(await (await relay.post(path, body)).text()).toBe(first);
    const stream = await relay.post(streamPath, streamed);
    expect(stream.headers.get("x-sluice-cache")).toBe("hit");
    const events = await stream.text();
    expect(events).toContain("answer 1");
    expect(events).toContain(end);
    expect(upstream.received).toHaveLength(1);
  });

  test("equal calls at once wait for one; each is charged once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = counting();
    const { upstream, relay } = start(async () => {
      await promise;
      return answer();
    });
    const calls = Array.from({ length: 20 }, () => relay.post(CHAT, ASK));
    await until(() => upstream.received.length === 1);
    resolve();
    const texts = await Promise.all(calls.map(async (call) => (await call).text()));
    expect(new Set(texts).size).toBe(1);
    expect(upstream.received).toHaveLength(1);
    await relay.billing.nextRecord(20);
    expect(relay.billing.records.map(({ quota }) => quota).sort()).toEqual([38, ...Array(19).fill(4)].sort());
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a client that leaves while it waits for an equal call is charged nothing", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = counting();
    const { upstream, relay } = start(async () => {
      await promise;
      return answer();
    });
    const first = relay.post(CHAT, ASK);
    await until(() => upstream.received.length === 1);
    const leaving = new AbortController();
    const second = relay.post(CHAT, ASK, { signal: leaving.signal }).catch(() => null);
    await Bun.sleep(100);
    leaving.abort();
    await second;
    await Bun.sleep(400);
    resolve();
    await first;
    await relay.billing.nextRecord(2);
    expect(relay.billing.records.map(({ quota, other }) => [quota, other.ending])).toContainEqual([0, "client_left"]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a failure is not kept, and those that waited for it are made", async () => {
    let calls = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { upstream, relay } = start(async () => {
      calls += 1;
      if (calls > 1) return Response.json(chatReply());
      await promise;
      return Response.json({ error: { message: "broken" } }, { status: 500 });
    });
    const first = relay.post(CHAT, ASK);
    await until(() => upstream.received.length === 1);
    const second = relay.post(CHAT, ASK);
    await Bun.sleep(20);
    resolve();
    expect((await first).status).toBeGreaterThanOrEqual(500);
    expect((await second).status).toBe(200);
    expect(upstream.received).toHaveLength(2);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a stream that its client leaves, or that breaks, is not kept", async () => {
    let calls = 0;
    const { upstream, relay } = start(() => {
      calls += 1;
      return calls === 1 ? sse(chunk({ content: "half" })) : streaming();
    });
    const broken = await (await relay.post(CHAT, STREAM)).text();
    expect(broken).toContain("stream_broken");
    expect(await (await relay.post(CHAT, STREAM)).text()).toContain("answer");
    expect(upstream.received).toHaveLength(2);
  });

  const OTHERS: [string, object][] = [
    ["another text", { messages: [{ role: "user", content: "Ho" }] }],
    ["another limit", { max_tokens: 7 }],
    ["a seed that a double cannot tell from the next", { seed: 1 }],
    ["a member of a provider", { top_k: 3 }],
  ];
  test.each(OTHERS)("%s is another request", async (_, change) => {
    const { upstream, relay } = start(counting());
    await relay.post(CHAT, ASK);
    expect((await relay.post(CHAT, { ...ASK, ...change })).headers.get("x-sluice-cache")).toBe("miss");
    expect(upstream.received).toHaveLength(2);
  });

  test("numbers that look alike once parsed are different requests", async () => {
    const { upstream, relay } = start(counting());
    for (const seed of ["12345678901234567890", "12345678901234567891"]) {
      await relay.post(CHAT, `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"seed":${seed}}`);
    }
    expect(upstream.received).toHaveLength(2);
  });

  const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const BYPASSED: [string, object][] = [
    ["tools", { tools: [{ type: "function", function: { name: "f" } }] }],
    ["an image", { messages: [{ role: "user", content: [IMAGE] }] }],
    ["what is stored", { store: true }],
  ];
  test.each(BYPASSED)("takes no part in requests with %s unless a rule says so", async (what, change) => {
    const { upstream, relay } = start(counting());
    for (const _ of [1, 2])
      expect((await relay.post(CHAT, { ...ASK, ...change })).headers.get("x-sluice-cache")).toBe("bypass");
    expect(upstream.received).toHaveLength(2);
    const rules = JSON.stringify({ "gpt-*": { tools: true, images: true } });
    const allowing = start(counting(), { options: { ResponseCacheRules: rules } });
    await allowing.relay.post(CHAT, { ...ASK, ...change });
    const second = await allowing.relay.post(CHAT, { ...ASK, ...change });
    expect(second.headers.get("x-sluice-cache")).toBe(what === "what is stored" ? "bypass" : "hit");
  });

  test("accounts never share; keys share within an account unless a rule separates them", async () => {
    const tokens = { one: { id: 1 }, two: { id: 2 } };
    const ask = (relay: ReturnType<typeof startRelay>, key: string) =>
      relay.post(CHAT, ASK, { headers: { authorization: `Bearer sk-${key}` } });
    const shared = start(counting(), { tokens });
    await ask(shared.relay, "one");
    expect((await ask(shared.relay, "two")).headers.get("x-sluice-cache")).toBe("hit");
    const apart = start(counting(), { tokens, options: { ResponseCacheRules: '{"*": {"scope": "key"}}' } });
    await ask(apart.relay, "one");
    expect((await ask(apart.relay, "two")).headers.get("x-sluice-cache")).toBe("miss");
    expect((await ask(apart.relay, "one")).headers.get("x-sluice-cache")).toBe("hit");
  });

  test("Cache-Control of the client is honoured", async () => {
    const { upstream, relay } = start(counting());
    const ask = (value: string) => relay.post(CHAT, ASK, { headers: { "cache-control": value } });
    const missing = await ask("only-if-cached");
    expect(missing.status).toBe(504);
    expect(await missing.json()).toMatchObject({ error: { code: "not_in_cache" } });
    expect((await ask("no-store")).headers.get("x-sluice-cache")).toBe("bypass");
    expect((await ask("no-cache")).headers.get("x-sluice-cache")).toBe("miss");
    expect((await ask("max-age=60")).headers.get("x-sluice-cache")).toBe("hit");
    expect(await (await ask("no-cache")).text()).toContain("answer 3");
    expect(await (await ask("only-if-cached")).text()).toContain("answer 3");
    expect(upstream.received).toHaveLength(3);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("rules: lifetime, size, price, and models that are not cached", async () => {
    const rules = {
      "gpt-4o": { ttl_seconds: 1, hit_percent: 0 },
      "gpt-4o-mini": { max_kilobytes: 1 },
      "o1*": { enabled: false },
    };
    const models = ["gpt-4o", "gpt-4o-mini", "o1", "gpt-4.1"];
    const long = chatReply({
      choices: [{ index: 0, message: { role: "assistant", content: "x".repeat(2000) }, finish_reason: "stop" }],
    });
    const upstream = startUpstream(() => Response.json(long));
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models }],
      options: { ResponseCacheEnabled: "true", ResponseCacheRules: JSON.stringify(rules) },
    });
    stops.push(upstream.stop, relay.stop);
    const states = async (model: string) => {
      const ask = async () => (await relay.post(CHAT, { ...ASK, model })).headers.get("x-sluice-cache");
      return [await ask(), await ask()];
    };
    expect(await states("gpt-4o")).toEqual(["miss", "hit"]);
    expect((await relay.billing.nextRecord(2)).quota).toBe(0);
    expect(await states("gpt-4o-mini")).toEqual(["miss", "miss"]);
    expect(await states("o1")).toEqual(["bypass", "bypass"]);
    expect(await states("gpt-4.1")).toEqual(["bypass", "bypass"]);
    await Bun.sleep(1100);
    expect(await states("gpt-4o")).toEqual(["miss", "hit"]);
  });
});

test.each([
  [null, {}],
  ["no-store, max-age=0", { noStore: true, maxAge: 0 }],
  ["No-Cache", { noCache: true }],
  ['max-age="12", only-if-cached', { maxAge: 12, onlyIfCached: true }],
  ["max-age=soon, unheard-of=1", {}],
])("Cache-Control %p", (header, wish) => {
  const none = { noStore: false, noCache: false, onlyIfCached: false, maxAge: Number.POSITIVE_INFINITY };
  expect(readWish(header)).toEqual({ ...none, ...wish });
});
