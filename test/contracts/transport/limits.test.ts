/** Upstreams that never finish, or send more than a process can hold, through the whole relay and in every client format. */

import { afterEach, expect, test } from "bun:test";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { toEventStream } from "../../../src/gateway/upstream/event-buffer.ts";
import { ResponseTooLargeError } from "../../../src/gateway/upstream/exchange.ts";
import { zhipuEventsToSse } from "../../../src/providers/chinese-labs/zhipu/chatglm.ts";
import { eventStreamToSse } from "../../../src/providers/hosts/bedrock/bedrock.ts";
import { ndjsonToSse } from "../../../src/providers/self-hosted/ollama/ollama.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { until } from "../../support/lib/until.ts";
import { type RawConnection, startRawServer } from "./raw-server.ts";

const MIB = 1_048_576;
const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const FORMATS = {
  chat: ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
  messages: ["/v1/messages", { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }],
  responses: ["/v1/responses", { input: "Hi" }],
  gemini: ["/v1beta/models/gpt-4o:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
  embeddings: ["/v1/embeddings", { input: "Hi" }],
} as const;

type Answer = (connection: RawConnection) => unknown;

function start(answer: Answer, config: Partial<NonNullable<Parameters<typeof startRelay>[0]["config"]>> = {}) {
  const server = startRawServer((connection) => void answer(connection));
  const relay = startRelay({
    channels: [{ baseUrl: server.url }],
    config: { relayTimeoutMs: 3_000, streamingTimeoutMs: 1_500, maxResponseBodyBytes: 4 * MIB, ...config },
  });
  stops.push(server.stop, relay.stop);
  const ask = async (format: keyof typeof FORMATS, stream = false) => {
    const [path, body] = FORMATS[format];
    const response = await relay.post(path, { model: "gpt-4o", ...body, ...(stream && { stream }) });
    return { status: response.status, text: await response.text() };
  };
  return { server, relay, ask };
}

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const EVENTS = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Writes until the other side has enough. */
const endless =
  (head: string, block: string): Answer =>
  async (connection) => {
    await connection.write(head);
    const bytes = Buffer.from(block);
    while (connection.isOpen()) await connection.write(bytes);
  };

const NEVER_ENDING: Readonly<Record<string, readonly [Answer, status: number, code: string]>> = {
  "sends nothing": [() => {}, 504, "upstream_timeout"],
  "sends half a head": [(connection) => connection.write(HEAD), 504, "upstream_timeout"],
  "stops within the body": [
    (connection) => connection.write(`${HEAD}content-length: 99\r\n\r\n{"a":`),
    504,
    "upstream_stalled",
  ],
  "stops within a chunk": [
    (connection) => connection.write(`${HEAD}transfer-encoding: chunked\r\n\r\n99\r\n{"a":`),
    504,
    "upstream_stalled",
  ],
  "never ends a body without length": [endless(`${HEAD}\r\n`, "x".repeat(65_536)), 502, "response_too_large"],
  "never ends its chunks": [
    endless(`${HEAD}transfer-encoding: chunked\r\n\r\n`, chunk("x".repeat(65_536))),
    502,
    "response_too_large",
  ],
  "announces a terabyte": [
    endless(`${HEAD}content-length: 1099511627776\r\n\r\n`, "x".repeat(65_536)),
    502,
    "response_too_large",
  ],
};

test.each(Object.entries(NEVER_ENDING))(
  "an upstream that %s ends as an error in each format",
  async (_, [answer, status, code]) => {
    const { server, relay, ask } = start(answer);
    const formats = Object.keys(FORMATS) as (keyof typeof FORMATS)[];
    const answers = await Promise.all(formats.map((format) => ask(format)));
    for (const [index, { status: answered, text }] of answers.entries()) {
      expect(`${formats[index]}: ${answered}`).toBe(`${formats[index]}: ${status}`);
      const error = JSON.parse(text).error;
      expect(error.message).toBeString();
      if (formats[index] === "chat") expect(error.code).toBe(code);
    }
    await until(() => relay.billing.openHolds === 0 && server.open() === 0);
    expect(relay.billing.records.every(({ quota }) => quota === 0)).toBe(true);
  },
);

test("after an endless response the next channel answers, without a second request to the first", async () => {
  let requests = 0;
  const bad = startRawServer((connection) => {
    requests += 1;
    void endless(`${HEAD}\r\n`, "x".repeat(65_536))(connection);
  });
  const body = JSON.stringify({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: [1] }],
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });
  const good = startRawServer((connection) => connection.write(`${HEAD}content-length: ${body.length}\r\n\r\n${body}`));
  const relay = startRelay({
    channels: [{ baseUrl: bad.url, priority: 9 }, { baseUrl: good.url }],
    options: { RetryTimes: "1" },
    config: { maxResponseBodyBytes: MIB },
  });
  stops.push(bad.stop, good.stop, relay.stop);
  const response = await relay.post("/v1/embeddings", { model: "gpt-4o", input: "Hi" });
  expect([response.status, requests]).toEqual([200, 1]);
  expect(await response.json()).toMatchObject(JSON.parse(body));
});

test("a stream whose event never ends is cut off; so is one that is silent", async () => {
  const line = start(
    endless(
      EVENTS + chunk('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n') + chunk("data: "),
      chunk("x".repeat(65_536)),
    ),
  );
  const cut = await line.ask("chat", true);
  expect(cut.text).toContain("Hi");
  expect(cut.text).toContain("response_too_large");
  const first = start(endless(EVENTS + chunk("data: "), chunk("x".repeat(65_536))));
  expect(await first.ask("chat", true)).toMatchObject({ status: 502 });
  const comments = start(async (connection) => {
    await connection.write(EVENTS + chunk(": waiting\n\n"));
  });
  expect(await comments.ask("chat", true)).toMatchObject({ status: 504 });
  for (const { relay, server } of [line, first, comments]) {
    await until(() => relay.billing.openHolds === 0 && server.open() === 0);
  }
});

test("of an endless error only the beginning is read", async () => {
  const head = 'HTTP/1.1 400 No\r\ncontent-type: application/json\r\n\r\n{"error":{"message":"';
  const { server, ask } = start(endless(head, "x".repeat(65_536)));
  const { status, text } = await ask("chat");
  expect(status).toBe(400);
  expect(text.length).toBeLessThan(10_000);
  await until(() => server.open() === 0);
});

/** 10 GB of blanks in as few bytes as a coding takes, some hundred times the same member or frame where it may repeat. */
function bombs(): Readonly<Record<string, Buffer>> {
  const member = gzipSync(Buffer.alloc(64 * MIB, 32));
  const frame = zstdCompressSync(Buffer.alloc(64 * MIB, 32));
  const brotli = brotliCompressSync(Buffer.alloc(1_024 * MIB, 32), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  return {
    gzip: Buffer.concat(Array(160).fill(member)),
    "gzip, gzip": gzipSync(Buffer.concat(Array(160).fill(member))),
    zstd: Buffer.concat(Array(160).fill(frame)),
    br: brotli,
  };
}

test.each(Object.entries(bombs()))(
  "a decompression bomb in %s stops at the size limit",
  async (coding, bomb) => {
    const coded = `content-encoding: ${coding}\r\ncontent-length: ${bomb.length}\r\n\r\n`;
    const bufferedBody = start(
      async (connection) => {
        await connection.write(HEAD + coded);
        await connection.write(bomb);
      },
      { relayTimeoutMs: 30_000, streamingTimeoutMs: 30_000 },
    );
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const answer = await bufferedBody.ask("embeddings");
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.text).error.code).toBe("response_too_large");
    const stream = start(
      async (connection) => {
        await connection.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${coded}`);
        await connection.write(bomb);
      },
      { relayTimeoutMs: 30_000, streamingTimeoutMs: 30_000 },
    );
    expect((await stream.ask("chat", true)).status).toBe(502);
    clearInterval(sampling);
    // Far less than what it would become.
    expect((peak - before) / MIB).toBeLessThan(400);
  },
  60_000,
);

test("an event without end is too large in other framings, too", async () => {
  const endlessBody = () =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(120)) });
  for (const framing of [ndjsonToSse, eventStreamToSse, zhipuEventsToSse]) {
    const reader = toEventStream(new Response(endlessBody()), framing, MIB)?.getReader();
    await expect(reader?.read() as Promise<unknown>).rejects.toBeInstanceOf(ResponseTooLargeError);
  }
});
