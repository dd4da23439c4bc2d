/** Large bodies share a budget of memory: what is refused beyond it, and that each end of a request gives its part back. */
import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";

const LARGE = 100_000;
const COPIES = 2;
const held: (() => void)[] = [];
const sse = (...events: string[]) =>
  new Response(events.map((event) => `data: ${event}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
const chunk = JSON.stringify({
  id: "c",
  object: "chat.completion.chunk",
  model: "gpt-4o",
  choices: [{ index: 0, delta: { content: "Hi" } }],
});

const upstream = startUpstream(async ({ text }) => {
  const { user = "" } = JSON.parse(text) as { user?: string };
  if (user === "hold") await new Promise<void>((resolve) => held.push(resolve));
  if (user === "fail") return new Response("{}", { status: 500 });
  if (user === "cut") return sse(chunk);
  if (user === "endless") {
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(Buffer.from(`data: ${chunk}\n\n`));
        await Bun.sleep(5);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
  return JSON.parse(text).stream ? sse(chunk, "[DONE]") : Response.json(chatReply());
});
const relay = startRelay({
  channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }],
  tokens: { test: {}, other: { userId: 2 } },
  config: { bodyMemoryBytes: 4 * LARGE * COPIES, requestBodyTimeoutMs: 300 },
});
afterAll(() => {
  relay.stop();
  upstream.stop();
});

const CHAT = "/v1/chat/completions";
const request = (user: string, fields: object = {}) => ({
  model: "gpt-4o",
  user,
  messages: [{ role: "user", content: "x".repeat(LARGE) }],
  ...fields,
});
const usedBytes = async () =>
  Number(
    /^sluice_relay_body_memory_bytes (\d+)/m.exec(
      await relay.metrics.getSingleMetricAsString("sluice_relay_body_memory_bytes"),
    )?.[1],
  );
const refusals = async () => Number(/limit="body_memory"\} (\d+)/.exec(await relay.metrics.metrics())?.[1]);

describe("beyond the budget", () => {
  test.each([
    [
      CHAT,
      { messages: [{ role: "user", content: "x".repeat(LARGE) }] },
      { error: { code: "server_overloaded", type: "server_error" } },
    ],
    [
      "/v1/messages",
      { max_tokens: 9, messages: [{ role: "user", content: "x".repeat(LARGE) }] },
      { type: "error", error: { type: "api_error" } },
    ],
    [
      "/v1beta/models/gpt-4o:generateContent",
      { contents: [{ role: "user", parts: [{ text: "x".repeat(LARGE) }] }] },
      { error: { code: 503, status: "UNAVAILABLE" } },
    ],
  ])(
    "%s is refused with 503 in its format, before its body is read; small ones are served",
    async (path, body, error) => {
      const before = await refusals();
      // A share is half of the budget: one fits, and a half of another one does not.
      const first = relay.post(CHAT, request("hold"));
      await until(() => held.length === 1);
      const second = await relay.post(path, { model: "gpt-4o", ...body, padding: "y".repeat(LARGE / 2) });
      expect(second.status).toBe(503);
      expect(second.headers.get("retry-after")).toBe("2");
      expect(second.headers.get("connection")).toBe("close");
      expect(await second.json()).toMatchObject(error);
      expect(await refusals()).toBe(before + 1);
      expect((await relay.post(CHAT, { model: "gpt-4o", messages: [{ role: "user", content: "small" }] })).status).toBe(
        200,
      );
      held.pop()?.();
      expect((await first).status).toBe(200);
      expect(await usedBytes()).toBe(0);
    },
  );

  test("a body in pieces and an unpacked one count by what they turn out to be", async () => {
    const first = relay.post(CHAT, request("hold"));
    await until(() => held.length === 1);
    const large = JSON.stringify({ ...request("x"), padding: "y".repeat(LARGE) });
    const packed = Bun.gzipSync(large);
    expect(packed.length).toBeLessThan(10_000);
    expect((await relay.post(CHAT, packed, { headers: { "content-encoding": "gzip" } })).status).toBe(503);
    let at = 0;
    const pieces = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from(large.slice(at, at + 20_000)));
        at += 20_000;
        if (at >= large.length) controller.close();
      },
    });
    const headers = { authorization: "Bearer sk-test", "content-type": "application/json" };
    const inPieces = await fetch(relay.url + CHAT, { method: "POST", headers, body: pieces });
    expect(inPieces.status).toBe(503);
    held.pop()?.();
    expect((await first).status).toBe(200);
    expect(await usedBytes()).toBe(0);
  });
});

/** How a request can end. Each resolves when its client is done with it. */
const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
  answered: async () => (await relay.post(CHAT, request("x"))).text(),
  streamed: async () => (await relay.post(CHAT, request("x", { stream: true }))).text(),
  "failed upstream": async () => (await relay.post(CHAT, request("fail"))).text(),
  "stream cut off by its upstream": async () => (await relay.post(CHAT, request("cut", { stream: true }))).text(),
  "stream that its client leaves": async () => {
    const { body } = await relay.post(CHAT, request("endless", { stream: true }));
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
  },
  "client that leaves before the answer": async () => {
    const signal = AbortSignal.timeout(60);
    await relay.post(CHAT, request("hold"), { signal }).catch(() => {});
    held.pop()?.();
  },
  "no JSON": async () => (await relay.post(CHAT, "x".repeat(LARGE))).text(),
  "unknown model": async () => (await relay.post(CHAT, request("x", { model: "unknown" }))).text(),
  "value out of range": async () => (await relay.post(CHAT, request("x", { n: -1 }))).text(),
  packed: async () => {
    const headers = { "content-encoding": "gzip" };
    return (await relay.post(CHAT, Bun.gzipSync(JSON.stringify(request("x"))), { headers })).text();
  },
  "counted tokens": async () =>
    (await relay.post("/v1/messages/count_tokens", { ...request("x"), user: undefined })).text(),
  "client that leaves while it sends": () => sendPart(LARGE, 30),
};

/** Resolves when the connection is closed, by the gateway or after `leaveAfterMs`. */
function sendPart(length: number, leaveAfterMs: number): Promise<void> {
  const { hostname, port } = new URL(relay.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}).resume();
  socket.write(
    `POST ${CHAT} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-test\r\nContent-Length: ${length}\r\n\r\n{`,
  );
  const timer = setTimeout(() => socket.destroy(), leaveAfterMs);
  return new Promise((resolve) => {
    socket.on("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

describe("the part of a request is given back", () => {
  test.each(Object.entries(ENDS))("%s", async (_name, end) => {
    await end();
    await until(async () => (await usedBytes()) === 0);
  });

  test("a body that comes too late", async () => {
    const startedMs = performance.now();
    // Over the slowest line it may take two seconds.
    await sendPart(33_000, 20_000);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    await until(async () => (await usedBytes()) === 0);
  }, 30_000);

  test("exactly, after hundreds of ends in any order, many at a time", async () => {
    const ends = Object.values(ENDS);
    let seed = 5;
    const worker = async () => {
      for (let turn = 0; turn < 30; turn += 1) {
        seed = (seed * 48_271) % 2_147_483_647;
        await ends[seed % ends.length]?.();
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    while (held.length > 0) held.pop()?.();
    await until(async () => (await usedBytes()) === 0);
    // All of it can be taken again.
    expect((await relay.post(CHAT, request("x"))).status).toBe(200);
  }, 60_000);
});
