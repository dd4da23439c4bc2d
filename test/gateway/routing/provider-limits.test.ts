/** Providers' rate limits, as their response headers have them, are respected before a call is refused. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const USED_UP = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0s" };

function start(headers: Record<string, string>, status = 200, used = [0, 1]) {
  const limited = startUpstream(() => Response.json(status === 200 ? chatReply() : { error: {} }, { status, headers }));
  const other = startUpstream(() => Response.json(chatReply()));
  const channels = [
    { baseUrl: limited.url, models: ["gpt-4o"], priority: 1 },
    { baseUrl: other.url, models: ["gpt-4o"], priority: 0 },
  ];
  const relay = startRelay({
    channels: channels.filter((_, at) => used.includes(at)),
    options: { ModelRatio: '{"gpt-4o":1}' },
  });
  stops.push(relay.stop, limited.stop, other.stop);
  const ask = async (stream = false, content = "Hi") => {
    const body = { model: "gpt-4o", stream, messages: [{ role: "user", content }] };
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

describe("a channel with few tokens left", () => {
  const FEW = {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-remaining-requests": "499",
    "x-ratelimit-limit-tokens": "30000",
    "x-ratelimit-remaining-tokens": "1000",
    "x-ratelimit-reset-tokens": "1h0m0s",
  };
  const LONG = "one two three four ".repeat(1000);

  test("gets the short prompts that it has room for, and no longer one while another channel is free", async () => {
    const { limited, other, ask } = start(FEW);
    await ask();
    await ask(false, LONG);
    await ask();
    expect([limited.received.length, other.received.length]).toEqual([2, 1]);
  });

  test("gets a long prompt where no other channel is left, because the provider decides", async () => {
    const { limited, other, ask } = start(FEW, 200, [0]);
    await ask();
    expect((await ask(false, LONG)).status).toBe(200);
    expect([limited.received.length, other.received.length]).toEqual([2, 0]);
  });

  test("has what calls under way leave: many at once do not run into the limit", async () => {
    const { limited, other, ask } = start(FEW);
    await ask();
    // About 400 tokens each.
    await Promise.all([1, 2, 3, 4, 5].map(() => ask(false, "one two three four ".repeat(90))));
    expect([limited.received.length, other.received.length]).toEqual([1 + 2, 3]);
  });

  test("of Anthropic's limits, by their input tokens", async () => {
    const headers = {
      "anthropic-ratelimit-requests-remaining": "40",
      "anthropic-ratelimit-input-tokens-limit": "30000",
      "anthropic-ratelimit-input-tokens-remaining": "1000",
      "anthropic-ratelimit-input-tokens-reset": new Date(Date.now() + 3_600_000).toISOString(),
    };
    const { limited, other, ask } = start(headers);
    await ask();
    await ask(false, LONG);
    expect([limited.received.length, other.received.length]).toEqual([1, 1]);
  });
});
