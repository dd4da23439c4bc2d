/** Routes that call a second channel where the first has no token in time. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chunk, DONE, startUpstream, usageChunk } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;
type Behavior = () => Response | Promise<Response>;

const MESSAGES = [{ role: "user", content: "Hi" }];
const streams = (text: string) =>
  new Response(`${chunk({ content: text })}${usageChunk()}${DONE}`, {
    headers: { "content-type": "text/event-stream" },
  });
const after =
  (ms: number, behavior: Behavior): Behavior =>
  async () => {
    await Bun.sleep(ms);
    return behavior();
  };
const fails = () => Response.json({ error: { message: "overloaded" } }, { status: 503 });
/** Does not respond before the test is over. */
const never = () => new Promise<Response>(() => {});

/** A route to one model on two channels; the first has the higher priority. */
function start(
  behaviors: readonly [Behavior, Behavior],
  hedge: object = { after_ms: 30, max_extra_percent: 100 },
  setup: Setup = {},
) {
  const upstreams = behaviors.map((behavior) => startUpstream(behavior));
  const relay = startRelay({
    channels: upstreams.map(({ url }, at) => ({ baseUrl: url, models: ["m"], priority: 10 - at })),
    ...setup,
    options: {
      ModelRatio: '{"m":2}',
      ModelRoutes: JSON.stringify({ fast: { candidates: [{ model: "m" }], hedge } }),
      ...setup.options,
    },
  });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const ask = (body: object = {}, init: { signal?: AbortSignal } = {}) =>
    relay.post("/v1/chat/completions", { model: "fast", messages: MESSAGES, stream: true, ...body }, init);
  return { relay, upstreams, ask, calls: () => upstreams.map(({ received }) => received.length) };
}

test("a second channel serves the call when the first is late; the first is cancelled and nobody is charged for it", async () => {
  const { relay, upstreams, ask } = start([never, () => streams("second")]);
  const response = await ask();
  expect(await response.text()).toContain("second");
  const row = await relay.billing.nextRecord();
  // 10 tokens in, 5 out, at twice the base price: once.
  expect(row).toMatchObject({ channelId: 2, quota: 30, failed: false });
  const attempts = row.other.admin_info?.attempts ?? [];
  expect(attempts).toMatchObject([{ channelId: 1, isCancelled: true }, { channelId: 2 }]);
  expect(attempts[0]?.cost).toBeGreaterThan(0);
  expect(attempts[1]).not.toHaveProperty("isCancelled");
  await until(() => upstreams[0]?.received[0]?.aborted);
  expect(relay.billing.openHolds).toBe(0);
  expect(relay.billing.records).toHaveLength(1);
  expect(relay.disabled).toEqual([]);
});

test("nothing is sent twice where the first channel is in time, or the call is no stream", async () => {
  const { ask, calls } = start([() => streams("first"), () => streams("second")], { after_ms: 5000 });
  expect(await (await ask()).text()).toContain("first");
  expect(calls()).toEqual([1, 0]);
  const complete = start([after(80, () => Response.json({ choices: [] })), never]);
  await complete.ask({ stream: false });
  expect(complete.calls()).toEqual([1, 0]);
});

test("the first channel still wins if it responds before the second", async () => {
  const { relay, upstreams, ask, calls } = start([after(120, () => streams("first")), never]);
  expect(await (await ask()).text()).toContain("first");
  expect(calls()).toEqual([1, 1]);
  const row = await relay.billing.nextRecord();
  expect(row).toMatchObject({ channelId: 1, quota: 30 });
  expect(row.other.admin_info?.attempts).toMatchObject([{ channelId: 2, isCancelled: true }, { channelId: 1 }]);
  await until(() => upstreams[1]?.received[0]?.aborted);
});

test("a first channel that fails while the second runs costs nothing more", async () => {
  const { relay, ask } = start([after(80, fails), after(120, () => streams("second"))]);
  expect(await (await ask()).text()).toContain("second");
  const row = await relay.billing.nextRecord();
  expect(row).toMatchObject({ channelId: 2, quota: 30, failed: false });
  expect(row.other.admin_info?.attempts).toMatchObject([{ channelId: 1, status: 503 }, { channelId: 2 }]);
  expect(row.other.admin_info?.attempts[0]).not.toHaveProperty("cost");
});

test("a call whose channels both fail is not charged", async () => {
  const { relay, ask } = start([after(80, fails), after(60, fails)]);
  expect((await ask()).status).toBe(503);
  const row = await relay.billing.nextRecord();
  expect(row).toMatchObject({ failed: true, quota: 0 });
  expect(row.other.admin_info?.attempts.map(({ channelId }) => channelId)).toEqual([1, 2]);
  expect(relay.billing.openHolds).toBe(0);
});

test("a client that leaves ends both", async () => {
  const { relay, upstreams, ask, calls } = start([never, never]);
  const abort = new AbortController();
  const response = ask({}, { signal: abort.signal }).catch(() => null);
  await until(() => calls()[1] === 1);
  abort.abort();
  await response;
  await until(() => upstreams.every(({ received }) => received[0]?.aborted));
  expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0 });
  expect(relay.billing.openHolds).toBe(0);
});

test("the budget bounds what cancelled attempts cost, in percent of what the route spends", async () => {
  const { ask, calls } = start([after(60, () => streams("first")), never], { after_ms: 10, max_extra_percent: 10 });
  for (let call = 0; call < 25; call += 1) await (await ask()).text();
  // Each costs as much as the part of a call that was sent: one in ten.
  expect(calls()).toEqual([25, 2]);
});

test("without a delay, a channel is late after its own 95th percentile", async () => {
  let isSlow = false;
  const first: Behavior = () => (isSlow ? never() : streams("first"));
  const { ask, calls } = start([first, () => streams("second")], { max_extra_percent: 100 });
  for (let call = 0; call < 20; call += 1) await (await ask()).text();
  expect(calls()).toEqual([20, 0]);
  isSlow = true;
  expect(await (await ask()).text()).toContain("second");
});

test("many calls at once are each charged once, whoever wins", async () => {
  const behavior = (name: string) => () => after(Math.random() * 60, () => streams(name))();
  const { relay, ask } = start([behavior("first"), behavior("second")], { after_ms: 20, max_extra_percent: 100 });
  await Promise.all(Array.from({ length: 60 }, async () => (await ask()).text()));
  await relay.billing.nextRecord(60);
  expect(relay.billing.records).toHaveLength(60);
  expect(new Set(relay.billing.records.map(({ quota }) => quota))).toEqual(new Set([30]));
  expect(relay.billing.openHolds).toBe(0);
});

test("a wrong hedge is refused by name", async () => {
  const { readRoute } = await import("../../../../src/settings/option/model-routes.ts");
  const read = (hedge: object) => () => readRoute("r", { candidates: [{ model: "m" }], hedge }, "");
  expect(read({ after_ms: 0 })).toThrow("hedge.after_ms");
  expect(read({ max_extra_percent: 101 })).toThrow("hedge.max_extra_percent");
  expect(read({ soon: true })).toThrow("hedge.soon");
});
