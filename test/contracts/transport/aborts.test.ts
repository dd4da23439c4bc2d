/**
 * Calls that are stopped at any moment, among others that are not: nobody ever gets another call's bytes, and no request is
 * sent twice. `SLUICE_LONG_TESTS=1` makes 100,000 calls instead of some thousands.
 */
import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { readBody } from "../../../src/gateway/upstream/exchange.ts";
import { type RawConnection, type RawRequest, startRawServer } from "./raw-server.ts";
import { createTestClient, runAll } from "./test-client.ts";

const CALLS = process.env.SLUICE_LONG_TESTS ? 100_000 : 4_000;
const WORKERS = 48;

/** Reproducible chance (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const bodyOf = (token: string, repeats: number): string => `${token};`.repeat(repeats);

/** Answers with the request's token again and again, framed and cut in ways that follow from the token. */
async function answer(connection: RawConnection, { body: token }: RawRequest): Promise<void> {
  const random = chance(Number(token.split("-")[0]));
  const repeats = 1 + Math.floor(random() ** 4 * 20_000);
  const text = bodyOf(token, repeats);
  const kind = Math.floor(random() * 4);
  const packed = kind === 3 ? gzipSync(text, { level: 1 }) : Buffer.from(text);
  const pieces: (Buffer | string)[] = [];
  if (kind === 1) {
    const at = Math.floor(random() * packed.length);
    for (const part of [packed.subarray(0, at), packed.subarray(at)])
      if (part.length > 0) pieces.push(`${part.length.toString(16)}\r\n`, part, "\r\n");
    pieces.unshift("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    pieces.push("0\r\n\r\n");
  } else {
    const coding = kind === 3 ? "content-encoding: gzip\r\n" : "";
    const framing = kind === 2 ? "connection: close\r\n" : `content-length: ${packed.length}\r\n`;
    pieces.push(`HTTP/1.1 200 OK\r\n${coding}${framing}\r\n`, packed);
  }
  if (random() < 0.3) await Bun.sleep(random() * 5);
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
  const cut = random() < 0.5 ? Math.floor(random() * bytes.length) : bytes.length;
  await connection.write(bytes.subarray(0, cut));
  if (cut < bytes.length) {
    await Bun.sleep(random() * 3);
    await connection.write(bytes.subarray(cut));
  }
  if (kind === 2) connection.end();
}

test(`among ${CALLS} calls, a third of them stopped, not one gets another's bytes`, async () => {
  const delivered = new Map<string, number>();
  const server = startRawServer((connection, request) => {
    delivered.set(request.body, (delivered.get(request.body) ?? 0) + 1);
    void answer(connection, request);
  });
  const client = createTestClient({ headMs: 60_000 });
  const limits = { maxResponseBodyBytes: 4_000_000, streamingTimeoutMs: 60_000 };
  const counts = { complete: 0, stopped: 0, failed: 0, mixed: 0 };
  const random = chance(20_261_122);
  const tokens = Array.from({ length: CALLS }, (_, index) => `${index}-${random().toString(36).slice(2)}`);
  await runAll(tokens, WORKERS, () => ({
    async run(token) {
      const stops = random() < 0.35;
      const exchange = client.newExchange();
      const timer = stops ? setTimeout(() => exchange.stop("client_left"), random() ** 2 * 8) : null;
      try {
        const response = await client.send(server.url, token, exchange);
        const text = Buffer.from(await readBody(response, exchange, limits)).toString();
        const isOwn = text.length > 0 && text === bodyOf(token, text.length / (token.length + 1));
        counts[isOwn ? "complete" : "mixed"] += 1;
      } catch {
        counts[exchange.stopped === "client_left" ? "stopped" : "failed"] += 1;
      }
      if (timer) clearTimeout(timer);
    },
  }));
  server.stop();
  const twice = [...delivered.values()].filter((times) => times > 1).length;
  expect({ mixed: counts.mixed, failed: counts.failed, twice }).toEqual({ mixed: 0, failed: 0, twice: 0 });
  expect(counts.complete).toBeGreaterThan(CALLS / 2);
  expect(counts.stopped).toBeGreaterThan(CALLS / 50);
}, 1_800_000);
