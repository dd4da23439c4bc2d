/** Clients that keep their connection open and neither read nor send: after the idle timeout the gateway closes it. */
import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const upstream = startUpstream(({ text }) => {
  const content = text.includes("long") ? "x".repeat(30_000_000) : "short";
  return Response.json(
    chatReply({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] }),
  );
});
const relay = startRelay({
  channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }],
  config: { idleTimeoutSeconds: 4 },
});
afterAll(() => {
  relay.stop();
  upstream.stop();
});

function call(prompt: string, model = "gpt-4o"): Socket {
  const { hostname, port } = new URL(relay.url);
  const body = JSON.stringify({ model, messages: [{ role: "user", content: prompt }] });
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer sk-test\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

test.each([
  ["served", "gpt-4o", "200"],
  ["refused", "unknown", "404"],
])(
  "after a call that was %s",
  async (_, model, status) => {
    const socket = call("hi", model);
    let answer = "";
    let isClosed = false;
    socket.on("data", (bytes) => {
      answer += bytes;
    });
    socket.on("close", () => {
      isClosed = true;
    });
    await until(() => answer !== "");
    expect(answer.slice(9, 12)).toBe(status);
    expect(isClosed).toBe(false);
    await until(() => isClosed);
  },
  30_000,
);

test("a client that does not read a long answer", async () => {
  const socket = call("long");
  let isClosed = false;
  socket.on("close", () => {
    isClosed = true;
  });
  socket.pause();
  await relay.billing.nextRecord();
  await Bun.sleep(12_000);
  // What the system had taken is all that comes.
  socket.on("data", () => {});
  socket.resume();
  await until(() => isClosed);
  expect(socket.bytesRead).toBeLessThan(30_000_000);
}, 40_000);
