/** GET /v1/responses as a WebSocket: each turn is a call like any other, onto any provider. */
import { afterEach, describe, expect, test } from "bun:test";
import { FAMILIES, FAMILY_TYPES, startFamily } from "../../support/gateway/families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chunk, DONE, pacedSse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;
type Upstream = ReturnType<typeof startUpstream>;
type Event = Record<string, unknown> & {
  type: string;
  status?: number;
  error?: { code: string; param?: string; message: string };
  response?: { id: string; status: string; output: object[] };
};

const RuntimeWebSocket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket;

function start(upstream: Upstream, channel: Setup["channels"] extends infer _ ? object : never = {}, more: Setup = {}) {
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"], ...channel }],
    options: { ModelRatio: '{"m": 1}', CompletionRatio: '{"m": 4}', PreConsumedQuota: "500" },
    ...more,
  });
  stops.push(upstream.stop, relay.stop);
  return { relay, upstream };
}

const KEY = { authorization: "Bearer sk-test", "openai-beta": "responses_websockets=2026-02-06" };

function connect(url: string, headers: Record<string, string> = KEY) {
  const socket = new RuntimeWebSocket(`${url.replace("http", "ws")}/v1/responses`, { headers });
  const events: Event[] = [];
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  const opening = Promise.withResolvers<void>();
  socket.onopen = () => opening.resolve();
  socket.onmessage = ({ data }) => void events.push(JSON.parse(String(data)));
  socket.onclose = ({ code, reason }) => closing.resolve({ code, reason });
  const received = async (type: string, count = 1): Promise<Event> => {
    const all = await until(
      () => events.filter((event) => event.type === type),
      ({ length }) => length >= count,
    );
    return all[count - 1] as Event;
  };
  const create = (body: object) => socket.send(JSON.stringify({ type: "response.create", model: "m", ...body }));
  stops.push(() => socket.terminate());
  return { socket, events, received, create, opened: opening.promise, closed: closing.promise };
}

const textOf = ({ response }: Event): string => JSON.stringify(response?.output);

const chatStream = () =>
  startUpstream(({ path }) =>
    path.includes("/responses")
      ? new Response("404 page not found", { status: 404 })
      : pacedSse([chunk({ role: "assistant", content: "Hello" }), chunk({ content: " there" }), usageChunk(), DONE]),
  );

/** Every call is charged or refunded, and nothing is set aside any more. */
const settled = (relay: ReturnType<typeof startRelay>) => until(() => relay.billing.openHolds === 0);

describe("several turns on one connection", () => {
  test.each(FAMILIES)("%s: unstored responses are continued from the connection's memory", async (family) => {
    const { relay, upstream } = start(startFamily(family), { type: FAMILY_TYPES[family] });
    const client = connect(relay.url);
    await client.opened;
    const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: {} } }];
    client.create({ input: "How is the weather in Ghent?", store: false, tools });
    const first = await client.received("response.completed");
    const [call] = ((first.response?.output ?? []) as { type: string; call_id: string }[]).filter(
      ({ type }) => type === "function_call",
    );
    client.create({
      input: [{ type: "function_call_output", call_id: call?.call_id, output: "rainy" }],
      previous_response_id: first.response?.id,
      store: false,
      tools,
    });
    const second = await client.received("response.completed", 2);
    expect(textOf(second)).toContain("It rains in Ghent.");
    expect(second.response?.id).not.toBe(first.response?.id);
    const sent = upstream.received.at(-1)?.text ?? "";
    for (const text of ["How is the weather in Ghent?", "Let me look.", "rainy"]) expect(sent).toContain(text);
    expect(sent).not.toContain("response.create");
    await settled(relay);
    expect(relay.billing.records.map(({ isStream, other }) => [isStream, other.ending])).toEqual([
      [true, "complete"],
      [true, "complete"],
    ]);
    for (const { quota, promptTokens, completionTokens } of relay.billing.records)
      expect(quota).toBe(promptTokens + 4 * completionTokens);
    // Nobody else knows a response that is not stored.
    const other = await relay.post("/v1/responses", {
      model: "m",
      input: "Hi",
      previous_response_id: second.response?.id,
    });
    expect(other.status).toBe(400);
  });

  test("a native upstream gets the whole input, without what only the connection knows", async () => {
    let made = 0;
    const upstream = startUpstream(({ text }) => {
      const response = {
        ...{ id: `resp_${++made}`, object: "response", created_at: 1, status: "completed", model: "m" },
        output: [
          { id: "rs_1", type: "reasoning", summary: [] },
          { id: "rs_2", type: "reasoning", summary: [], encrypted_content: "sealed" },
          {
            id: "msg_1",
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: `Answer ${made}` }],
          },
        ],
        usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
      };
      expect(JSON.parse(text).stream).toBe(true);
      const begun = { type: "response.created", response: { ...response, status: "in_progress", output: [] } };
      const events = [begun, { type: "response.completed", response }];
      return pacedSse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
    });
    const { relay } = start(upstream);
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "One", store: false });
    await client.received("response.completed");
    client.create({ input: [{ role: "user", content: "Two" }], store: false, previous_response_id: "resp_1" });
    await client.received("response.completed", 2);
    client.create({ input: "Three", store: false, previous_response_id: "resp_2", stream_id: "fork" });
    await client.received("response.completed", 3);
    const inputs = upstream.received.map(({ text }) => JSON.parse(text));
    expect(inputs.map(({ previous_response_id: id, type }) => [id, type])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    const shape = (items: { content?: string; id?: string }[]) => items.map(({ content, id }) => id ?? content);
    expect(shape(inputs[2].input)).toEqual(["One", "rs_2", "msg_1", "Two", "rs_2", "msg_1", "Three"]);
    expect(client.events.filter((event) => event.stream_id === "fork").map(({ type }) => type)).toEqual([
      "response.created",
      "response.completed",
    ]);
  });

  test("stored responses are continued from any connection", async () => {
    const { relay, upstream } = start(chatStream());
    const one = connect(relay.url);
    await one.opened;
    one.create({ input: "My name is Ada." });
    const first = await one.received("response.completed");
    one.socket.close();
    const two = connect(relay.url);
    await two.opened;
    two.create({ input: "What is my name?", previous_response_id: first.response?.id, store: false });
    const second = await two.received("response.completed");
    two.create({ input: "Sure?", previous_response_id: second.response?.id });
    await two.received("response.completed", 2);
    for (const text of ["My name is Ada.", "What is my name?", "Sure?"])
      expect(upstream.received.at(-1)?.text).toContain(text);
  });

  test("a warm-up calls nobody, costs nothing, and is continued", async () => {
    const { relay, upstream } = start(chatStream());
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "You like rain.", instructions: "Be brief.", generate: false });
    const warm = await client.received("response.completed");
    expect(warm.response).toMatchObject({ status: "completed", output: [] });
    expect([upstream.received.length, relay.billing.holds.length, relay.billing.records.length]).toEqual([0, 0, 0]);
    client.create({ input: "Hi", previous_response_id: warm.response?.id });
    await client.received("response.completed", 2);
    const sent = upstream.received.at(-1)?.text ?? "";
    expect([sent.includes("You like rain."), sent.includes("Hi"), sent.includes("generate")]).toEqual([
      true,
      true,
      false,
    ]);
    client.create({ model: "unknown", input: "Hi", generate: false });
    expect((await client.received("error")).status).toBe(404);
  });
});

describe("errors are frames, and the connection goes on", () => {
  test.each<[object | string, number, string]>([
    ["{", 400, "invalid_request"],
    ["[]", 400, "invalid_request"],
    [{ type: "response.steer" }, 400, "invalid_request"],
    [{ model: "m", input: "Hi" }, 400, "invalid_request"],
    [{ type: "response.create", input: "Hi" }, 400, "invalid_request"],
    [{ type: "response.create", model: "m", input: 3 }, 400, "invalid_request"],
    [{ type: "response.create", model: "m", input: "Hi", background: true }, 400, "invalid_request"],
    [{ type: "response.create", model: "m", input: "Hi", stream_id: 3 }, 400, "invalid_request"],
    [{ type: "response.create", model: "m", input: "Hi", stream_id: "" }, 400, "invalid_request"],
    [{ type: "response.create", model: "unknown", input: "Hi" }, 404, "model_not_found"],
    [
      { type: "response.create", model: "m", input: "Hi", previous_response_id: "resp_none" },
      400,
      "previous_response_not_found",
    ],
  ])("%j", async (frame, status, code) => {
    const { relay } = start(chatStream());
    const client = connect(relay.url);
    await client.opened;
    client.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
    const failure = await client.received("error");
    expect([failure.status, failure.error?.code]).toEqual([status, code]);
    expect(failure.error?.message).toBeString();
    client.create({ input: "Hi" });
    expect(textOf(await client.received("response.completed"))).toContain("Hello there");
    await settled(relay);
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toHaveLength(1);
  });

  test("bytes are refused, acknowledgements ignored", async () => {
    const { relay } = start(chatStream());
    const client = connect(relay.url);
    await client.opened;
    client.socket.send(JSON.stringify({ type: "response.processed", response_id: "resp_1" }));
    client.socket.send(Buffer.from('{"type":"response.create"}'));
    await client.received("error");
    expect(client.events).toHaveLength(1);
  });

  test("an upstream's refusal comes with its status, and is not charged", async () => {
    const upstream = startUpstream(() =>
      Response.json({ error: { message: "Slow down", code: "rate_limit_exceeded" } }, { status: 429 }),
    );
    const { relay } = start(upstream, { type: FAMILY_TYPES.anthropic });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi", stream_id: "a" });
    expect(await client.received("error")).toMatchObject({ status: 429, stream_id: "a" });
    await settled(relay);
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toEqual([]);
  });

  test("a request that is too long ends as a failed response, as Codex looks for it, and the next turn runs", async () => {
    const message = "prompt is too long: 210000 tokens > 200000 maximum";
    const { relay } = start(
      startUpstream(() =>
        Response.json({ type: "error", error: { type: "invalid_request_error", message } }, { status: 400 }),
      ),
      { type: 14 },
    );
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hello" });
    const failed = await client.received("response.failed");
    expect(failed.response).toMatchObject({ status: "failed", error: { code: "context_length_exceeded" } });
    client.create({ input: "Hello again" });
    await client.received("response.failed", 2);
  });

  test("a body larger than the limit is refused", async () => {
    const { relay } = start(chatStream(), {}, { config: { maxRequestBodyBytes: 1_000 } });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "x".repeat(2_000) });
    expect((await client.received("error")).status).toBe(413);
  });
});

describe("before the upgrade", () => {
  const handshake = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/v1/responses`, {
      headers: {
        ...{ connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
        ...{ "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", ...headers },
      },
    });

  test("a wrong key gets the usual error", async () => {
    const { relay } = start(chatStream());
    for (const headers of [{}, { authorization: "Bearer sk-wrong" }]) {
      const refused = await handshake(relay.url, headers as Record<string, string>);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
  });

  test("browsers send their key as a sub-protocol", async () => {
    const { relay } = start(chatStream());
    const socket = new WebSocket(`${relay.url.replace("http", "ws")}/v1/responses`, [
      "responses",
      "openai-insecure-api-key.sk-test",
    ]);
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    expect(socket.protocol).toBe("responses");
    const event = new Promise<string>((resolve) =>
      socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data)).type)),
    );
    socket.send(JSON.stringify({ type: "response.create", model: "m", input: "Hi" }));
    expect(await event).toBe("response.created");
    socket.close();
  });

  test("a user's connections are limited", async () => {
    const { relay } = start(chatStream(), {}, { sockets: { connections: 1 } });
    const first = connect(relay.url);
    await first.opened;
    const refused = await handshake(relay.url, { authorization: "Bearer sk-test" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    first.socket.close();
    await first.closed;
    const next = connect(relay.url);
    await next.opened;
  });

  test("a request that is none is failure so, which lets Codex go on over HTTP", async () => {
    const { relay } = start(chatStream());
    expect((await relay.get("/v1/responses")).status).toBe(426);
  });

  test("a key that is switched off later ends turns, not the connection", async () => {
    const { relay } = start(chatStream());
    const client = connect(relay.url);
    await client.opened;
    relay.tokens.delete("test");
    client.create({ input: "Hi" });
    expect((await client.received("error")).status).toBe(401);
  });
});

describe("cancelled and cut", () => {
  const slow = () => {
    const gates = [Promise.withResolvers<void>()];
    const cancelled: number[] = [];
    const upstream = startUpstream(({ path }, _request, count) => {
      if (path.includes("/responses")) return new Response("404 page not found", { status: 404 });
      const wait = () => gates[0]?.promise ?? Promise.resolve();
      const steps = [
        chunk({ role: "assistant", content: "Hello" }),
        wait,
        chunk({ content: " there" }),
        usageChunk(),
        DONE,
      ];
      return pacedSse(steps, () => void cancelled.push(count));
    });
    return { upstream, release: () => gates[0]?.resolve(), cancelled };
  };

  test("a cancelled response is charged for what was sent, and the next turn runs", async () => {
    const { upstream, release } = slow();
    const { relay } = start(upstream, { type: 43 });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi" });
    await client.received("response.output_text.delta");
    client.socket.send(JSON.stringify({ type: "response.cancel" }));
    expect(await client.received("error")).toMatchObject({ error: { code: "response_cancelled" } });
    const record = await relay.billing.nextRecord();
    expect(record.other).toMatchObject({ ending: "client_left", usage_evidence: "estimated" });
    expect(record.quota).toBe(record.promptTokens + 4 * record.completionTokens);
    expect(record.completionTokens).toBeGreaterThan(0);
    release();
    client.create({ input: "Again" });
    await client.received("response.completed");
    await settled(relay);
    expect(relay.billing.records).toHaveLength(2);
  });

  /** The kinds of events of one response, in their order. */
  const EVENTS = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ];
  test.each(EVENTS)("a connection cut at %s leaves exact books", async (type) => {
    const { upstream, release } = slow();
    const { relay } = start(upstream, { type: 43 });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi", store: false });
    if (EVENTS.indexOf(type) > 4) release();
    await client.received(type);
    client.socket.terminate();
    const record = await relay.billing.nextRecord();
    expect(record.quota).toBe(record.promptTokens + 4 * record.completionTokens);
    await settled(relay);
    release();
    expect(relay.billing.records).toHaveLength(1);
  });

  test("a connection cut before the upstream answers is not charged", async () => {
    const gate = Promise.withResolvers<void>();
    const upstream = startUpstream(async () => {
      await gate.promise;
      return pacedSse([chunk({ content: "Hi" }), DONE]);
    });
    const { relay } = start(upstream, { type: 43 });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi" });
    await until(() => upstream.received.length === 1);
    client.socket.terminate();
    await settled(relay);
    gate.resolve();
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toEqual([]);
  });

  test("an upstream that breaks off is reported, and the connection goes on", async () => {
    const upstream = startUpstream((_received, _request, count) =>
      count === 1
        ? pacedSse([chunk({ role: "assistant", content: "Hello" }), new Error("broken")])
        : pacedSse([chunk({ content: "Hello" }), usageChunk(), DONE]),
    );
    const { relay } = start(upstream, { type: 43 });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi" });
    await until(() => client.events.some(({ type }) => type === "error" || type === "response.failed"));
    client.create({ input: "Again" });
    await client.received("response.completed");
    await settled(relay);
    expect(relay.billing.records).toHaveLength(2);
  });
});

describe("limits", () => {
  const paced = () => {
    const gate = Promise.withResolvers<void>();
    const upstream = startUpstream(() =>
      pacedSse([chunk({ role: "assistant", content: "Hello" }), () => gate.promise, usageChunk(), DONE]),
    );
    return { upstream, release: gate.resolve };
  };

  test("turns of one lane run one after the other, lanes at the same time", async () => {
    const { upstream, release } = paced();
    const { relay } = start(upstream, { type: 43 });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "1" });
    client.create({ input: "2" });
    client.create({ input: "3", stream_id: "b" });
    await client.received("response.output_text.delta", 2);
    expect(upstream.received).toHaveLength(2);
    release();
    await client.received("response.completed", 3);
    expect(upstream.received).toHaveLength(3);
    await settled(relay);
  });

  test("turns beyond the queue, and lanes beyond the limit, are refused", async () => {
    const { upstream, release } = paced();
    const { relay } = start(upstream, { type: 43 }, { sockets: { lanes: 2, waiting: 1 } });
    const client = connect(relay.url);
    await client.opened;
    for (const id of ["a", "b", "c"]) client.create({ input: "Hi", stream_id: id });
    expect(await client.received("error")).toMatchObject({
      status: 429,
      stream_id: "c",
      headers: { "retry-after": "1" },
    });
    client.create({ input: "Hi", stream_id: "a" });
    client.create({ input: "Hi", stream_id: "a" });
    expect(await client.received("error", 2)).toMatchObject({ status: 429, stream_id: "a" });
    release();
    await client.received("response.completed", 3);
    await settled(relay);
    expect(relay.billing.records).toHaveLength(3);
  });

  test("after its lifetime a connection finishes its turn, says why, and closes", async () => {
    const { upstream, release } = paced();
    const { relay } = start(upstream, { type: 43 }, { sockets: { lifetimeMs: 60 } });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi" });
    await client.received("response.output_text.delta");
    await Bun.sleep(80);
    client.create({ input: "Hi", stream_id: "b" });
    expect(await client.received("error")).toMatchObject({
      status: 400,
      error: { code: "websocket_connection_limit_reached" },
    });
    release();
    await client.received("response.completed");
    expect((await client.closed).code).toBe(1000);
    expect(client.events.at(-1)?.error?.code).toBe("websocket_connection_limit_reached");
    await settled(relay);
  });

  test("an idle connection is closed", async () => {
    const { relay } = start(chatStream(), {}, { sockets: { idleMs: 30 } });
    const client = connect(relay.url);
    expect(await client.closed).toEqual({ code: 1000, reason: "idle" });
  });

  test("a shutdown ends idle connections at once, the others with their turn", async () => {
    const { upstream, release } = paced();
    const { relay } = start(upstream, { type: 43 });
    const [idle, busy] = [connect(relay.url), connect(relay.url)];
    await Promise.all([idle.opened, busy.opened]);
    busy.create({ input: "Hi" });
    busy.create({ input: "waits" });
    await busy.received("response.output_text.delta");
    relay.drain();
    expect((await idle.closed).code).toBe(1001);
    release();
    await busy.received("response.completed");
    expect(await busy.received("error")).toMatchObject({ status: 503 });
    expect((await busy.closed).code).toBe(1001);
    const refused = connect(relay.url);
    expect((await refused.closed).code).toBe(1006);
    await settled(relay);
    expect(upstream.received).toHaveLength(1);
  });

  test("a forced shutdown charges what was sent", async () => {
    const { upstream, release } = paced();
    const { relay } = start(upstream, { type: 43 });
    const client = connect(relay.url);
    await client.opened;
    client.create({ input: "Hi" });
    await client.received("response.output_text.delta");
    relay.drain();
    await relay.cutOff();
    expect((await client.closed).code).toBe(1001);
    expect(relay.billing.openHolds).toBe(0);
    expect((await relay.billing.nextRecord()).other.ending).toBe("shutdown");
    release();
  });

  test("a client that takes nothing holds its upstream back, and is cut off in time", async () => {
    const large = chunk({ content: "x".repeat(1_000_000) });
    let sent = 0;
    const upstream = startUpstream(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += 1;
              controller.enqueue(Buffer.from(large));
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    const { relay } = start(upstream, { type: 43 }, { sockets: { slowMs: 500 } });
    // A raw connection that never reads.
    const paused = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(relay.url).port),
      socket: {
        data(peer) {
          peer.pause();
          paused.resolve();
        },
      },
    });
    socket.write(
      "GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer sk-test\r\nconnection: Upgrade\r\n" +
        "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    await paused.promise;
    const text = Buffer.from('{"type":"response.create","model":"m","input":"Hi"}');
    // A masked text frame (RFC 6455); a mask of zeros leaves it as it is.
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
    const record = await relay.billing.nextRecord();
    expect(record.other.ending).toBe("client_left");
    expect(sent).toBeLessThan(80);
    await settled(relay);
    socket.end();
  });

  test("many connections with turns at the same time: each is charged once", async () => {
    const { relay } = start(chatStream(), { type: 43 });
    const clients = Array.from({ length: 20 }, () => connect(relay.url));
    await Promise.all(clients.map(({ opened }) => opened));
    for (const client of clients) for (const lane of ["a", "b"]) client.create({ input: "Hi", stream_id: lane });
    await Promise.all(clients.map(({ received }) => received("response.completed", 2)));
    await settled(relay);
    expect(relay.billing.records).toHaveLength(40);
    expect(new Set(relay.billing.records.map(({ requestId }) => requestId)).size).toBe(40);
    expect(relay.billing.records.every(({ quota }) => quota === 10 + 4 * 5)).toBe(true);
  });
});
