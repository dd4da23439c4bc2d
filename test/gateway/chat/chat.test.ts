import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  pacedSse,
  sse,
  startUpstream,
  usageChunk,
} from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const start = (answer: Parameters<typeof startUpstream>[0], setup: Partial<Parameters<typeof startRelay>[0]> = {}) => {
  const upstream = startUpstream(answer);
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], ...setup });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
};

const ASK =
  '{ "model": "gpt-4o",\n "messages": [{"role":"user","content":"Hi \\u4f60"}], "seed": 12345678901234567890 , "top_p":1.0}';
const CHAT = "/v1/chat/completions";

describe("a call in the channel's own format", () => {
  test("passes through byte for byte, both ways", async () => {
    const reply = `${JSON.stringify(chatReply(), null, 2)}\n`;
    const { upstream, relay } = start(() => new Response(reply, { headers: { "content-type": "application/json" } }));
    const answer = await relay.post(CHAT, ASK);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(reply);
    expect(upstream.received[0]?.text).toBe(ASK);
    expect(upstream.received[0]?.headers.get("authorization")).toBe("Bearer upstream-key");
    expect(Number(answer.headers.get("x-sluice-overhead-ms"))).toBeGreaterThan(0);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  });

  test("is charged on the reported usage and leaves a record", async () => {
    const { relay } = start(() => Response.json(chatReply()));
    await relay.post(CHAT, ASK);
    const record = await relay.billing.nextRecord();
    // gpt-4o: ratio 1.25, completion ratio 4: (10 + 5 × 4) × 1.25 = 37.5
    expect(record).toMatchObject({
      quota: 38,
      promptTokens: 10,
      completionTokens: 5,
      modelName: "gpt-4o",
      channelId: 1,
      tokenName: "key",
      username: "alice",
      isStream: false,
      failed: false,
      ip: "127.0.0.1",
    });
    expect(record.other).toMatchObject({
      frt: -1000,
      ending: "complete",
      usage_evidence: "reported",
      model_price: -1,
      model_ratio: 1.25,
      completion_ratio: 4,
      admin_info: { use_channel: ["1"] },
    });
    expect(record.other.receipt?.total).toBe(38);
    expect(relay.billing.openHolds).toBe(0);
  });

  test.each([
    ["true", 200, 0],
    ["false", 500, undefined],
  ])("a model without a price is free in self-use mode alone (%s)", async (SelfUseModeEnabled, status, quota) => {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: ["unheard-of"] }],
      options: { SelfUseModeEnabled },
    });
    stops.push(upstream.stop, relay.stop);
    const answer = await relay.post(CHAT, { model: "unheard-of", messages: [{ role: "user", content: "hi" }] });
    expect(answer.status).toBe(status);
    if (status === 200) expect((await relay.billing.nextRecord()).quota as number | undefined).toBe(quota);
  });

  test.each([false, true])(
    "answered without usage is counted here, and the client receives it (streamed: %p)",
    async (stream) => {
      const { usage: _, ...silent } = chatReply({ service: "local" });
      const { relay } = start(() => Response.json(silent));
      const request = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
      const ask = { ...request, ...(stream && { stream, stream_options: { include_usage: true } }) };
      const text = await (await relay.post(CHAT, ask)).text();
      const { promptTokens, completionTokens, other } = await relay.billing.nextRecord();
      expect(other.usage_evidence).toBe("estimated");
      expect(Math.min(promptTokens, completionTokens)).toBeGreaterThan(0);
      const usage = {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      };
      if (stream) expect(JSON.parse(text.split("\n\n").at(-3)?.slice(6) ?? "")).toMatchObject({ choices: [], usage });
      else expect(JSON.parse(text)).toEqual({ ...silent, usage });
    },
  );

  test("a prompt that the upstream says took no tokens took none", async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 5, total_tokens: 5 };
    const { relay } = start(() => Response.json(chatReply({ usage })));
    expect(await (await relay.post(CHAT, ASK)).json()).toMatchObject({ usage });
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ promptTokens: 0, completionTokens: 5, other: { usage_evidence: "reported" } });
  });

  test("the client's own form of a message without words goes up", async () => {
    const { upstream, relay } = start(() => Response.json(chatReply()));
    const called = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const silent = { role: "assistant", tool_calls: called };
    const messages = [silent, { ...silent, content: "" }, { ...silent, content: null }];
    await relay.post(CHAT, { model: "gpt-4o", messages });
    expect(JSON.parse(upstream.received[0]?.text ?? "").messages).toEqual(messages);
  });

  test("changes nothing but the model's name when the channel maps it, along a chain", async () => {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const relay = startRelay({
      channels: [
        {
          baseUrl: upstream.url,
          modelMapping: new Map([
            ["gpt-4o", "a"],
            ["a", "b"],
            ["b", "a"],
          ]),
        },
      ],
    });
    stops.push(upstream.stop, relay.stop);
    await relay.post(CHAT, ASK);
    expect(upstream.received[0]?.text).toBe(ASK.replace('"gpt-4o"', '"b"'));
    expect((await relay.billing.nextRecord()).other).toMatchObject({ is_model_mapped: true, upstream_model_name: "b" });
  });

  test("merges the channel's param override over the top level", async () => {
    const { upstream, relay } = start(() => Response.json(chatReply()));
    const other = startRelay({ channels: [{ baseUrl: upstream.url, paramOverride: { top_p: 0.5, user: "x" } }] });
    stops.push(other.stop);
    await other.post(CHAT, ASK);
    expect(JSON.parse(upstream.received[0]?.text ?? "")).toMatchObject({ top_p: 0.5, user: "x" });
    expect(relay.billing.records).toHaveLength(0);
  });

  test.each(["gzip", "br", "zstd", "deflate"] as const)("may be packed with %s", async (encoding) => {
    const { upstream, relay } = start(() => Response.json(chatReply()));
    const zlib = await import("node:zlib");
    const packed = {
      gzip: zlib.gzipSync,
      br: zlib.brotliCompressSync,
      zstd: zlib.zstdCompressSync,
      deflate: zlib.deflateSync,
    }[encoding](ASK);
    const answer = await relay.post(CHAT, new Uint8Array(packed), { headers: { "content-encoding": encoding } });
    expect(answer.status).toBe(200);
    expect(upstream.received[0]?.text).toBe(ASK);
  });

  test("that unpacks to more than the limit is refused", async () => {
    const { relay } = start(() => Response.json(chatReply()));
    const bomb = Bun.gzipSync(Buffer.alloc(80 * 1024 * 1024, 32));
    const answer = await relay.post(CHAT, new Uint8Array(bomb), { headers: { "content-encoding": "gzip" } });
    expect(answer.status).toBe(413);
  });
});

const STREAM = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Hi" }] };

describe("a stream", () => {
  const parts = [chunk({ role: "assistant", content: "" }), chunk({ content: "Hello 你" }), chunk({}, {}, "stop")];

  test("asks the upstream for usage and hides it from a client that did not ask", async () => {
    const { upstream, relay } = start(() => sse([...parts, usageChunk(), DONE].join("")));
    const answer = await relay.post(CHAT, STREAM);
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await answer.text()).toBe([...parts, DONE].join(""));
    expect(JSON.parse(upstream.received[0]?.text ?? "").stream_options).toEqual({ include_usage: true });
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 38, isStream: true, promptTokens: 10 });
  });

  test("passes usage on, bytes unchanged, to a client that requests it", async () => {
    const { upstream, relay } = start(() => sse([...parts, usageChunk(), DONE].join("")));
    const requestText = JSON.stringify({ ...STREAM, stream_options: { include_usage: true } });
    const answer = await relay.post(CHAT, requestText);
    expect(await answer.text()).toBe([...parts, usageChunk(), DONE].join(""));
    expect(upstream.received[0]?.text).toBe(requestText);
  });

  test.each([
    [
      "on a chunk with choices",
      [chunk({ content: "a" }, { usage: { prompt_tokens: 10, completion_tokens: 5 } }), DONE],
    ],
    ["before other chunks", [usageChunk(), chunk({ content: "a" }, {}, "stop"), DONE]],
    ["with blanks in the JSON", [chunk({ content: "a" }), usageChunk().replace('"usage":{', '"usage": {'), DONE]],
    [
      "as the last of several",
      [usageChunk({ prompt_tokens: 1, completion_tokens: 1 }), chunk({}, {}, "stop"), usageChunk(), DONE],
    ],
    ["in a stream without [DONE]", [chunk({ content: "a" }, {}, "stop"), usageChunk()]],
    ["in an event without its last empty line", [chunk({ content: "a" }, {}, "stop"), usageChunk().trimEnd()]],
  ])("finds usage %s", async (_name, events) => {
    const { relay } = start(() => sse(events.join("")));
    const text = await (await relay.post(CHAT, STREAM)).text();
    expect(text.endsWith(DONE)).toBe(true);
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 10, completionTokens: 5, failed: false });
  });

  test("with CRLF line ends, cut anywhere, arrives whole", async () => {
    const text = [...parts, usageChunk(), DONE].join("").replaceAll("\n", "\r\n");
    for (const at of [1, 7, text.indexOf("你"), text.length - 3, text.length - 1]) {
      const bytes = Buffer.from(text);
      const { relay } = start(() =>
        sse(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(bytes.subarray(0, at));
              await Bun.sleep(5);
              controller.enqueue(bytes.subarray(at));
              controller.close();
            },
          }),
        ),
      );
      const answer = await (await relay.post(CHAT, { ...STREAM, stream_options: { include_usage: true } })).text();
      expect(answer).toBe(text);
      expect(await relay.billing.nextRecord()).toMatchObject({ quota: 38 });
    }
  });

  test("without usage is counted here, and a client that requests it receives it", async () => {
    const { relay } = start(() => sse([...parts, DONE].join("")));
    const text = await (await relay.post(CHAT, { ...STREAM, stream_options: { include_usage: true } })).text();
    const record = await relay.billing.nextRecord();
    expect(record.other.usage_evidence).toBe("estimated");
    expect(record.promptTokens).toBeGreaterThan(3);
    expect(record.completionTokens).toBeGreaterThan(0);
    const usageChunk = JSON.parse(text.split("\n\n").at(-3)?.slice(6) ?? "");
    expect(usageChunk).toMatchObject({ id: "chatcmpl-1", choices: [], usage: { prompt_tokens: record.promptTokens } });
  });

  test("reaches the client as it comes: each event before the upstream sends the next", async () => {
    const events = Array.from({ length: 10 }, (_, i) => chunk({ content: `w${i}` }));
    let goOn = () => {};
    const steps = events.flatMap((event) => [event, () => new Promise<void>((resolve) => (goOn = resolve))]);
    const { relay } = start(() => pacedSse([...steps, chunk({}, {}, "stop"), usageChunk(), DONE]));
    const answer = await relay.post(CHAT, STREAM);
    const blocks: string[] = [];
    for await (const block of answer.body ?? []) {
      blocks.push(Buffer.from(block).toString());
      goOn();
    }
    expect(blocks.slice(0, events.length)).toEqual(events);
  });

  test("requested but answered in one piece is sent as a stream", async () => {
    const { relay } = start(() => Response.json(chatReply()));
    const text = await (await relay.post(CHAT, STREAM)).text();
    const events = text.trim().split("\n\n");
    expect(JSON.parse(events[0]?.slice(6) ?? "")).toMatchObject({
      object: "chat.completion.chunk",
      choices: [{ delta: { content: "Hello there" }, finish_reason: "stop" }],
    });
    expect(events.at(-1)).toBe("data: [DONE]");
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 38 });
  });
});
