/** Marks of prefixes to cache for clients that set none: only where a session has shown that they pay. */
import { afterEach, describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../../src/catalog/catalog.ts";
import type { Conversation } from "../../../../src/formats/conversation/conversation.ts";
import { type JsonObject, parseJson, recordOf } from "../../../../src/formats/json.ts";
import { openaiChatClientCodec } from "../../../../src/formats/openai-chat/index.ts";
import { createAutomaticMarks, type MarkMode } from "../../../../src/gateway/adapters/conversation/automatic-marks.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const LONG = "All of this is worth reading again. ".repeat(400);
const system = { role: "system", content: LONG };
const user = (text: string) => ({ role: "user", content: text });
const assistant = (text: string) => ({ role: "assistant", content: text });
const MODEL = "claude-sonnet-4-5";

const CLAUDE_ANSWER = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: MODEL, content: [{ type: "text", text: "ok" }] },
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 1000, cache_creation_input_tokens: 400 },
};

function start({ setting = {}, options = {} }: { setting?: object; options?: Record<string, string> } = {}) {
  const upstream = startUpstream(() => Response.json(CLAUDE_ANSWER));
  const prices = { ModelRatio: 1, CompletionRatio: 1, CacheRatio: 0.1, CacheCreationRatio: 1.25 };
  const relay = startRelay({
    channels: [{ type: 14, baseUrl: upstream.url, models: [MODEL], setting: { ...setting } }],
    options: {
      ...Object.fromEntries(Object.entries(prices).map(([name, ratio]) => [name, JSON.stringify({ [MODEL]: ratio })])),
      ...options,
    },
  });
  stops.push(relay.stop, upstream.stop);
  /** Where the mark of the last request stands: before which text. */
  const marked = (): string[] => {
    const body = recordOf(parseJson(upstream.received.at(-1)?.text ?? "")) ?? {};
    return JSON.stringify(body)
      .split(',"cache_control":{"type":"ephemeral"}')
      .slice(0, -1)
      .map((before) => before.slice(-12));
  };
  const post = async (body: JsonObject, path = "/v1/chat/completions") => {
    const response = await relay.post(path, { model: MODEL, ...body });
    expect(response.status).toBe(200);
    return marked();
  };
  return { relay, post };
}

describe("an agent that appends to its conversation", () => {
  const turns = [user("first"), assistant("one"), user("second"), assistant("two"), user("third")];

  test("gets a mark at the end from its second request on", async () => {
    const { post, relay } = start();
    expect(await post({ messages: [system, ...turns.slice(0, 1)] })).toEqual([]);
    expect(await post({ messages: [system, ...turns.slice(0, 3)] })).toEqual([expect.stringContaining('"second"')]);
    expect(await post({ messages: [system, ...turns] })).toEqual([expect.stringContaining('"third"')]);
    const records = [await relay.billing.nextRecord(1), await relay.billing.nextRecord(2)];
    // 1000 read at a tenth, 400 written for a quarter more.
    expect(records.map(({ other }) => other.automatic_cache_saved)).toEqual([undefined, 800]);
  });

  test("that names itself gets one after its instructions at once", async () => {
    const { post } = start();
    const named = { prompt_cache_key: "thread-1", store: false, instructions: LONG };
    expect(await post({ ...named, input: [user("first")] }, "/v1/responses")).toEqual([
      expect.stringContaining("again. "),
    ]);
    expect(await post({ ...named, input: turns.slice(0, 3) }, "/v1/responses")).toEqual([
      expect.stringContaining('"second"'),
    ]);
  });

  test("that sets marks of its own, or is too short, gets none", async () => {
    const { post } = start();
    const own = { ...user("x"), cache_control: { type: "ephemeral" } };
    for (let at = 1; at <= 2; at += 1) {
      expect(
        await post({ messages: [{ role: "system", content: "S" }, user("a"), assistant("b"), user("c")] }),
      ).toEqual([]);
      expect(await post({ messages: [system, own] })).toEqual([expect.stringContaining('"x"')]);
    }
  });
});

test("questions about the same documents get the mark after these, not after the question", async () => {
  const { post } = start();
  const ask = (question: string) => ({
    prompt_cache_key: "k",
    messages: [system, user("first"), assistant(LONG), user(question)],
  });
  expect(await post(ask("How?"))).toEqual([expect.stringContaining("again. ")]);
  expect(await post(ask("Why?"))).toEqual([expect.stringContaining("again. ")]);
});

describe("a request that is forwarded", () => {
  const turns = [user("first"), assistant("one"), user("second")];
  const claude = { max_tokens: 9, system: LONG };
  const top = { type: "ephemeral" };
  const lastOf = (upstream: ReturnType<typeof startUpstream>) =>
    recordOf(parseJson(upstream.received.at(-1)?.text ?? "")) ?? {};

  test.each([
    ["always", top],
    ["never", undefined],
    // A foreign address may not know the mark at the top.
    ["auto", undefined],
  ])("gets the mark at the top of its body, %s", async (mode, expected) => {
    for (const [type, path, body] of [
      [14, "/v1/messages", { ...claude, messages: turns }],
      [20, "/v1/chat/completions", { messages: [system, ...turns] }],
    ] as const) {
      const upstream = startUpstream(({ path: at }) =>
        at.endsWith("/messages") ? Response.json(CLAUDE_ANSWER) : Response.json(chatReply()),
      );
      const model = type === 20 ? `anthropic/${MODEL}` : MODEL;
      const relay = startRelay({
        channels: [{ type, baseUrl: upstream.url, models: [model] }],
        options: { ModelRatio: JSON.stringify({ [model]: 1 }), "claude.automatic_cache_marks": mode },
      });
      stops.push(relay.stop, upstream.stop);
      for (let times = 1; times <= 2; times += 1) {
        expect((await relay.post(path, { model, ...body })).status).toBe(200);
        expect(lastOf(upstream).cache_control).toEqual(expected);
        expect(lastOf(upstream)).toMatchObject(body);
      }
      const own = { ...user("x"), content: [{ type: "text", text: "x", cache_control: top }] };
      expect((await relay.post(path, { model, ...body, messages: [...body.messages, own] })).status).toBe(200);
      expect(lastOf(upstream)).not.toHaveProperty("cache_control");
    }
  });

  test("pays at its end while the conversation is only appended to", () => {
    const marks = createAutomaticMarks();
    const session = (requestId: string) => ({ key: "k", isNamed: true, requestId });
    const info = shippedCatalog.find(MODEL);
    const at = (id: string, messages: JsonObject[]) =>
      marks.marksEnd(openaiChatClientCodec.decodeRequest({ model: MODEL, messages }), session(id), info, "auto");
    expect(at("1", [system, user("first")])).toBe(false);
    expect(at("2", [system, ...turns])).toBe(true);
    expect(at("3", [system, user("other"), assistant("one"), user("second")])).toBe(false);
  });
});

test.each([
  ["always", "by option", { options: { "claude.automatic_cache_marks": "always" } }, 1],
  ["never", "by option", { options: { "claude.automatic_cache_marks": "never" } }, 0],
  ["always", "by the channel", { setting: { automatic_cache_marks: "always" } }, 1],
  [
    "never",
    "by the channel",
    { setting: { automatic_cache_marks: "never" }, options: { "claude.automatic_cache_marks": "always" } },
    0,
  ],
] as const)("%s %s", async (_mode, _by, setup, count) => {
  const { post } = start(setup);
  const body = { prompt_cache_key: "k", messages: [system, user("first")] };
  expect(await post(body)).toHaveLength(count);
  expect(await post(body)).toHaveLength(count);
});

describe("a session", () => {
  const info = shippedCatalog.find(MODEL);
  const conversation = (...messages: object[]): Conversation =>
    openaiChatClientCodec.decodeRequest({ model: MODEL, messages: [system, ...messages] });
  const setup = () => {
    let nowMs = 0;
    const marks = createAutomaticMarks(() => nowMs);
    const mark = (read: Conversation, key = "a", mode: MarkMode = "auto", requestId = Bun.randomUUIDv7()) =>
      marks.mark(read, { key, isNamed: false, requestId }, info, mode) !== null;
    const wait = (ms: number) => {
      nowMs += ms;
    };
    return { mark, wait };
  };

  test("that rests longer than the cache lives begins again", () => {
    const { mark, wait } = setup();
    const read = conversation(user("x"));
    expect([mark(read), mark(read)]).toEqual([false, true]);
    wait(5 * 60_000);
    expect([mark(read), mark(read)]).toEqual([false, true]);
  });

  test("knows its own prefix only, and counts a call that is sent again once", () => {
    const { mark } = setup();
    const read = conversation(user("x"));
    expect(mark(read, "a", "auto", "r1")).toBe(false);
    expect(mark(read, "a", "auto", "r1")).toBe(false);
    expect(mark(read, "b")).toBe(false);
    expect(mark(read, "a")).toBe(true);
  });

  test("whose instructions change each time gets none", () => {
    const { mark } = setup();
    const at = (time: number) => {
      const read = conversation(user("x"));
      return { ...read, system: [{ type: "text" as const, text: `${LONG} ${time}` }] };
    };
    expect([mark(at(1)), mark(at(2)), mark(at(3))]).toEqual([false, false, false]);
  });

  test("of a model that caches long prefixes alone gets none for a short one", () => {
    const { mark } = setup();
    const short = { ...conversation(user("x")), system: [{ type: "text" as const, text: LONG.slice(0, 2_000) }] };
    expect([mark(short), mark(short)]).toEqual([false, false]);
  });
});
