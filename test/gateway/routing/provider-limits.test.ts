/** Providers' rate limits, as their response headers have them, are respected before a call is refused. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const USED_UP = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0s" };

function start(headers: Record<string, string>, status = 200) {
  const limited = startUpstream(() => Response.json(status === 200 ? chatReply() : { error: {} }, { status, headers }));
  const other = startUpstream(() => Response.json(chatReply()));
  const channels = [
    { baseUrl: limited.url, models: ["gpt-4o"], priority: 1 },
    { baseUrl: other.url, models: ["gpt-4o"], priority: 0 },
  ];
  const relay = startRelay({ channels, options: { ModelRatio: '{"gpt-4o":1}' } });
  stops.push(relay.stop, limited.stop, other.stop);
  const ask = async (stream = false) => {
    const body = { model: "gpt-4o", stream, messages: [{ role: "user", content: "Hi" }] };
    const response = await relay.post("/v1/chat/completions", body);
    await response.text();
    return response;
  };
  return { limited, other, ask };
}

test("a channel that says its limit is used up gets no more calls until the reset", async () => {
  const { limited, other, ask } = start(USED_UP);
  for (const _ of [1, 2, 3]) expect((await ask()).status).toBe(200);
  expect([limited.received.length, other.received.length]).toEqual([1, 2]);
});

test("one that has something left goes on", async () => {
  const { limited, other, ask } = start({ ...USED_UP, "x-ratelimit-remaining-requests": "7" });
  for (const _ of [1, 2, 3]) await ask();
  expect([limited.received.length, other.received.length]).toEqual([3, 0]);
});

test("a 429 without Retry-After sends the client the reset", async () => {
  const { ask } = start(USED_UP, 429);
  const response = await ask();
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "60"]);
});
