import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  pacedSse,
  sse,
  startUpstream,
  usageChunk,
} from "../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../test/support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startRelay>[0];
const start = (
  answer: Parameters<typeof startUpstream>[0],
  setting: Record<string, unknown> = {},
  setup: Partial<Setup> = {},
) => {
  const upstream = startUpstream(answer);
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, setting }], ...setup });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
};

const CHAT = "/v1/chat/completions";
const STREAM = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Tell me a long story" }] };

/** Reads until `text` arrives, then closes the connection. */
async function readThenLeave(relay: ReturnType<typeof startRelay>, text: string): Promise<void> {
  const leave = new AbortController();
  const answer = await relay.post(CHAT, STREAM, { signal: leave.signal });
  let got = "";
  for await (const part of answer.body ?? []) {
    got += Buffer.from(part).toString();
    if (got.includes(text)) break;
  }
  leave.abort();
}

describe("a client that disconnects from a stream", () => {
  test("stops the upstream and pays for what had arrived", async () => {
    let isStopped = false;
    const { relay } = start(() =>
      pacedSse([chunk({ content: "Once upon a time" }), 60_000, DONE], () => {
        isStopped = true;
      }),
    );
    await readThenLeave(relay, "Once");
    const record = await relay.billing.nextRecord();
    // The upstream would continue for a minute.
    await until(() => isStopped);
    expect(record.other).toMatchObject({ ending: "client_left", usage_evidence: "estimated" });
    expect(record.completionTokens).toBe(4);
    expect(record.promptTokens).toBeGreaterThan(5);
    expect(record.quota).toBeGreaterThan(0);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("lets the upstream finish if the channel drains, and pays what it reports", async () => {
    const { upstream, relay } = start(
      () => pacedSse([chunk({ content: "Once" }), 300, chunk({}, {}, "stop"), usageChunk(), DONE]),
      { broken_stream: "drain" },
    );
    await readThenLeave(relay, "Once");
    const record = await relay.billing.nextRecord();
    expect(record.other).toMatchObject({ ending: "client_left", usage_evidence: "drained" });
    expect(record).toMatchObject({ promptTokens: 10, completionTokens: 5, quota: 38 });
    expect(upstream.received[0]?.aborted).toBe(false);
  });

  test("pays what was counted if draining exceeds its time limit", async () => {
    const { relay } = start(() => pacedSse([chunk({ content: "Once" }), 10_000, usageChunk(), DONE]), {
      broken_stream: "drain",
      drain_cap_seconds: 0.3,
    });
    await readThenLeave(relay, "Once");
    expect((await relay.billing.nextRecord()).other).toMatchObject({
      ending: "client_left",
      usage_evidence: "estimated",
    });
  });

  test("before the upstream responds stops it and pays nothing", async () => {
    const { upstream, relay } = start(async () => {
      await Bun.sleep(20_000);
      return Response.json(chatReply());
    });
    const leave = new AbortController();
    const answer = relay.post(CHAT, STREAM, { signal: leave.signal }).catch(() => null);
    await until(() => upstream.received.length === 1);
    leave.abort();
    await answer;
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ quota: 0, failed: true });
    expect(record.other).toMatchObject({ ending: "client_left", usage_evidence: "none" });
    await until(() => upstream.received[0]?.aborted === true);
    expect(relay.billing.openHolds).toBe(0);
  });
});

describe("an upstream that fails during a stream", () => {
  test("after content: the client gets an error, the content is charged", async () => {
    const { relay } = start(() => pacedSse([chunk({ content: "Once upon" }), 20, new Error("dies")]));
    const text = await (await relay.post(CHAT, STREAM)).text();
    expect(text.startsWith(chunk({ content: "Once upon" }))).toBe(true);
    expect(text).toContain('"code":"stream_broken"');
    expect(text.endsWith(DONE)).toBe(true);
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ failed: true, completionTokens: 2 });
    expect(record.other).toMatchObject({ ending: "upstream_failed", usage_evidence: "estimated", status: 200 });
  });

  test("by ending without a finish reason or an end marker: the same", async () => {
    const { relay } = start(() => sse(chunk({ content: "Once upon" })));
    expect(await (await relay.post(CHAT, STREAM)).text()).toContain('"code":"stream_broken"');
    expect((await relay.billing.nextRecord()).other.ending).toBe("upstream_failed");
  });

  const error = 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n';

  test.each([
    ["later", [chunk({ content: "Once upon" }), 20, error, DONE]],
    ["in one packet with the words", [chunk({ content: "Once upon" }) + error, DONE]],
  ])("by an error event in the middle: forwarded, the content is charged (%s)", async (_, steps) => {
    const { relay } = start(() => pacedSse(steps));
    expect(await (await relay.post(CHAT, STREAM)).text()).toBe(chunk({ content: "Once upon" }) + error + DONE);
    expect((await relay.billing.nextRecord()).other).toMatchObject({
      ending: "upstream_failed",
      usage_evidence: "estimated",
    });
  });

  test("before any content: free", async () => {
    const { relay } = start(() => pacedSse([chunk({ role: "assistant", content: "" }), 20, new Error("dies")]));
    await (await relay.post(CHAT, STREAM)).text();
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ quota: 0, promptTokens: 0, failed: true });
    expect(record.other).toMatchObject({ usage_evidence: "none", ending: "upstream_failed" });
  });

  test("by falling silent: stopped after the idle time, reported, charged", async () => {
    const { upstream, relay } = start(
      () => pacedSse([chunk({ content: "Once upon" }), 30_000, DONE]),
      {},
      { config: { streamingTimeoutMs: 300 } },
    );
    const text = await (await relay.post(CHAT, STREAM)).text();
    expect(text).toContain('"code":"stream_idle_timeout"');
    expect((await relay.billing.nextRecord()).other).toMatchObject({
      ending: "idle_timeout",
      usage_evidence: "estimated",
    });
    await until(() => upstream.received[0]?.aborted === true);
  });

  test("by a client that stops reading: ended after the write deadline, its upstream released", async () => {
    const endless = Array.from({ length: 2000 }, () => chunk({ content: "y".repeat(30_000) }));
    const { upstream, relay } = start(() => pacedSse(endless), {}, { config: { writeTimeoutMs: 500 } });
    const { hostname, port } = new URL(relay.url);
    const socket = connect(Number(port), hostname);
    let isClosed = false;
    socket
      .on("error", () => {})
      .on("close", () => {
        isClosed = true;
      });
    socket.pause();
    const body = JSON.stringify(STREAM);
    socket.write(
      `POST ${CHAT} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer sk-test\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect((await relay.billing.nextRecord()).other).toMatchObject({
      ending: "client_left",
      usage_evidence: "estimated",
    });
    await until(() => upstream.received[0]?.aborted === true);
    socket.resume();
    await until(() => isClosed);
  }, 30_000);

  test("by not responding in time: 504, free, not retried", async () => {
    const { upstream, relay } = start(
      async () => {
        await Bun.sleep(5_000);
        return Response.json(chatReply());
      },
      {},
      { config: { relayTimeoutMs: 300 }, options: { RetryTimes: "2" } },
    );
    const answer = await relay.post(CHAT, STREAM);
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: { code: "upstream_timeout" } });
    expect(upstream.received).toHaveLength(1);
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});

describe("pings", () => {
  const PING = ": PING\n\n";
  const options = {
    "general_setting.ping_interval_enabled": "true",
    "general_setting.ping_interval_seconds": "1",
  };

  test("arrive while the stream is silent, between complete events", async () => {
    const { relay } = start(
      () => pacedSse([chunk({ content: "a" }), 1_600, chunk({}, {}, "stop"), usageChunk(), DONE]),
      {},
      { options },
    );
    const text = await (await relay.post(CHAT, STREAM)).text();
    expect(text.replace(/(: PING\n\n)+/, PING)).toBe(
      `${chunk({ content: "a" })}${PING}${chunk({}, {}, "stop")}${DONE}`,
    );
  });

  test("arrive before the first event, too, and an error after them is an event", async () => {
    const { relay } = start(
      async (_received, _request, count) => {
        await Bun.sleep(1_300);
        return count === 1
          ? sse([chunk({ content: "a" }, {}, "stop"), usageChunk(), DONE].join(""))
          : new Response("no", { status: 500 });
      },
      {},
      { options },
    );
    const text = await (await relay.post(CHAT, STREAM)).text();
    expect(text.replace(/(: PING\n\n)+/, PING)).toBe(`${PING}${chunk({ content: "a" }, {}, "stop")}${DONE}`);
    const failed = await relay.post(CHAT, STREAM);
    expect(failed.status).toBe(200);
    expect(await failed.text()).toMatch(/^(: PING\n\n)+data: \{"error":.*\n\ndata: \[DONE\]\n\n$/);
  });
});

test("a client that reads slowly slows the upstream down, and no data accumulates", async () => {
  const block = chunk({ content: "x".repeat(60_000) });
  let sent = 0;
  const { relay } = start(() =>
    sse(
      new ReadableStream({
        pull(controller) {
          sent += block.length;
          controller.enqueue(Buffer.from(block));
          if (sent > 200_000_000) controller.close();
        },
      }),
    ),
  );
  const leave = new AbortController();
  const answer = await relay.post(CHAT, STREAM, { signal: leave.signal });
  const reader = answer.body?.getReader();
  await reader?.read();
  // The sockets' own buffers fill up, then next to nothing moves.
  await until(async () => {
    const taken = sent;
    await Bun.sleep(300);
    return sent - taken < 1_000_000;
  });
  expect(sent).toBeLessThan(60_000_000);
  leave.abort();
  await relay.billing.nextRecord();
});
