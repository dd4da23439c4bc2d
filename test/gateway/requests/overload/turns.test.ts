/** Whose turn it is not yet waits, and is refused where that takes too long: whatever a key asks for, calls or not. */
import { afterAll, afterEach, expect, spyOn, test } from "bun:test";
import { GatewayError } from "../../../../src/gateway/call/errors.ts";
import { FairTurns } from "../../../../src/lib/runtime/tick.ts";
import { ASK, CHAT, createAnsweringRelays } from "../../../support/gateway/start-gateway.ts";

const relays = createAnsweringRelays();
const { relay, upstream } = relays.start();
const enter = spyOn(FairTurns.prototype, "enter");
afterEach(() => void enter.mockReset());
afterAll(() => {
  enter.mockRestore();
  return relays.stop();
});

const MESSAGES = { model: "gpt-4o", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const REQUESTS: readonly (readonly [method: "GET" | "POST", path: string, body: object | null])[] = [
  ["POST", CHAT, ASK],
  ["POST", "/v1/messages/count_tokens", MESSAGES],
  ["POST", "/v1/responses/input_tokens", { model: "gpt-4o", input: "Hi" }],
  ["POST", "/v1beta/models/gpt-4o:countTokens", CONTENTS],
  ["GET", "/v1/models", null],
  ["GET", "/v1/responses/resp_1", null],
  ["GET", "/v1/responses/resp_1/input_items", null],
  ["GET", "/v1/conversations/conv_1", null],
  ["GET", "/v1/files", null],
  ["GET", "/v1/files/file-1/content", null],
  ["GET", "/v1/batches/batch_1", null],
  ["GET", "/v1/vector_stores/vs_1", null],
  ["GET", "/suno/fetch/task-1", null],
  ["GET", "/mj/task/task-1/fetch", null],
];

test.each(REQUESTS)("%s %s waits for the turn of its user, once", async (method, path, body) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  enter.mockImplementation(() => promise);
  const sent = method === "GET" ? relay.get(path) : relay.post(path, body);
  expect(await Promise.race([sent, Bun.sleep(100)])).toBeUndefined();
  resolve();
  expect((await sent).status).not.toBe(503);
  expect(enter.mock.calls).toEqual([[1]]);
});

test.each(REQUESTS)("%s %s is refused where that takes too long", async (method, path, body) => {
  const before = upstream.received.length;
  const refusal = new GatewayError(503, "server_overloaded", { code: "gateway_overloaded", params: { seconds: 1 } });
  enter.mockImplementation(() => Promise.reject(refusal));
  const response = await (method === "GET" ? relay.get(path) : relay.post(path, body));
  // Clients of Midjourney's proxies get 400 for each refusal.
  expect(response.status).toBe(path.startsWith("/mj/") ? 400 : 503);
  expect(upstream.received).toHaveLength(before);
});
