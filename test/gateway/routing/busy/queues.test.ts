/** Routes whose calls wait where everything is busy. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MESSAGES = [{ role: "user", content: "Hi" }];

/** A route to one channel, which refuses while `state.isBusy`. */
function start(queue: object | null = {}, setup: Partial<Parameters<typeof startRelay>[0]> = {}) {
  const state = { isBusy: true, status: 429 };
  const served: string[] = [];
  const upstream = startUpstream(({ text }) => {
    const { user } = JSON.parse(text);
    if (state.isBusy) return Response.json({ error: { message: "slow down" } }, { status: state.status });
    served.push(user);
    return Response.json(chatReply({ model: "m" }));
  });
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"], groups: ["default", "vip"] }],
    tokens: { test: {}, vip: { group: "vip" } },
    ...setup,
    options: {
      ModelRatio: '{"m":1}',
      UserUsableGroups: '{"default":"","vip":""}',
      GroupRatio: '{"default":1,"vip":1}',
      ModelRoutes: JSON.stringify({ calm: { candidates: [{ model: "m" }], ...(queue && { queue }) } }),
    },
  });
  stops.push(relay.stop, upstream.stop);
  const ask = (user: string, key = "test", init: { signal?: AbortSignal } = {}) =>
    relay.post(
      "/v1/chat/completions",
      { model: "calm", messages: MESSAGES, user },
      {
        ...init,
        headers: { authorization: `Bearer sk-${key}` },
      },
    );
  return { relay, upstream, ask, state, served };
}

test("a call waits while its route is busy, is served when it no longer is, and is charged once", async () => {
  const { relay, upstream, ask, state } = start();
  const waiting = ask("a");
  await until(() => upstream.received.length >= 2);
  state.isBusy = false;
  expect((await waiting).status).toBe(200);
  const row = await relay.billing.nextRecord();
  expect(row).toMatchObject({ quota: 15, failed: false });
  expect(row.other.queued_ms).toBeGreaterThan(100);
  expect(row.other.admin_info?.attempts).toHaveLength(2);
  expect([relay.billing.records.length, relay.billing.openHolds]).toEqual([1, 0]);
});

test("after the deadline the client gets the provider's refusal, and pays nothing", async () => {
  const { relay, ask } = start({ max_wait_ms: 300 });
  const startedMs = performance.now();
  expect((await ask("a")).status).toBe(429);
  expect(performance.now() - startedMs).toBeGreaterThan(290);
  expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, failed: true });
  expect(relay.billing.openHolds).toBe(0);
});

test("other errors and routes without a queue are refused at once", async () => {
  const broken = start();
  broken.state.status = 400;
  expect((await broken.ask("a")).status).toBe(400);
  expect(broken.upstream.received).toHaveLength(1);
  const plain = start(null);
  expect((await plain.ask("a")).status).toBe(429);
});

test("groups are served by their priority, then by arrival; a full queue refuses at once", async () => {
  const { upstream, ask, state, served } = start({ groups: ["vip"], max_length: 4 });
  const calls = [ask("first")];
  await until(() => upstream.received.length > 0);
  for (const [user, key] of [["second"], ["third"], ["vip", "vip"]] as const) {
    calls.push(ask(user, key));
    await Bun.sleep(40);
  }
  expect((await ask("too many")).status).toBe(429);
  state.isBusy = false;
  for (const response of await Promise.all(calls)) expect(response.status).toBe(200);
  // The first may have been on its way already.
  expect(served.filter((user) => user !== "first")).toEqual(["vip", "second", "third"]);
});

test("a client that leaves is removed from the queue, and those behind it go on", async () => {
  const { relay, upstream, ask, state, served } = start();
  const abort = new AbortController();
  const left = ask("left", "test", { signal: abort.signal }).catch(() => null);
  await until(() => upstream.received.length > 0);
  const behind = ask("behind");
  await Bun.sleep(300);
  abort.abort();
  await left;
  // On a busy machine the gateway notices later than the client that it left.
  await relay.billing.nextRecord();
  state.isBusy = false;
  expect((await behind).status).toBe(200);
  expect(served).toEqual(["behind"]);
  await relay.billing.nextRecord(2);
  expect(relay.billing.openHolds).toBe(0);
});

test("many calls are each served and charged once when the route is free again", async () => {
  const { relay, ask, state, served } = start();
  const calls = Array.from({ length: 30 }, (_, at) => ask(String(at)));
  await Bun.sleep(300);
  state.isBusy = false;
  for (const response of await Promise.all(calls)) expect(response.status).toBe(200);
  expect(served).toHaveLength(30);
  await relay.billing.nextRecord(30);
  expect(new Set(relay.billing.records.map(({ quota }) => quota))).toEqual(new Set([15]));
  expect(relay.billing.openHolds).toBe(0);
});
