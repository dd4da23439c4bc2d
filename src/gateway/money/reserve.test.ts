/** What is held for prompts that are written to a cache. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const CLAUDE = 14;
const RATIO = 1000;
const MAX_TOKENS = 7;
/** The same length for each, so that the prompts are equally long. */
const MARKS = {
  none: '"cache-control":{"ttl":"1h"}',
  short: '"cache_control":{"ttl":"5m"}',
  long: '"cache_control":{"ttl":"1h"}',
};

async function heldFor(mark: keyof typeof MARKS, space = ""): Promise<number> {
  const upstream = startUpstream(() =>
    Response.json({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-x", stop_reason: "end_turn" },
      content: [{ type: "text", text: "Hi" }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  const relay = startRelay({
    channels: [{ type: CLAUDE, baseUrl: upstream.url, models: ["claude-x"] }],
    options: {
      ModelRatio: JSON.stringify({ "claude-x": RATIO }),
      CompletionRatio: '{"claude-x":1}',
      CacheCreationRatio: '{"claude-x":2}',
    },
  });
  stops.push(relay.stop, upstream.stop);
  const text = `{"type":"text","text":"Hi",${MARKS[mark].replace('"ttl":', `"ttl"${space}:${space}`)}}`;
  const body = `{"model":"claude-x","max_tokens":${MAX_TOKENS},"messages":[{"role":"user","content":[${text}]}]}`;
  const headers = { "content-type": "application/json", "x-api-key": "sk-test", "anthropic-version": "2023-06-01" };
  const response = await fetch(`${relay.url}/v1/messages`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.text();
  return (relay.billing.holds[0]?.amount ?? 0) / RATIO - MAX_TOKENS;
}

test("the whole prompt is held as a cache write of the kind that the request asks for", async () => {
  const prompt = await heldFor("none");
  expect(prompt).toBeGreaterThan(0);
  expect(await heldFor("short")).toBe(prompt * 2);
  // Those of an hour cost 1.6 times those of five minutes.
  expect(await heldFor("long")).toBeCloseTo(prompt * 3.2, 6);
});

test("also where the request is written with spaces", async () => {
  expect((await heldFor("long", " ")) / (await heldFor("short", " "))).toBeCloseTo(1.6, 6);
});
