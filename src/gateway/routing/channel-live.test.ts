import { afterEach, expect, setSystemTime, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { createCoolDown } from "../upstream/keys/cool-down.ts";
import { createKeyTraffic } from "../upstream/keys/key-traffic.ts";
import { coolingOf, readLive } from "./channel-live.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  setSystemTime();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

test("a channel's figures are the sum of its keys'", () => {
  setSystemTime(new Date("2026-01-01T00:00:00Z"));
  const coolDown = createCoolDown();
  const traffic = createKeyTraffic();
  const channel = channelEntry({ id: 7, keys: ["a", "b"] });
  for (const [key, failed, ms] of [
    ["a", false, 100],
    ["a", true, 900],
    ["b", false, 300],
  ] as const) {
    traffic.begin(7, key);
    traffic.end(7, key, failed, ms);
  }
  traffic.begin(7, "b");
  coolDown.start(7, "a", 60_000);
  const live = readLive({ coolDown, traffic }, channel);
  expect(live).toMatchObject({ inFlight: 1, calls: 3, failed: 1, latencyMs: 200 });
  expect(live.slots.at(-1)).toEqual({ count: 3, failed: 1 });
  expect(live.keys).toMatchObject([
    { isCooling: true, inFlight: 0, calls: 2, failed: 1, latencyMs: 100 },
    { isCooling: false, coolingUntil: null, inFlight: 1, calls: 1, failed: 0, latencyMs: 300 },
  ]);
  expect(live.keys[0]?.coolingUntil).toBe(Date.parse("2026-01-01T00:01:00Z") / 1000);
});

test("keys with failures in different slots add up; times are rounded, ends of cool-downs up", () => {
  setSystemTime(new Date("2026-01-01T00:00:00.500Z"));
  const coolDown = createCoolDown();
  const traffic = createKeyTraffic();
  const channel = channelEntry({ id: 7, keys: ["a", "b", "c"] });
  for (const [key, failed, ms] of [
    ["a", true, 9],
    ["b", true, 9],
    ["b", false, 3],
    ["c", false, 4],
  ] as const) {
    traffic.begin(7, key);
    traffic.end(7, key, failed, ms);
  }
  coolDown.start(7, "a", 60_000);
  const live = readLive({ coolDown, traffic }, channel);
  expect(live.slots.at(-1)).toEqual({ count: 4, failed: 2 });
  expect([live.calls, live.failed, live.latencyMs]).toEqual([4, 2, 4]);
  expect(live.keys.map(({ latencyMs }) => latencyMs)).toEqual([null, 3, 4]);
  expect(live.keys[0]?.coolingUntil).toBe(Date.parse("2026-01-01T00:01:01Z") / 1000);
});

test("consecutive failures are reported before the key cools down", () => {
  const coolDown = createCoolDown();
  coolDown.failed(1, "a");
  expect(coolingOf(coolDown, 1, "a")).toEqual({ isCooling: false, coolingUntil: null, failures: 1 });
});

test("calls count for the channel that served them; invalid client requests count for none", async () => {
  const bad = startUpstream(() => Response.json({ error: { message: "down" } }, { status: 503 }));
  const good = startUpstream(({ text }) =>
    text.includes('"max_tokens":0')
      ? Response.json({ error: { message: "no" } }, { status: 400 })
      : Response.json(chatReply()),
  );
  stops.push(bad.stop, good.stop);
  const relay = startRelay({
    channels: [
      { models: ["gpt-4o"], baseUrl: bad.url, priority: 1 },
      { models: ["gpt-4o"], baseUrl: good.url },
    ],
    options: { RetryTimes: "1" },
  });
  stops.push(relay.stop);
  const ask = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }], prompt_cache_key: "c" };
  expect((await relay.post("/v1/chat/completions", ask)).status).toBe(200);
  expect((await relay.post("/v1/chat/completions", { ...ask, max_tokens: 0 })).status).toBe(400);
  expect(relay.readLive()).toMatchObject([
    // The second call stays with the channel that served the first.
    { inFlight: 0, calls: 1, failed: 1, latencyMs: null },
    { inFlight: 0, calls: 1, failed: 0, latencyMs: expect.any(Number) },
  ]);
});
