/** Upstreams whose answers are no HTTP, or not enough of it. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** A server that answers every request with these bytes and leaves the connection open. */
function startRaw(answer: string): string {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(answer);
      },
    },
  });
  stops.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

const BODY = '{"id":"1","choices":[]}';
const HEAD = `content-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

test.each([
  `HTTP/2 200\r\n${HEAD}`,
  `HTTP/2 200 OK\r\n${HEAD}`,
  `HTTP/3 200 OK\r\n${HEAD}`,
  `HTTP/2.0 200 OK\r\n${HEAD}`,
  `HTTP/1.1 20\r\n${HEAD}`,
  `HTTP/1.1 2\r\n00 OK\r\n${HEAD}`,
  `HTTP/1.1 abc OK\r\n${HEAD}`,
  `ICY 200 OK\r\n${HEAD}`,
  `\r\n\r\n${HEAD}`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
])("the answer %j is a bad gateway at once", async (answer) => {
  expect(await statusFor(answer)).toBe(502);
});

test.each(["HTTP/2 200", "HTTP/2 2\r\n00", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n", ""])(
  "a head that stops at %j times out at the deadline",
  async (answer) => {
    expect(await statusFor(answer)).toBe(504);
  },
);

async function statusFor(answer: string): Promise<number> {
  const relay = startRelay({
    channels: [{ baseUrl: startRaw(answer), models: ["gpt-4o"] }],
    config: { relayTimeoutMs: 1500 },
  });
  stops.push(relay.stop);
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
  const response = await relay.post("/v1/chat/completions", body);
  expect(await response.json()).toMatchObject({ error: { type: "upstream_error" } });
  return response.status;
}
