/** Attempts that are answered by hand, so that each order of events is one of the test's own. */
import { expect, test } from "bun:test";
import { channelEntry } from "../../../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../../../test/support/lib/settings.ts";
import { until } from "../../../../../test/support/lib/until.ts";
import type { Attempt } from "../../../../billing/types.ts";
import type { Call } from "../../../call/call.ts";
import { AttemptLog, CallTiming, ClientPresence } from "../../../call/progress.ts";
import type { Choice, Route } from "../../../call/route.ts";
import { createPrices } from "../../../money/price.ts";
import type { Answer } from "../../../upstream/receive.ts";
import type { Router } from "../../router.ts";
import { hedged } from "./race-channels.ts";

const MODEL = "m";
/** 1,000 tokens at one unit each, whatever the group pays. */
const COST = 1000;
const prices = createPrices(fixedSettings({ ModelRatio: `{"${MODEL}":1}`, GroupRatio: '{"half":0.5}' }));
const price = prices.of({ group: "half", user: { acceptUnsetPrice: false } }, MODEL, MODEL);
const [first, second] = [1, 2].map((id) => ({ channel: channelEntry({ id }), key: `key-${id}` })) as [Choice, Choice];
const routeOf = ({ channel, key }: Choice) => ({ channel, key, price }) as Route;

type Options = Readonly<{
  afterMs?: number | null;
  p95?: number | null;
  alternative?: Choice | null;
  hasBudget?: boolean;
  isPriced?: boolean;
  isTraced?: boolean;
}>;

/** Races for one call. `lanes` has the attempts in their order; `events` what was reported, in its order. */
function race(options: Options = {}) {
  const {
    afterMs = 1,
    p95 = null,
    alternative = second,
    hasBudget = true,
    isPriced = true,
    isTraced = false,
  } = options;
  const events: unknown[] = [];
  const lanes: { call: Call; answer: () => void; fail: (error: Error) => void }[] = [];
  const request = new Request("http://localhost");
  const timing = new CallTiming(performance.now() - 1_000);
  const trace = {
    failAttempt: ({ channelId, isCancelled }: Attempt) => events.push(["span failed", channelId, isCancelled]),
    beginAttempt: ({ channel }: Route) => events.push(["span began", channel.id]),
  };
  const call = {
    ...{ request, summary: { model: MODEL }, typicalTokens: COST },
    ...{ progress: { client: new ClientPresence(request), attempts: new AttemptLog(), timing } },
    trace: isTraced ? trace : null,
  } as unknown as Call;
  const hedges = {
    observe: (channelId: number, model: string, ms: number) => events.push(["observed", channelId, model, ms < 900]),
    p95: () => p95,
    spend: (route: string, cost: number) => events.push(["spent", route, cost]),
    reserve(route: string, cost: number, most: number) {
      events.push(["reserved", route, cost, most]);
      return hasBudget;
    },
    release: (route: string, cost: number) => events.push(["released", route, cost]),
    learn() {},
  };
  const router = {
    admittedAlternativeTo: async ({ channel }: Choice) => {
      events.push(["asked", channel.id]);
      return alternative;
    },
    noteFailure: ({ channel }: Choice, error: Error) => events.push(["failed", channel.id, error.message]),
    servedBy: ({ channel }: Choice) => events.push(["served by", channel.id]),
  } as unknown as Router;
  const hedge = { route: "fast", afterMs, maxExtraPercent: 20 };
  const tryChannel = hedged<{ prices: typeof prices; hedges: typeof hedges }>(hedge, (_context, model, choice) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { channel } = choice;
    const entry = model.call.progress.attempts.begin(choice, 0);
    model.call.progress.attempts.latest = isPriced ? routeOf(choice) : { ...routeOf(choice), price: null };
    model.call.progress.client.onLeave = () => events.push(["cancelled", channel.id]);
    const exchange = { abort: () => events.push(["discarded", channel.id]) };
    const answer = { kind: "stream", exchange, route: routeOf(choice) } as unknown as Answer;
    const fail = (error: Error) => {
      entry.error = error.message;
      reject(error);
    };
    lanes.push({ call: model.call, answer: () => resolve(answer), fail });
    return promise;
  });
  const racing = tryChannel(
    { prices, hedges },
    { call, prices: { price, byName: null, byChannel: null } },
    first,
    router,
  );
  const outcome = racing.then(
    ({ route }) => route.channel.id,
    (error: Error) => error.message,
  );
  const entries = () =>
    call.progress.attempts.entries.map(({ channelId, isCancelled, cost }) => [channelId, isCancelled, cost]);
  return { call, events, lanes, outcome, entries, bothRun: () => until(() => lanes.length === 2) };
}

const SPENT = ["spent", "fast", COST];
const RESERVED = ["reserved", "fast", COST, 20];
const OBSERVED = ["observed", 1, MODEL, true];

test("an attempt that responds in time is the only one; the call goes on as it left it", async () => {
  const { call, events, lanes, outcome, entries } = race({ afterMs: 60_000 });
  expect(call.progress.attempts.entries).toEqual([]);
  lanes[0]?.answer();
  expect(await outcome).toBe(1);
  expect(events).toEqual([SPENT, OBSERVED, ["served by", 1]]);
  expect(entries()).toEqual([[1, undefined, undefined]]);
  expect(call.progress.attempts.latest?.channel.id).toBe(1);
  // The race was a wait for upstreams, from its own beginning on.
  expect(call.progress.timing.waitedMs).toBeGreaterThan(0);
  expect(call.progress.timing.waitedMs).toBeLessThan(900);
  call.progress.client.leave();
  expect(events.at(-1)).toEqual(["cancelled", 1]);
});

test("a late one is cancelled for the second that responds, and logged before it with its cost", async () => {
  const { call, events, lanes, outcome, entries, bothRun } = race({ isTraced: true });
  await bothRun();
  expect([lanes[0]?.call.trace !== null, lanes[1]?.call.trace]).toEqual([true, null]);
  lanes[1]?.answer();
  expect(await outcome).toBe(2);
  expect(events).toEqual([
    ...[SPENT, ["asked", 1], RESERVED, OBSERVED, ["cancelled", 1]],
    ...[
      ["span failed", 1, true],
      ["span began", 2],
      ["served by", 2],
    ],
  ]);
  expect(entries()).toEqual([
    [1, true, COST],
    [2, undefined, undefined],
  ]);
  expect(call.progress.attempts.entries[0]?.endMs).toBeGreaterThanOrEqual(1_000);
  expect(call.progress.attempts.latest?.channel.id).toBe(2);
  expect(lanes.map(({ call: lane }) => lane.progress.client.hasLeft)).toEqual([true, false]);
  // Its own entry is another one by now: what becomes of it changes the log no more.
  lanes[0]?.answer();
  await until(() => events.length > 8);
  expect(events.at(-1)).toEqual(["discarded", 1]);
  call.progress.client.leave();
  expect(events.at(-1)).toEqual(["cancelled", 2]);
});

test("the first wins although the second was called", async () => {
  const { events, lanes, outcome, entries, bothRun } = race({ isTraced: true });
  await bothRun();
  lanes[0]?.answer();
  expect(await outcome).toBe(1);
  expect(events).toEqual([SPENT, ["asked", 1], RESERVED, OBSERVED, ["cancelled", 2], ["served by", 1]]);
  expect(entries()).toEqual([
    [2, true, COST],
    [1, undefined, undefined],
  ]);
});

test("one that failed meanwhile is reported as failed, and was not cancelled", async () => {
  const { events, lanes, outcome, entries, bothRun } = race({ isTraced: true });
  await bothRun();
  lanes[0]?.fail(new Error("one"));
  await Bun.sleep(0);
  lanes[1]?.answer();
  expect(await outcome).toBe(2);
  expect(events).toEqual([
    ...[SPENT, ["asked", 1], RESERVED, OBSERVED, ["failed", 1, "one"]],
    ...[
      ["span failed", 1, undefined],
      ["span began", 2],
      ["served by", 2],
    ],
  ]);
  expect(entries()).toEqual([
    [1, undefined, undefined],
    [2, undefined, undefined],
  ]);
});

test("where both fail, the first error counts, and only the second failure is reported here", async () => {
  const { call, events, lanes, outcome, entries, bothRun } = race();
  await bothRun();
  lanes[1]?.fail(new Error("two"));
  await Bun.sleep(0);
  lanes[0]?.fail(new Error("one"));
  expect(await outcome).toBe("one");
  expect(events).toEqual([SPENT, ["asked", 1], RESERVED, ["released", "fast", COST], ["failed", 2, "two"]]);
  expect(entries()).toEqual([
    [1, undefined, undefined],
    [2, undefined, undefined],
  ]);
  expect(call.progress.attempts.latest?.channel.id).toBe(2);
  expect(call.progress.timing.waitedMs).toBeGreaterThan(0);
});

test("one that fails in time leaves the next to whoever tries channels", async () => {
  const { events, lanes, outcome, entries } = race({ afterMs: 60_000 });
  lanes[0]?.fail(new Error("one"));
  expect(await outcome).toBe("one");
  expect(events).toEqual([SPENT]);
  expect(entries()).toEqual([[1, undefined, undefined]]);
});

test.each([
  ["no other channel", { alternative: null }, [SPENT, ["asked", 1]]],
  ["no budget", { hasBudget: false }, [SPENT, ["asked", 1], RESERVED]],
] as const)("with %s it waits for the first", async (_, options, expected) => {
  const { events, lanes, outcome } = race(options);
  await until(() => events.length === expected.length);
  expect(events).toEqual([...expected]);
  await Bun.sleep(0);
  expect(lanes).toHaveLength(1);
  lanes[0]?.answer();
  expect(await outcome).toBe(1);
});

test.each([
  ["its 95th percentile", 1, 2],
  ["no time at all while that is not known", null, 1],
] as const)("without a delay of its own a channel has %s", async (_, p95, called) => {
  const { lanes, outcome, bothRun } = race({ afterMs: null, p95 });
  if (called === 2) await bothRun();
  else await Bun.sleep(5);
  expect(lanes).toHaveLength(called);
  lanes[0]?.answer();
  expect(await outcome).toBe(1);
});

test("a client that leaves ends all attempts, and no other begins", async () => {
  const both = race();
  await both.bothRun();
  both.call.progress.client.leave();
  expect(both.events.slice(-2)).toEqual([
    ["cancelled", 1],
    ["cancelled", 2],
  ]);
  for (const { fail } of both.lanes) fail(new Error("left"));
  expect(await both.outcome).toBe("left");

  const one = race();
  one.call.progress.client.leave();
  await Bun.sleep(5);
  expect(one.events).toEqual([SPENT, ["cancelled", 1]]);
  one.lanes[0]?.fail(new Error("left"));
  expect(await one.outcome).toBe("left");
});

test("an attempt without a price costs nothing", async () => {
  const { events, lanes, outcome } = race({ afterMs: 60_000, isPriced: false });
  lanes[0]?.answer();
  await outcome;
  expect(events[0]).toEqual(["spent", "fast", 0]);
});
