/**
 * Requests that other parsers could read differently (RFC 9112, sections 2.2, 5, 6 and 7.1) are refused, and what an upstream
 * hides behind bare CR or LF never reaches a client as a header or a chunk.
 */
import { afterAll, expect, test } from "bun:test";
import { startRawServer } from "../../contracts/transport/raw-server.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { exchange } from "../../support/lib/raw-requests.ts";

const upstream = startUpstream(() => Response.json(chatReply()));
const PRICES = { ModelRatio: '{"m": 1}', RetryTimes: "0" } as const;
const relay = startRelay({ channels: [{ baseUrl: upstream.url, models: ["m"] }], options: PRICES });
afterAll(() => {
  relay.stop();
  upstream.stop();
});

const BODY = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] });
const SIZE = BODY.length.toString(16);
const LINES = "Host: gateway.test\r\nAuthorization: Bearer sk-test\r\nContent-Type: application/json\r\n";
const POST = `POST /v1/chat/completions HTTP/1.1\r\n${LINES}`;
const SMUGGLED = `POST /v1/chat/completions HTTP/1.1\r\n${LINES}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

test.each([
  ["lines that end with LF", `${POST.replaceAll("\r\n", "\n")}Content-Length: ${BODY.length}\n\n${BODY}`],
  ["a line that ends with LF", `${POST}X-A: b\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`],
  ["a bare CR in a value", `${POST}X-A: b\rX-B: c\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`],
  ["a header behind a bare LF", `${POST}X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n${BODY}`],
  ["NUL in a value", `${POST}X-A: a\0b\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`],
  ["a blank before the colon", `${POST}Content-Length : ${BODY.length}\r\n\r\n${BODY}`],
  ["a folded value", `${POST}X-A: b\r\n c\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`],
  ["a length with a sign", `${POST}Content-Length: +${BODY.length}\r\n\r\n${BODY}`],
  ["two lengths", `${POST}Content-Length: ${BODY.length}\r\nContent-Length: 5\r\n\r\n${BODY}${SMUGGLED}`],
  ["a length and chunks", `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ["an unknown transfer coding", `${POST}Transfer-Encoding: xchunked\r\n\r\n${BODY}`],
  ["two transfer codings", `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n${SIZE}\r\n${BODY}\r\n0\r\n\r\n`],
  ["a chunk size that ends with LF", `${CHUNKED}${SIZE}\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`],
  ["a chunk that ends with LF", `${CHUNKED}${SIZE}\r\n${BODY}\n0\r\n\r\n${SMUGGLED}`],
  ["LF in a chunk extension", `${CHUNKED}${SIZE};a\nb\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`],
  ["CR in a chunk extension", `${CHUNKED}${SIZE};a\rb\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`],
  ["a chunk size with a prefix", `${CHUNKED}0x${SIZE}\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`],
  ["a last chunk that ends with LF", `${CHUNKED}${SIZE}\r\n${BODY}\r\n0\n\n${SMUGGLED}`],
])("%s: refused, and nothing is sent upstream", async (_, request) => {
  const before = upstream.received.length;
  expect(await exchange(relay.url, request)).toMatch(/^HTTP\/1\.1 (400|505) /);
  expect(upstream.received.length).toBe(before);
});

test("a plain request in chunks is served", async () => {
  const last = CHUNKED.replace(/\r\n\r\n$/, "\r\nConnection: close\r\n\r\n");
  expect(await exchange(relay.url, `${last}${SIZE}\r\n${BODY}\r\n0\r\n\r\n`)).toStartWith("HTTP/1.1 200 ");
});

test("what follows a trailer with a bare LF is not read as a request", async () => {
  const before = upstream.received.length;
  const answer = await exchange(relay.url, `${CHUNKED}${SIZE}\r\n${BODY}\r\n0\r\nX: a\nB: c\r\n\r\n${SMUGGLED}`);
  expect(upstream.received.length).toBeLessThanOrEqual(before + 1);
  expect(answer).toMatch(/HTTP\/1\.1 400 [^\r]*\r\nConnection: close\r\n\r\n$/);
});

const HIDDEN = "set-cookie: stolen=1";
const EVENTS = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"a\\r\\nb"}}]}\n\ndata: [DONE]\n\n';
const events = (head: string) => `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${head}\r\n${EVENTS}`;
const complete = (head: string) => {
  const body = JSON.stringify(chatReply());
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`;
};

test.each([
  ["a bare LF in a value", `x-request-id: a\n${HIDDEN}\r\n`],
  ["a bare CR in a value", `x-request-id: a\r${HIDDEN}\r\n`],
  ["a bare LF in the limits", `x-ratelimit-remaining-requests: 1\n${HIDDEN}\r\n`],
  ["a bare CR in the type", `retry-after: 1\r${HIDDEN}\r\n`],
])("an upstream's header with %s", async (_, head) => {
  for (const stream of [false, true]) {
    const server = startRawServer((connection) => {
      void connection.write(stream ? events(head) : complete(head)).then(() => connection.end());
    });
    const gateway = startRelay({ channels: [{ baseUrl: server.url, models: ["m"] }], options: PRICES });
    const body = JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "Hi" }] });
    const answer = await exchange(
      gateway.url,
      `${POST}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    gateway.stop();
    server.stop();
    const end = answer.indexOf("\r\n\r\n");
    const lines = answer.slice(0, end).split("\r\n");
    expect(lines[0]).toMatch(/^HTTP\/1\.1 (200|502) /);
    for (const line of lines) expect(line).not.toMatch(/[\r\n]|stolen/i);
    if (/transfer-encoding: chunked/i.test(answer.slice(0, end))) expectStrictChunks(answer.slice(end + 4));
  }
});

/** Size, CR LF, that many bytes, CR LF; to the last chunk, without trailers. */
function expectStrictChunks(body: string): void {
  for (let at = 0; ; ) {
    const [line = "", size = ""] = /^([\da-f]+)\r\n/i.exec(body.slice(at)) ?? [];
    expect(line).not.toBe("");
    const from = at + line.length;
    at = from + Number.parseInt(size, 16) + 2;
    expect(body.slice(at - 2, at)).toBe("\r\n");
    if (Number.parseInt(size, 16) > 0) continue;
    expect(body.slice(at)).toBe("");
    return;
  }
}
