/** Why the relay stays with HTTP/1.1 (docs/decisions/gateway/http-transport.md): what the runtime's HTTP/2 does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Writable } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { makeCertificate } from "../../support/lib/certificate.ts";
import { until } from "../../support/lib/until.ts";

const folder = mkdtempSync(path.join(tmpdir(), "sluice-http2-"));
const files = { cert: path.join(folder, "certificate.pem"), key: path.join(folder, "key.pem") };
let identity: { cert: Buffer; key: Buffer };
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  await makeCertificate(files.cert, files.key);
  identity = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
});
afterAll(() => {
  for (const stop of stops) stop();
  rmSync(folder, { recursive: true, force: true });
});

type Listening = {
  listen(port: number, host: string, ready: () => void): unknown;
  address(): unknown;
  close(): unknown;
};

async function listen(server: Listening): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const MIB = 1024 * 1024;
const BLOCK = Buffer.alloc(64 * 1024);

/**
 * Writes a block, and without end from when the reader stalls: what a busy machine's reader took before would count too.
 * Counts what was written since then.
 */
function flood(output: Writable, hasStalled: Promise<void>, count: (bytes: number) => void): void {
  const write = () => {
    if (output.destroyed) return;
    const hasRoom = output.write(BLOCK);
    count(BLOCK.length);
    if (hasRoom) setImmediate(write);
    else output.once("drain", write);
  };
  stops.push(() => output.destroy());
  output.on("error", () => {});
  output.write(BLOCK);
  void hasStalled.then(write);
}

/** What the sockets of a port hold outside of the processes: the kernel lets their buffers grow to many MiB. */
async function readQueuedBytes(port: number): Promise<number> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const table = await Bun.file("/proc/net/tcp").text();
  const sockets = table.split("\n").map((line) => line.trim().split(/\s+/));
  const queues = sockets.filter(([, local = "", remote = ""]) => local.endsWith(suffix) || remote.endsWith(suffix));
  const sizes = queues.flatMap(([, , , , sizes = ""]) => sizes.split(":").map((size) => Number.parseInt(size, 16)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** How much the process takes into memory for a reader that takes the first piece only, and then calls `stall`. */
async function heldForStalledReader(
  port: number,
  protocol: "http2" | "http1.1",
  stall: () => void,
  sent: () => number,
): Promise<number> {
  const abort = new AbortController();
  const init = { protocol, tls: { rejectUnauthorized: false }, signal: abort.signal };
  const response = await fetch(`https://127.0.0.1:${port}/`, init);
  const reader = response.body?.getReader();
  await reader?.read();
  stall();
  let before = -1;
  await until(async () => {
    await Bun.sleep(300);
    const isStill = sent() === before;
    before = sent();
    return isStill;
  });
  const held = before - (await readQueuedBytes(port));
  abort.abort();
  await reader?.cancel().catch(() => {});
  return held;
}

test("a reader that stalls holds an HTTP/1.1 server back, but takes 16 MiB into memory from an HTTP/2 server", async () => {
  const sent = { http1: 0, http2: 0 };
  const stalls = { http1: Promise.withResolvers<void>(), http2: Promise.withResolvers<void>() };
  const http1 = createHttpsServer(identity, (_request, response) =>
    flood(response, stalls.http1.promise, (bytes) => (sent.http1 += bytes)),
  );
  const http2 = createSecureServer(identity);
  http2.on("stream", (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": 200 });
    flood(stream, stalls.http2.promise, (bytes) => (sent.http2 += bytes));
  });
  http2.on("session", (session) => session.on("error", () => {}));
  const overHttp1 = await heldForStalledReader(await listen(http1), "http1.1", stalls.http1.resolve, () => sent.http1);
  const overHttp2 = await heldForStalledReader(await listen(http2), "http2", stalls.http2.resolve, () => sent.http2);
  expect(overHttp1).toBeLessThan(8 * MIB);
  expect(overHttp2).toBeGreaterThan(12 * MIB);
}, 60_000);

/** A frame of RFC 9113, section 4.1. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
const [DATA, RST_STREAM, SETTINGS] = [0, 3, 4];
const [END_STREAM, ACK] = [1, 1];
const PREFACE_BYTES = 24;
const REFUSED_STREAM = Buffer.from([0, 0, 0, 7]);

test("a request whose stream an HTTP/2 server refuses is sent again and again, unseen by the relay's retry rules", async () => {
  let received = 0;
  const server = createTlsServer({ ...identity, ALPNProtocols: ["h2"] }, (socket) => {
    let rest = Buffer.alloc(0);
    let skip = PREFACE_BYTES;
    socket.on("error", () => {});
    socket.write(frame(SETTINGS, 0, 0));
    socket.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (; rest.length >= skip + 9; ) {
        const head = rest.subarray(skip);
        const end = 9 + head.readUIntBE(0, 3);
        if (head.length < end) return;
        const [type = 0, flags = 0] = head.subarray(3, 5);
        const stream = head.readUInt32BE(5);
        if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
        if (type === DATA && (flags & END_STREAM) !== 0) {
          received += 1;
          socket.write(frame(RST_STREAM, 0, stream, REFUSED_STREAM));
        }
        rest = rest.subarray(skip + end);
        skip = 0;
      }
    });
  });
  const port = await listen(server);
  const tls = { rejectUnauthorized: false };
  const sending = fetch(`https://127.0.0.1:${port}/`, { method: "POST", body: "hello", protocol: "http2", tls });
  await expect(sending).rejects.toThrow();
  expect(received).toBeGreaterThan(1);
});

test("the relay's connections speak HTTP/1.1, also to a server that prefers HTTP/2", async () => {
  const protocols: unknown[] = [];
  const server = createTlsServer({ ...identity, ALPNProtocols: ["h2", "http/1.1"] }, (socket) => {
    protocols.push(socket.alpnProtocol);
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"));
  });
  const port = await listen(server);
  const script = `
    const { FetchTarget, fetchPinned } = await import(${JSON.stringify(path.resolve("src/lib/outbound/pinned-fetch.ts"))});
    const target = new FetchTarget(new URL("https://localhost:${port}/"));
    const response = await fetchPinned(target, ["127.0.0.1"], { method: "POST", headers: {}, body: "x", signal: AbortSignal.timeout(20_000) });
    console.log(response.status, await response.text());
    process.exit(0);`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: files.cert };
  const child = Bun.spawn([process.execPath, "-e", script], { env, stdio: ["ignore", "pipe", "inherit"] });
  expect((await new Response(child.stdout).text()).trim()).toBe("200 ok");
  expect(protocols).toHaveLength(1);
  expect(protocols[0]).not.toBe("h2");
});
