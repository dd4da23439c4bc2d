/** Upstreams that send an error's status with a body of server-sent events: the client reads the error alone. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ERROR = { error: { message: "the model is on fire", type: "server_error", code: "model_error" } };
const BODIES = {
  "named, with an end": `event: error\ndata: ${JSON.stringify(ERROR)}\n\ndata: [DONE]\n\n`,
  bare: `data: ${JSON.stringify(ERROR)}`,
  "after a comment, with carriage returns": `: ping\r\n\r\ndata: ${JSON.stringify(ERROR)}\r\n\r\n`,
};
const PATHS = ["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const;

test.each(
  Object.entries(BODIES).flatMap(([name, body]) =>
    PATHS.flatMap((path) => [true, false].map((stream) => [name, path, stream, body] as const)),
  ),
)("%s, %s, stream %p", async (_, path, stream, body) => {
  const upstream = startUpstream(
    () => new Response(body, { status: 500, headers: { "content-type": "text/event-stream" } }),
  );
  const relay = startRelay({ channels: [{ type: 1, baseUrl: upstream.url }], user: {} });
  stops.push(upstream.stop, relay.stop);
  const content =
    path === "/v1/responses" ? { input: "Hi" } : { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
  const answer = await relay.post(
    path,
    { model: "gpt-4o", stream, ...content },
    { headers: { authorization: "Bearer sk-test", "x-api-key": "sk-test" } },
  );
  const text = await answer.text();
  expect(answer.status).toBe(500);
  expect(text).toContain("the model is on fire");
  expect(text).not.toContain("data:");
  expect(text).not.toContain("[DONE]");
});
