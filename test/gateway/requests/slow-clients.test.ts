/** Clients that send a body as slowly as they can: each is answered and let go, and nothing of it stays. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const dataDir = join(tmpdir(), `sluice-slow-${Bun.randomUUIDv7()}`);
const upstream = startUpstream(() => Response.json({}));
const relay = startRelay({
  channels: [{ baseUrl: upstream.url, models: ["m", "whisper-1"] }],
  config: { requestBodyTimeoutMs: 200, maxRequestBodyBytes: 1_000, maxUploadBytes: 1_000, dataDir },
});
afterAll(() => {
  relay.stop();
  upstream.stop();
});

const LINES = ["Host: gateway.test", "Authorization: Bearer sk-test"];
const FORM = "Content-Type: multipart/form-data; boundary=b";
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';

type Slow = Readonly<{ path: string; headers: readonly string[]; first: string; drip: string }>;
const SLOW: readonly (readonly [name: string, slow: Slow])[] = [
  ["a JSON body", { path: "/v1/chat/completions", headers: ["Content-Length: 900"], first: "{", drip: " " }],
  [
    "a body in chunks",
    { path: "/v1/messages", headers: ["Transfer-Encoding: chunked"], first: "1\r\n{\r\n", drip: "1\r\n \r\n" },
  ],
  [
    "a compressed body",
    { path: "/v1/responses", headers: ["Content-Length: 900", "Content-Encoding: gzip"], first: "\x1f", drip: "\x00" },
  ],
  [
    "a body for Gemini",
    { path: "/v1beta/models/m:generateContent", headers: ["Content-Length: 900"], first: "{", drip: " " },
  ],
  [
    "a small form",
    { path: "/v1/audio/transcriptions", headers: [FORM, "Content-Length: 900"], first: PART, drip: "a" },
  ],
  [
    "a large form",
    { path: "/v1/audio/transcriptions", headers: [FORM, "Transfer-Encoding: chunked"], first: "", drip: "1\r\n-\r\n" },
  ],
];

test.each(SLOW)("%s that never ends is answered 408 and its connection closed", async (_name, slow) => {
  const { path, headers, first, drip } = slow;
  const { hostname, port } = new URL(relay.url);
  const socket = connect(Number(port), hostname);
  let answer = "";
  let isClosed = false;
  socket.on("data", (bytes) => {
    answer += bytes;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
  });
  socket.write([`POST ${path} HTTP/1.1`, ...LINES, ...headers, "", first].join("\r\n"));
  const dripping = setInterval(() => socket.write(drip), 20);
  await until(() => isClosed);
  clearInterval(dripping);
  expect(answer).toStartWith("HTTP/1.1 408 ");
  expect(answer).toContain("Timed out while receiving the request body");
  const folder = join(dataDir, "forms");
  await until(() => !existsSync(folder) || readdirSync(folder).length === 0);
  expect([upstream.received.length, relay.billing.openHolds]).toEqual([0, 0]);
});
