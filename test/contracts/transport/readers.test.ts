/** Readers that stall, leave early, or cancel what has ended, at every size around the buffer limits of sockets and streams. */
import { expect, test } from "bun:test";
import { type ByteReader, readBody } from "../../../src/gateway/upstream/exchange.ts";
import { until } from "../../support/lib/until.ts";
import { type RawConnection, startRawServer } from "./raw-server.ts";
import { createTestClient, echo, runAll } from "./test-client.ts";

const KIB = 1024;
const SIZES = [0, 1, 16 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, KIB * KIB, 4 * KIB * KIB].flatMap((size) =>
  size < 2 ? [size] : [size - 1, size, size + 1],
);
const FRAMINGS = ["length", "chunks", "close"] as const;
type Framing = (typeof FRAMINGS)[number];

/** Bytes that show where they stand, so that a part left out or doubled is found. */
function patternOf(size: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

async function answer(connection: RawConnection, size: number, framing: Framing): Promise<void> {
  const body = patternOf(size);
  if (framing === "chunks") {
    await connection.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    for (let at = 0; at < size; at += 50_000) {
      const part = body.subarray(at, at + 50_000);
      await connection.write(
        Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]),
      );
    }
    await connection.write("0\r\n\r\n");
    return;
  }
  const length = framing === "length" ? `content-length: ${size}\r\n` : "";
  await connection.write(`HTTP/1.1 200 OK\r\n${length}\r\n`);
  await connection.write(body);
  if (framing === "close") connection.end();
}

function startServer() {
  let sent = 0;
  const server = startRawServer((connection, request) => {
    const [, size, framing] = /^\/(\d+)\/(length|chunks|close)/.exec(request.path) ?? [];
    if (size === undefined) void connection.write(echo(request));
    else {
      void answer(connection, Number(size), framing as Framing).then(() => {
        sent += 1;
      });
    }
  });
  return { ...server, sent: () => sent };
}

type Client = ReturnType<typeof createTestClient>;
type Behavior = (client: Client, url: string, size: number) => Promise<unknown>;

const LIMITS = { maxResponseBodyBytes: 16 * KIB * KIB, streamingTimeoutMs: 20_000 };

/** What readers do with a response. */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  async "reads all"(client, url, size) {
    const exchange = client.newExchange();
    const body = await readBody(await client.send(url, "x", exchange), exchange, LIMITS);
    expect(patternOf(size).equals(body)).toBe(true);
  },
  async "stalls, then reads all"(client, url, size) {
    const exchange = client.newExchange();
    const response = await client.send(url, "x", exchange);
    // Long enough for whatever there is to arrive and to fill the buffers.
    await Bun.sleep(20);
    const body = await readBody(response, exchange, LIMITS);
    expect(patternOf(size).equals(body)).toBe(true);
  },
  async "stalls in the middle, then reads the rest"(client, url, size) {
    const response = await client.send(url, "x");
    const reader: ByteReader | undefined = response.body?.getReader();
    const chunks: Uint8Array[] = [];
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (value) chunks.push(value);
      if (done) break;
      if (chunks.length === 1) await Bun.sleep(20);
    }
    expect(patternOf(size).equals(Buffer.concat(chunks))).toBe(true);
  },
  async "leaves at once"(client, url) {
    const exchange = client.newExchange();
    await client.send(url, "x", exchange);
    exchange.abort();
  },
  async "leaves after the first chunk"(client, url) {
    const exchange = client.newExchange();
    const response = await client.send(url, "x", exchange);
    await response.body?.getReader().read();
    exchange.abort();
  },
  async "cancels the body"(client, url) {
    const response = await client.send(url, "x");
    await response.body?.cancel();
  },
  async "stops after the end"(client, url) {
    const exchange = client.newExchange();
    const response = await client.send(url, "x", exchange);
    await readBody(response, exchange, LIMITS);
    const next = client.fetchText(new URL("/echo", url).href, "next to it");
    exchange.abort();
    await response.body?.cancel().catch(() => {});
    expect((await next).text).toBe("next to it");
  },
};

const JOBS = SIZES.flatMap((size) =>
  FRAMINGS.flatMap((framing) => Object.values(BEHAVIORS).map((behavior) => ({ size, framing, behavior }))),
);

test("no reader spoils the next exchange with the same origin, or its own response", async () => {
  const errors: string[] = [];
  await runAll(JOBS, 8, () => {
    const server = startServer();
    const client = createTestClient({ headMs: 20_000, idleMs: 20_000 });
    return {
      async run({ size, framing, behavior }) {
        try {
          await behavior(client, `${server.url}/${size}/${framing}`, size);
          for (const times of ["once", "twice"]) {
            const token = `${size} ${framing} ${times}`;
            expect((await client.fetchText(`${server.url}/echo`, token)).text).toBe(token);
          }
        } catch (error) {
          errors.push(`${behavior.name} ${size} ${framing}: ${error}`);
        }
      },
      stop: server.stop,
    };
  });
  expect(errors).toEqual([]);
}, 120_000);

test("a reader that takes nothing holds the upstream back, and its memory stays bounded", async () => {
  const size = 256 * KIB * KIB;
  const server = startRawServer((connection) => {
    void connection.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    const block = Buffer.alloc(KIB * KIB);
    void (async () => {
      for (let at = 0; at < size && connection.isOpen(); at += block.length) {
        await connection.write(block);
        written += block.length;
      }
    })();
  });
  let written = 0;
  const client = createTestClient({ headMs: 20_000 });
  const exchange = client.newExchange();
  const response = await client.send(server.url, "x", exchange);
  const reader = response.body?.getReader();
  await reader?.read();
  // What is written grows until every buffer on the way is full.
  let before = -1;
  await until(async () => {
    const isStill = written === before;
    before = written;
    await Bun.sleep(100);
    return isStill;
  });
  expect(written).toBeLessThan(size / 4);
  exchange.abort();
  await until(() => server.open() === 0);
  server.stop();
}, 60_000);
