import { afterEach, describe, expect, test } from "bun:test";
import { Registry } from "prom-client";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, pacedSse, sse, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import type { Call } from "../call/call.ts";
import { createContext } from "../endpoints/create-gateway.ts";
import { AttemptFailure, noResponse } from "../upstream/attempt-failure.ts";
import { coolDownMs, isRetryable, Router } from "./router.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const upstreams = (...answers: Parameters<typeof startUpstream>[0][]) =>
  answers.map((answer) => {
    const upstream = startUpstream(answer);
    stops.push(upstream.stop);
    return upstream;
  });
const relayWith = (setup: Parameters<typeof startRelay>[0]) => {
  const relay = startRelay({
    ...setup,
    options: { RetryTimes: "3", ...setup.options },
  });
  stops.push(relay.stop);
  return relay;
};

const CHAT = "/v1/chat/completions";
const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
const refuse =
  (status: number, error: object = { message: "no", type: "server_error" }, headers = {}) =>
  () =>
    Response.json({ error }, { status, headers });
const good = () => Response.json(chatReply());

describe("which failures are retried", () => {
  test.each([
    [429, true],
    [307, true],
    [500, true],
    [502, true],
    [503, true],
    [401, true],
    [403, true],
    [404, true],
    [400, false],
    [408, false],
    [504, false],
    [524, false],
    [199, true],
    [200, false],
    [299, false],
    [300, true],
  ])("%i: %p", (status, again) => {
    expect(isRetryable({ status })).toBe(again);
  });
  test("400 if the provider lists it", () => expect(isRetryable({ status: 400, retryableStatuses: [400] })).toBe(true));
});

test.each([
  ["2", 2_000],
  [null, 5_000],
  ["nonsense", 5_000],
  ["99999", 300_000],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 10_000],
])("a 429 with Retry-After %p cools down for %p ms", (header, expected) => {
  expect(coolDownMs(header, 0)).toBe(expected);
});

test("a date in Retry-After is relative to now", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(coolDownMs("Thu, 01 Jan 2026 00:00:07 GMT", now)).toBe(7_000);
  expect(coolDownMs("Wed, 31 Dec 2025 23:59:00 GMT", now)).toBe(0);
});

describe("attempts", () => {
  test("go to the best tier first, then through it, then down; never twice to one channel while others are left", async () => {
    const [a, b, c] = upstreams(refuse(500), refuse(500), good);
    const relay = relayWith({
      channels: [
        { baseUrl: c?.url ?? "", priority: 0 },
        { baseUrl: a?.url ?? "", priority: 9 },
        { baseUrl: b?.url ?? "", priority: 9 },
      ],
    });
    const answer = await relay.post(CHAT, ASK);
    expect(answer.status).toBe(200);
    expect([a, b, c].map((upstream) => upstream?.received.length)).toEqual([1, 1, 1]);
    const { other } = await relay.billing.nextRecord();
    expect(other.admin_info?.use_channel.at(-1)).toBe("1");
    expect(other.admin_info?.attempts.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(relay.billing.holds).toHaveLength(1);
  });

  test("end with the limit of RetryTimes", async () => {
    const [a] = upstreams(refuse(500));
    const relay = relayWith({
      channels: [1, 2, 3, 4].map(() => ({ baseUrl: a?.url ?? "" })),
      options: { RetryTimes: "1" },
    });
    const answer = await relay.post(CHAT, ASK);
    expect(answer.status).toBe(500);
    expect(a?.received).toHaveLength(2);
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ failed: true, quota: 0 });
    expect(record.other).toMatchObject({
      status: 500,
      ending: "upstream_failed",
    });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("continue after a refused connection, and never reveal the address", async () => {
    const [b] = upstreams(good);
    const relay = relayWith({
      channels: [{ baseUrl: "http://127.0.0.1:1", priority: 1 }, { baseUrl: b?.url ?? "" }],
    });
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    const alone = relayWith({
      channels: [{ baseUrl: "http://127.0.0.1:1" }],
      options: { RetryTimes: "0" },
    });
    const answer = await alone.post(CHAT, ASK);
    const text = await answer.text();
    expect(answer.status).toBe(502);
    expect(text).toContain("do_request_failed");
    expect(text).not.toContain("127.0.0.1");
  });

  test("a complete response that is lost midway is an error of the gateway, never a 200", async () => {
    const body = JSON.stringify(chatReply());
    const dying = () => {
      const steps = [body.slice(0, 40), () => Bun.sleep(1), new Error("dies")];
      return new Response(pacedSse(steps).body, {
        headers: { "content-type": "application/json" },
      });
    };
    const [a] = upstreams(dying);
    const alone = relayWith({
      channels: [{ baseUrl: a?.url ?? "" }],
      options: { RetryTimes: "0" },
    });
    const answer = await alone.post(CHAT, ASK);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.any(String) },
    });
    expect(await alone.billing.nextRecord()).toMatchObject({
      failed: true,
      quota: 0,
    });
  });

  test("continue after an error object inside a 200, streamed or not", async () => {
    const hidden = () => Response.json({ error: { message: "overloaded", type: "server_error" } });
    const streamed = () => sse('data: {"error":{"message":"overloaded"}}\n\ndata: [DONE]\n\n');
    const [a, b, c] = upstreams(hidden, streamed, (received) =>
      received.text.includes('"stream":true') ? sse(chunk({ content: "x" }, {}, "stop") + DONE) : good(),
    );
    const relay = relayWith({
      channels: [
        { baseUrl: a?.url ?? "", priority: 2 },
        { baseUrl: b?.url ?? "", priority: 1 },
        { baseUrl: c?.url ?? "", priority: 0 },
      ],
    });
    expect((await relay.post(CHAT, { ...ASK, stream: true })).status).toBe(200);
    expect(b?.received).toHaveLength(1);
    expect((await relay.billing.nextRecord()).other.admin_info?.attempts.map((attempt) => attempt.error)).toEqual([
      "overloaded",
      "overloaded",
      undefined,
    ]);
  });

  test("end with the first byte: a broken stream is not restarted elsewhere", async () => {
    const [a, b] = upstreams(() => pacedSse([chunk({ content: "x" }), 500, new Error("dies")]), good);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", priority: 1 }, { baseUrl: b?.url ?? "" }],
    });
    await (await relay.post(CHAT, { ...ASK, stream: true })).text();
    expect(b?.received).toHaveLength(0);
  });

  test("use the mapped status for the client and for the retry decision", async () => {
    const [a, b] = upstreams(refuse(503), good);
    const relay = relayWith({
      channels: [
        {
          baseUrl: a?.url ?? "",
          priority: 1,
          statusCodeMapping: new Map([[503, 400]]),
        },
        { baseUrl: b?.url ?? "" },
      ],
    });
    expect((await relay.post(CHAT, ASK)).status).toBe(400);
    expect(b?.received).toHaveLength(0);
  });

  test("skip a cooling key while others are usable", async () => {
    const [a] = upstreams((received) =>
      received.headers.get("authorization") === "Bearer one"
        ? Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after": "60" } })
        : good(),
    );
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", keys: ["one", "two"] }],
    });
    for (let i = 0; i < 4; i += 1) expect((await relay.post(CHAT, ASK)).status).toBe(200);
    const used = a?.received.map(({ headers }) => headers.get("authorization"));
    expect(used?.filter((key) => key === "Bearer one")).toHaveLength(1);
  });

  test("report a 429 without the upstream's message, with Retry-After", async () => {
    const [a] = upstreams(
      refuse(429, { message: "org-123 is over its limit", type: "requests" }, { "retry-after": "7" }),
    );
    const relay = relayWith({ channels: [{ baseUrl: a?.url ?? "" }] });
    const answer = await relay.post(CHAT, ASK);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(await answer.text()).not.toContain("org-123");
    // A second call has no other key left, and tries the cooling one rather than none.
    await relay.post(CHAT, ASK);
    expect(a?.received).toHaveLength(2);
  });

  test("rotate through the keys of a channel", async () => {
    const [a] = upstreams(good);
    const relay = relayWith({
      channels: [
        {
          baseUrl: a?.url ?? "",
          keys: ["1", "2", "3"],
          disabledKeys: new Set(["2"]),
        },
      ],
    });
    const another = (i: number) => ({
      ...ASK,
      messages: [{ role: "user", content: `question ${i}` }],
    });
    for (let i = 0; i < 4; i += 1) await relay.post(CHAT, another(i));
    expect(a?.received.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer 1",
      "Bearer 3",
      "Bearer 1",
      "Bearer 3",
    ]);
  });

  test("keep a conversation with the key that has its cache, and leave it when that fails", async () => {
    const failing = new Set<string>();
    const [a] = upstreams((received) =>
      failing.has(received.headers.get("authorization") ?? "") ? new Response("{}", { status: 500 }) : good(),
    );
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", keys: ["1", "2", "3"] }],
      options: { RetryTimes: "3" },
    });
    const keys = () => a?.received.map(({ headers }) => headers.get("authorization"));
    const cached = { ...ASK, prompt_cache_key: "c" };
    for (let i = 0; i < 3; i += 1) await relay.post(CHAT, cached);
    expect(keys()).toEqual(["Bearer 1", "Bearer 1", "Bearer 1"]);
    failing.add("Bearer 1");
    for (let i = 0; i < 2; i += 1) expect((await relay.post(CHAT, cached)).status).toBe(200);
    expect(keys()?.slice(3)).not.toEqual(["Bearer 1", "Bearer 1"]);
    expect(keys()?.at(-1)).not.toBe("Bearer 1");
  });

  test("continue elsewhere when a channel's own limit on the first byte expires", async () => {
    const [slow, quick] = upstreams(async () => {
      await Bun.sleep(2_000);
      return good();
    }, good);
    const relay = relayWith({
      channels: [
        {
          baseUrl: slow?.url ?? "",
          priority: 1,
          setting: { first_byte_timeout_seconds: 0.3 },
        },
        { baseUrl: quick?.url ?? "" },
      ],
      options: { RetryTimes: "1" },
    });
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect([slow?.received.length, quick?.received.length]).toEqual([1, 1]);
  });

  test("stay with a channel whose response began in time, however late the rest arrives", async () => {
    const [late, quick] = upstreams(() => {
      const bytes = new TextEncoder().encode(JSON.stringify(chatReply()));
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(bytes.slice(0, 10));
          await Bun.sleep(3_500);
          controller.enqueue(bytes.slice(10));
          controller.close();
        },
      });
      return new Response(body, {
        headers: { "content-type": "application/json" },
      });
    }, good);
    const relay = relayWith({
      channels: [
        {
          baseUrl: late?.url ?? "",
          priority: 1,
          setting: { first_byte_timeout_seconds: 3 },
        },
        { baseUrl: quick?.url ?? "" },
      ],
      options: { RetryTimes: "1" },
    });
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect([late?.received.length, quick?.received.length]).toEqual([1, 0]);
  });

  test("skip channels whose input limit the prompt exceeds", async () => {
    const [a, b] = upstreams(good, good);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", priority: 1, maxInputTokens: 50 }, { baseUrl: b?.url ?? "" }],
    });
    await relay.post(CHAT, {
      ...ASK,
      messages: [{ role: "user", content: "word ".repeat(30) }],
    });
    await relay.post(CHAT, {
      ...ASK,
      messages: [{ role: "user", content: "word ".repeat(300) }],
    });
    expect([a?.received.length, b?.received.length]).toEqual([1, 1]);
  });

  test.each([
    [CHAT, {}, /maximum context length is 50 tokens.*resulted in \d+ tokens/, "context_length_exceeded"],
    ["/v1/messages", { max_tokens: 9 }, /^prompt is too long: \d+ tokens > 50 maximum$/, undefined],
  ])("a prompt that no channel takes is too long in the client's words: %s", async (path, more, words, code) => {
    const [a] = upstreams(good);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", maxInputTokens: 50 }],
    });
    const content = "word ".repeat(300);
    const response = await relay.post(path, {
      ...ASK,
      ...more,
      messages: [{ role: "user", content }],
    });
    const { error } = await response.json();
    expect([response.status, error.code]).toEqual([400, code]);
    expect(error.message).toMatch(words);
    expect(a?.received).toHaveLength(0);
  });

  test("stay with a conversation's channel if its prompt must be counted against the input limit", async () => {
    const [a] = upstreams(good);
    const keys = ["1", "2", "3", "4", "5", "6"];
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", keys, maxInputTokens: 50 }],
    });
    const content = "extraordinarily ".repeat(20);
    const cached = {
      ...ASK,
      prompt_cache_key: "c",
      messages: [{ role: "user", content }],
    };
    for (let i = 0; i < 4; i += 1) await relay.post(CHAT, cached);
    expect(a?.received).toHaveLength(4);
    expect(new Set(a?.received.map(({ headers }) => headers.get("authorization"))).size).toBe(1);
  });

  test("never repeat a key that was refused, also where keys come by chance", async () => {
    const [upstream] = upstreams(({ headers }) =>
      headers.get("authorization") === "Bearer 1" ? refuse(404)() : good(),
    );
    const relay = relayWith({
      channels: [
        {
          baseUrl: upstream?.url ?? "",
          keys: ["1", "2"],
          setting: { multi_key_mode: "random" },
        },
      ],
      options: { RetryTimes: "1" },
    });
    const statuses = new Set<number>();
    for (let i = 0; i < 30; i += 1) statuses.add((await relay.post(CHAT, ASK)).status);
    expect([...statuses]).toEqual([200]);
  });

  test("rest a key that a status of 500 with Retry-After blames", async () => {
    const [a, b] = upstreams(refuse(500, undefined, { "retry-after": "60" }), good);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", priority: 1 }, { baseUrl: b?.url ?? "" }],
    });
    await relay.post(CHAT, ASK);
    expect(relay.readLive()[0]?.keys).toMatchObject([{ isCooling: true, failures: 1 }]);
  });

  test("pause a key for as long as a fault's Retry-After says", async () => {
    const [a, b] = upstreams(refuse(503, undefined, { "retry-after": "60" }), good);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", priority: 1 }, { baseUrl: b?.url ?? "" }],
    });
    for (let i = 0; i < 3; i += 1) expect((await relay.post(CHAT, ASK)).status).toBe(200);
    expect([a?.received.length, b?.received.length]).toEqual([1, 3]);
    expect(relay.readLive()[0]?.keys).toMatchObject([{ isCooling: true, failures: 1 }]);
  });

  const EMBED = "/v1/embeddings";
  const EMBEDDINGS = { model: "gpt-4o", input: "Hi" };
  const CHATS_ALONE = 14;

  test("skip channels whose provider does not serve the kind of request", async () => {
    const [a, b] = upstreams(good, () => Response.json({ object: "list", data: [{ index: 0, embedding: [0.1] }] }));
    const relay = relayWith({
      channels: [{ type: CHATS_ALONE, baseUrl: a?.url ?? "", priority: 1 }, { baseUrl: b?.url ?? "" }],
      options: { RetryTimes: "0" },
    });
    expect((await relay.post(EMBED, EMBEDDINGS)).status).toBe(200);
    expect([a?.received.length, b?.received.length]).toEqual([0, 1]);
  });

  test("return 501 if no channel serves the kind of request, and blame no channel", async () => {
    const [a] = upstreams(good);
    const relay = relayWith({
      channels: [{ type: CHATS_ALONE, baseUrl: a?.url ?? "" }],
    });
    for (let i = 0; i < 4; i += 1) {
      const answer = await relay.post(EMBED, EMBEDDINGS);
      expect(answer.status).toBe(501);
      expect(await answer.json()).toMatchObject({
        error: { code: "convert_request_failed", type: "upstream_error" },
      });
    }
    expect(relay.readLive()).toMatchObject([{ calls: 0, failed: 0, keys: [{ isCooling: false, failures: 0 }] }]);
    expect(relay.billing.openHolds).toBe(0);
    expect(a?.received).toEqual([]);
  });
});

describe("health", () => {
  const options = { AutomaticDisableChannelEnabled: "true", RetryTimes: "0" };
  const disabledBy = async (
    answer: () => Response,
    channel: object = {},
    settings: Parameters<typeof relayWith>[0]["options"] = options,
  ) => {
    const [a] = upstreams(answer);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", ...channel }],
      options: settings,
    });
    const answered = await relay.post(CHAT, ASK);
    return { disabled: relay.disabled, text: await answered.text() };
  };

  test.each([
    ["status 401", refuse(401)],
    ["an error code", refuse(400, { message: "x", code: "account_deactivated" })],
    ["an error type", refuse(429, { message: "x", type: "insufficient_quota" })],
    ["a phrase", refuse(403, { message: "Your CREDIT balance is too low to go on" })],
  ])("disables a channel after %s", async (_name, answer) => {
    expect((await disabledBy(answer)).disabled).toMatchObject([{ channelId: 1, key: null }]);
  });

  test("uses the upstream's own status, not the mapped one", async () => {
    const { disabled } = await disabledBy(refuse(401), {
      statusCodeMapping: new Map([[401, 500]]),
    });
    expect(disabled).toHaveLength(1);
  });

  test("disables the failing key while others are left, and never reveals it", async () => {
    const { disabled, text } = await disabledBy(refuse(401, { message: "Incorrect API key: key-one" }), {
      keys: ["key-one", "key-two"],
    });
    expect(disabled).toEqual([{ channelId: 1, key: "key-one", reason: "401: Incorrect API key: ***" }]);
    expect(text).not.toContain("key-one");
  });

  test.each([
    ["the option is off", {}, { RetryTimes: "0" }],
    ["the channel is exempt", { autoBan: false }, options],
  ])("does nothing when %s", async (_name, channel, settings) => {
    expect((await disabledBy(refuse(401), channel, settings)).disabled).toEqual([]);
  });

  test("ignores temporary faults", async () => {
    expect((await disabledBy(refuse(500))).disabled).toEqual([]);
  });
});

test("a channel that the key names is asked once", async () => {
  const [a] = upstreams(refuse(500));
  const relay = relayWith({
    channels: [{ baseUrl: a?.url ?? "" }, { baseUrl: a?.url ?? "" }],
    user: { role: 10 },
  });
  const headers = { headers: { authorization: "Bearer sk-test-2" } };
  expect((await relay.post(CHAT, ASK, headers)).status).toBe(500);
  expect(a?.received).toHaveLength(1);
});

test("a prompt that is too long for all channels is compared with the longest that takes such calls", async () => {
  const [a] = upstreams(good);
  const relay = relayWith({
    channels: [
      ...[10, 20, 15].map((maxInputTokens) => ({
        baseUrl: a?.url ?? "",
        maxInputTokens,
      })),
      { type: 38, baseUrl: a?.url ?? "", maxInputTokens: 900 },
    ],
  });
  const content = "lock ".repeat(40);
  const response = await relay.post(CHAT, {
    ...ASK,
    messages: [{ role: "user", content }],
  });
  const { error } = await response.json();
  expect([response.status, error.code]).toEqual([400, "context_length_exceeded"]);
  expect(error.message).toMatch(/maximum context length is 20 tokens.*resulted in 4\d tokens/);
  expect(a?.received).toEqual([]);
});

/** A router of a call, without a gateway around it. */
const open = (names: readonly string[], more: Partial<Call> = {}) => {
  const relay = relayWith({
    channels: names.map((name) => ({ name, keys: [`key of ${name}`] })),
  });
  const context = createContext({ ...relay.services, metrics: new Registry() });
  const candidates = relay.services.channels.candidates("default", "gpt-4o") ?? { model: "gpt-4o", tiers: [] };
  const call = {
    ...{
      excluded: null,
      preferences: null,
      candidates,
      summary: { model: "gpt-4o" },
      prompt: {},
      promptBound: 10,
    },
    ...{
      caller: { user: { id: 1 }, token: null, pinnedChannelId: null },
      body: { json: {}, text: "{}", size: 2 },
    },
    ...{
      endpoint: { capability: "chat", codec: { dialect: "openai-chat" } },
      progress: { client: { hasLeft: false } },
    },
    ...more,
  } as unknown as Call;
  const router = new Router(context, call, null);
  const first = router.next();
  if (!first) throw new Error("there is no channel");
  return {
    context,
    router,
    first,
    call,
    channels: relay.services.channels.all(),
  };
};

describe("a second channel next to the first", () => {
  test("is another one with a key that is not cooling down, and there may be none", () => {
    const { context, router, first } = open(["a", "b"]);
    const other = router.alternativeTo(first);
    expect([first.channel.name, other?.channel.name].sort()).toEqual(["a", "b"]);
    if (!other) throw new Error("there is no other");
    context.coolDown.start(other.channel.id, other.key, 60_000);
    expect(router.alternativeTo(first)).toBeNull();
    const alone = open(["a"]);
    expect(alone.router.alternativeTo(alone.first)).toBeNull();
  });

  test("that fails is not asked again, and its failure counts", () => {
    const { context, router, first } = open(["a", "b", "c"]);
    const second = router.alternativeTo(first);
    if (!second) throw new Error("there is no other");
    router.noteFailure(second, new Error("a mistake of the gateway"));
    expect(context.coolDown.stateOf(second.channel.id, second.key)?.failures ?? 0).toBe(0);
    router.noteFailure(second, noResponse(second.channel, second.key, "unreachable"));
    expect(context.coolDown.stateOf(second.channel.id, second.key)?.failures).toBe(1);
    const third = router.alternativeTo(first);
    expect(new Set([first, second, third].map((choice) => choice?.channel.name)).size).toBe(3);
    expect(router.next()?.channel.name).not.toBe(second.channel.name);
  });

  test("that responds first ends its key's failures, not those of the chosen one", () => {
    const { context, router, first } = open(["a", "b"]);
    const second = router.alternativeTo(first);
    if (!second) throw new Error("there is no other");
    for (const { channel, key } of [first, second]) context.coolDown.failed(channel.id, key);
    router.servedBy(second);
    router.succeeded(first);
    const failuresOf = ({ channel, key }: typeof first) => context.coolDown.stateOf(channel.id, key)?.failures ?? 0;
    expect([failuresOf(first), failuresOf(second)]).toEqual([1, 0]);
  });

  test("is the first, where the call excludes that from the start", () => {
    for (let draw = 0; draw < 5; draw += 1) {
      const { context, call, channels } = open(["a", "b"]);
      const excluded = {
        channels: new Set([...channels].slice(0, 1)),
        keys: new Map(),
      };
      expect(new Router(context, { ...call, excluded }, null).next()?.channel.name).toBe("b");
    }
  });
});

describe("a failed attempt", () => {
  test("with a server error, or without an answer, leaves the key for a second try", async () => {
    for (const first of [refuse(500), refuse(503), () => Promise.reject(new Error("dies"))]) {
      let count = 0;
      const [a] = upstreams(() => {
        count += 1;
        return count === 1 ? first() : good();
      });
      const relay = relayWith({
        channels: [{ baseUrl: a?.url ?? "", keys: ["only"] }],
      });
      expect((await relay.post(CHAT, ASK)).status).toBe(200);
      expect(a?.received).toHaveLength(2);
    }
  });

  test("blames no channel for a mistake of the gateway", () => {
    const { context, router, first } = open(["a", "b"]);
    const mistake = new TypeError("undefined is not a function");
    expect(() => router.failed(first, mistake)).toThrow(mistake);
    expect(context.coolDown.stateOf(first.channel.id, first.key)?.failures ?? 0).toBe(0);
  });

  test("counts among the key's last calls, of which a success is one", async () => {
    const answers = [401, 200, 401, 401];
    const [a] = upstreams(() => {
      const status = answers.shift() ?? 200;
      return status === 200 ? good() : refuse(status)();
    });
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", keys: ["only"] }],
      options: {
        ...{ AutomaticDisableChannelEnabled: "true", RetryTimes: "0" },
        ...{ AutomaticDisableFailures: "2", AutomaticDisableCalls: "2" },
      },
    });
    for (let at = 1; at <= 3; at += 1) {
      await relay.post(CHAT, ASK);
      expect(relay.disabled).toHaveLength(0);
    }
    await relay.post(CHAT, ASK);
    expect(relay.disabled).toHaveLength(1);
  });
});

describe("a conversation", () => {
  const MODELS = {
    plain: { input_modalities: ["text"] },
    seeing: { input_modalities: ["text", "image"] },
  };
  const cached = (more: object) => ({ ...ASK, prompt_cache_key: "c", ...more });

  test("stays with the one of a channel's two keys that has its cache", async () => {
    const [a] = upstreams(good);
    const relay = relayWith({
      channels: [{ baseUrl: a?.url ?? "", keys: ["1", "2"] }],
    });
    for (let at = 0; at < 4; at += 1) await relay.post(CHAT, cached({}));
    expect(new Set(a?.received.map(({ headers }) => headers.get("authorization"))).size).toBe(1);
  });

  test.each([
    ["orders the providers", { order: ["openrouter"] }],
    ["demands the cheapest", { sort: "price" }],
  ])("leaves its channel for a call that %s", async (_what, provider) => {
    const [a, b] = upstreams(good, good);
    const relay = relayWith({
      channels: [
        {
          baseUrl: a?.url ?? "",
          priority: 1,
          modelMapping: new Map([["gpt-4o", "dear"]]),
        },
        {
          type: 20,
          baseUrl: b?.url ?? "",
          modelMapping: new Map([["gpt-4o", "cheap"]]),
        },
      ],
      options: { ModelRatio: '{"dear":10,"cheap":1}' },
    });
    await relay.post(CHAT, cached({}));
    expect([a?.received.length, b?.received.length]).toEqual([1, 0]);
    expect((await relay.post(CHAT, cached({ provider }))).status).toBe(200);
    expect([a?.received.length, b?.received.length]).toEqual([1, 1]);
  });

  test("leaves its channel for a call that only another's model can read", async () => {
    const [a, b] = upstreams(good, good);
    const relay = relayWith({
      channels: [
        {
          baseUrl: a?.url ?? "",
          priority: 1,
          modelMapping: new Map([["gpt-4o", "plain"]]),
        },
        {
          baseUrl: b?.url ?? "",
          modelMapping: new Map([["gpt-4o", "seeing"]]),
        },
      ],
      options: { ModelCatalog: JSON.stringify(MODELS) },
    });
    await relay.post(CHAT, cached({}));
    const content = [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }];
    expect((await relay.post(CHAT, cached({ messages: [{ role: "user", content }] }))).status).toBe(200);
    expect([a?.received.length, b?.received.length]).toEqual([1, 1]);
  });
});

/** `isCooling`: other calls leave the key alone for a while; `failures`: they count for longer pauses. */
test.each<
  [status: number, retryAfter: string | null, problem: "no_credit" | null, isCooling: boolean, failures: number]
>([
  [429, null, null, true, 0],
  [429, "60", null, true, 0],
  [503, "60", null, true, 1],
  [500, null, null, false, 1],
  [499, "60", null, false, 0],
  [400, "60", null, false, 0],
  [402, null, "no_credit", true, 0],
])("status %i, Retry-After %p, account problem %p: the key rests: %p, failures: %i", (...row) => {
  const [status, retryAfter, problem, isCooling, failures] = row;
  const { context, router, first } = open(["a", "b"]);
  const error = { message: "no", type: null, code: null } as unknown as AttemptFailure["error"];
  const { channel, key } = first;
  router.noteFailure(
    first,
    new AttemptFailure(channel, key, status, error, true, retryAfter, "no", false, "no", problem),
  );
  expect(context.keys.hasFit(channel, null, false)).toBe(!isCooling);
  expect(context.coolDown.stateOf(channel.id, key)?.failures ?? 0).toBe(failures);
});

test("a channel whose name for the model has no price is left out, where another's has one", async () => {
  const [a, b] = upstreams(good, good);
  const relay = relayWith({
    channels: [
      { baseUrl: a?.url ?? "", priority: 1, models: ["m"], modelMapping: new Map([["m", "unpriced"]]) },
      { baseUrl: b?.url ?? "", models: ["m"], modelMapping: new Map([["m", "cheap"]]) },
    ],
    options: { ModelRatio: '{"cheap":1}' },
  });
  expect((await relay.post(CHAT, { ...ASK, model: "m" })).status).toBe(200);
  expect([a?.received.length, b?.received.length]).toEqual([0, 1]);
});
