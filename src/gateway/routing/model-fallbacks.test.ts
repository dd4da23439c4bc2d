/** After which errors of its channels a call goes to a fallback model. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function ask(status: number, error: object) {
  const failing = startUpstream(() => Response.json({ error }, { status }));
  const other = startUpstream(() => Response.json(chatReply({ model: "second" })));
  const relay = startRelay({
    channels: [
      { baseUrl: failing.url, models: ["first"] },
      { baseUrl: other.url, models: ["second"] },
    ],
    options: { ModelRatio: '{"first":1,"second":1}', ModelFallbacks: '{"first":["second"]}' },
  });
  stops.push(relay.stop, failing.stop, other.stop);
  return relay.post("/v1/chat/completions", { model: "first", messages: [{ role: "user", content: "Hi" }] });
}

// RFC 9110: what the provider's account may not do, does not have, or can't take now, and its own failures.
test.each([401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529])(
  "a provider's %p leaves the call to the next model",
  async (status) => {
    const response = await ask(status, { message: "no", type: "error" });
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
  },
);

test.each([400, 405, 409, 415, 422])("a provider's %p blames the request, which fails everywhere", async (status) => {
  const response = await ask(status, { message: "no", type: "invalid_request_error" });
  expect(response.ok).toBe(false);
});

test("a prompt that is too long for one model may fit another", async () => {
  const error = { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" };
  const response = await ask(400, { ...error, type: "invalid_request_error" });
  expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
});
