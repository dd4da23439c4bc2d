/** What providers report in members of their own is what users pay. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(type: number, answer: () => Response, options: Record<string, string> = {}) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m":1}', CompletionRatio: '{"m":1}', CacheRatio: '{"m":0.1}', ...options },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const messages = [{ role: "user", content: "Hello" }];

describe("images that Volcano Ark says it made", () => {
  test.each([
    [2, 1, 1],
    [2, 2, 2],
    [4, 3, 3],
    [3, 0, 0],
    [1, 1, 1],
  ])("of %i ordered %i came: %i paid", async (n, made, paid) => {
    const data = Array.from({ length: made }, () => ({ url: "https://x.test/1.png" }));
    const answer = { data: data.length > 0 ? data : [{ error: { code: "x" } }], usage: { generated_images: made } };
    const { relay } = start(45, () => Response.json(answer), { ModelPrice: '{"m":0.04}', ModelRatio: "{}" });
    const response = await relay.post("/v1/images/generations", { model: "m", prompt: "A circle", n });
    expect(response.status).toBe(200);
    expect((await relay.billing.nextRecord()).quota).toBe(paid * 20_000);
  });
});

describe("a prompt that Google blocked", () => {
  const ASKS = [
    ["/v1/chat/completions", { messages }],
    ["/v1/messages", { max_tokens: 9, messages }],
    ["/v1/responses", { input: "Hello" }],
    ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }],
  ] as const;
  const blocked = (usageMetadata?: object) => ({
    promptFeedback: { blockReason: "MODEL_ARMOR", blockReasonMessage: "Blocked by a template." },
    ...(usageMetadata && { usageMetadata }),
  });

  test.each(ASKS)("without usage costs nothing: %s", async (path, body) => {
    const { relay } = start(24, () => Response.json(blocked()));
    expect((await relay.post(path, { model: "m", ...body })).status).toBe(200);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, promptTokens: 0, completionTokens: 0 });
  });

  test.each(ASKS)("with usage costs what is reported: %s", async (path, body) => {
    const { relay } = start(24, () => Response.json(blocked({ promptTokenCount: 7, totalTokenCount: 7 })));
    await relay.post(path, { model: "m", ...body });
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 7, promptTokens: 7, completionTokens: 0 });
  });

  test("streamed, too", async () => {
    const event = `data: ${JSON.stringify(blocked())}\n\n`;
    const { relay } = start(24, () => new Response(event, { headers: { "content-type": "text/event-stream" } }));
    await (await relay.post("/v1/chat/completions", { model: "m", messages, stream: true })).text();
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, completionTokens: 0 });
  });
});

describe("Mistral's num_cached_tokens", () => {
  test("is charged as cached, and shown", async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010, num_cached_tokens: 900 };
    const { relay } = start(42, () => Response.json(chatReply({ usage })));
    await relay.post("/v1/chat/completions", { model: "m", messages });
    const { quota, other } = await relay.billing.nextRecord();
    expect([quota, other.cache_tokens]).toEqual([100 + 90 + 10, 900]);
  });
});

describe("Kimi's cached_tokens in Anthropic's form", () => {
  const usage = { input_tokens: 1_000, output_tokens: 5, cached_tokens: 900 };
  const reply = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "kimi" },
    ...{ content: [{ type: "text", text: "x" }], stop_reason: "end_turn", usage },
  };
  const events = [
    { type: "message_start", message: { ...reply, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ];
  const stream = () =>
    new Response(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  const CHARGE = 100 + 90 + 5;

  test("are charged and shown as a cache read", async () => {
    const { relay } = start(14, () => Response.json(reply));
    const answer = await relay.post("/v1/messages", { model: "m", max_tokens: 9, messages });
    expect(await answer.json()).toMatchObject({ usage: { input_tokens: 100, cache_read_input_tokens: 900 } });
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: CHARGE, other: { cache_tokens: 900 } });
  });

  test("streamed, too", async () => {
    const { relay } = start(14, stream);
    const answer = await (
      await relay.post("/v1/messages", { model: "m", max_tokens: 9, messages, stream: true })
    ).text();
    expect(answer.match(/"cache_read_input_tokens":900/g)).toHaveLength(2);
    expect(answer).toContain("event: message_stop\n");
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: CHARGE, other: { cache_tokens: 900 } });
  });

  test("for clients of another format", async () => {
    const { relay } = start(14, () => Response.json(reply));
    const answer = await relay.post("/v1/chat/completions", { model: "m", messages });
    expect(await answer.json()).toMatchObject({
      usage: { prompt_tokens: 1_000, prompt_tokens_details: { cached_tokens: 900 } },
    });
    expect((await relay.billing.nextRecord()).quota).toBe(CHARGE);
  });

  test("Anthropic's own usage passes through as bytes", async () => {
    const own = { ...reply, usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0 } };
    const text = JSON.stringify(own, null, 1);
    const { relay } = start(14, () => new Response(text, { headers: { "content-type": "application/json" } }));
    expect(await (await relay.post("/v1/messages", { model: "m", max_tokens: 9, messages })).text()).toBe(text);
  });
});

describe("a chunked body with trailer fields", () => {
  const BODY = JSON.stringify({ model: "m", messages });
  const chunk = `${Buffer.byteLength(BODY).toString(16)}\r\n${BODY}\r\n`;
  const head = (url: URL, more = "") =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer sk-test\r\nContent-Type: application/json\r\n${more}Transfer-Encoding: chunked\r\n\r\n`;

  /** Sends parts one after the other; resolves with all that came until the connection ended, or the answer was there. */
  const send = (url: URL, parts: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      let received = "";
      const socket = connect(Number(url.port), url.hostname, async () => {
        for (const part of parts) {
          socket.write(part);
          await Bun.sleep(20);
        }
      });
      socket.on("data", (data) => {
        received += data.toString();
        if (received.includes('"choices"') || received.includes('"error"')) socket.destroy();
      });
      socket.on("close", () => resolve(received));
      socket.on("error", reject);
    });

  test.each([
    ["in one packet", "", [`${chunk}0\r\nX-T: 1\r\n\r\n`]],
    ["declared", "Trailer: X-T\r\n", [`${chunk}0\r\nX-T: 1\r\n\r\n`]],
    ["declared, in a packet of its own", "Trailer: X-T\r\n", [chunk, "0\r\n", "X-T: 1\r\n\r\n"]],
    ["several", "", [`${chunk}0\r\nX-T: 1\r\nDigest: abc\r\n\r\n`]],
  ])("costs nothing unless it is answered: %s", async (_name, header, parts) => {
    const { relay, upstream } = start(1, () => Response.json(chatReply()));
    const url = new URL(relay.url);
    const [first = "", ...rest] = parts;
    const answer = await send(url, [head(url, header) + first, ...rest]);
    if (answer.includes("200 OK")) expect((await relay.billing.nextRecord()).quota).toBe(15);
    else {
      await until(() => relay.billing.openHolds === 0);
      expect([upstream.received.length, relay.billing.records?.length ?? 0]).toEqual([0, 0]);
    }
  });

  test("a chunked body without them is served", async () => {
    const { relay } = start(1, () => Response.json(chatReply()));
    const url = new URL(relay.url);
    expect(await send(url, [`${head(url)}${chunk}0\r\n\r\n`])).toContain("200 OK");
    expect((await relay.billing.nextRecord()).quota).toBe(15);
  });
});
