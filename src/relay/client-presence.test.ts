import { afterAll, expect, test } from "bun:test";
import { startRelay } from "./testing/start-relay.ts";
import { startUpstream } from "./testing/start-upstream.ts";

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };

/** When the upstream's connection was closed, in ms since its request came. */
const closedAfter: number[] = [];
const upstream = startUpstream(async (_, request) => {
  const since = performance.now();
  request.signal.addEventListener("abort", () => closedAfter.push(performance.now() - since));
  await Bun.sleep(5000);
  return Response.json({});
});
const relay = startRelay({ channels: [{ baseUrl: upstream.url }] });
afterAll(async () => {
  await relay.stop();
  await upstream.stop();
});

test.each([20, 600])(
  "a client that leaves after %d ms stops an upstream that has not answered, within a second",
  async (ms) => {
    const before = closedAfter.length;
    const client = new AbortController();
    const asked = relay.post("/v1/chat/completions", CHAT, { signal: client.signal });
    setTimeout(() => client.abort(), ms);
    await expect(asked).rejects.toThrow();
    await Bun.sleep(800);
    expect(closedAfter.length).toBe(before + 1);
    expect(closedAfter.at(-1)).toBeLessThan(ms + 800);
    expect(relay.billing.openHolds).toBe(0);
    expect(relay.billing.records.at(-1)).toMatchObject({ quota: 0, other: { ending: "client_left", status: 499 } });
  },
);
