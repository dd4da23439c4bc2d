import { expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { createCoolDown } from "../upstream/keys/cool-down.ts";
import { createKeyTraffic } from "../upstream/keys/key-traffic.ts";
import { createCallQueues } from "./routes/busy/call-queues.ts";
import { createHedges } from "./routes/busy/hedges.ts";
import { createConversationModels } from "./routes/conversation-models.ts";
import { createSpeeds } from "./routes/speeds.ts";
import { createStickiness } from "./scheduler/stickiness.ts";
import { createWorkerNews, learnNews } from "./worker-news.ts";

/** The memory of two workers; `exchange` sends each what the other knows, as it crosses the line between processes. */
function twoWorkers() {
  let now = 1_000_000;
  const clock = () => now;
  const worker = (number: number) => {
    const news = createWorkerNews();
    const memory = {
      traffic: createKeyTraffic(clock, {}, news.ended),
      coolDown: createCoolDown(clock, news.key),
      speeds: createSpeeds(clock, news.speed),
      hedges: createHedges(clock, news.hedge),
      stickiness: createStickiness(clock, news.conversation),
      conversationModels: createConversationModels(news.model),
      queues: createCallQueues(clock),
    };
    return { number, memory, take: () => news.take(memory.traffic.underWay(), memory.queues.heads()) };
  };
  const [one, other] = [worker(1), worker(2)];
  const exchange = () => {
    for (const [from, to] of [[one, other] as const, [other, one] as const]) {
      const news = from.take();
      if (news) learnNews(to.memory, from.number, structuredClone(news));
    }
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { one, other, exchange, pass };
}

const CHANNEL = channelEntry({ id: 1 });

test("calls in progress and those that ended are counted over workers, once each", () => {
  const { one, other, exchange } = twoWorkers();
  for (const { memory } of [one, other, one]) memory.traffic.begin(1, "a");
  exchange();
  for (const { memory } of [one, other]) {
    expect([memory.traffic.inFlight(1), memory.traffic.of(1, "a").inFlight]).toEqual([3, 3]);
  }
  one.memory.traffic.end(1, "a", false, 100);
  one.memory.traffic.end(1, "a", true, 5);
  other.memory.traffic.end(1, "a", false, 50);
  exchange();
  exchange();
  for (const { memory } of [one, other]) {
    expect(memory.traffic.inFlight(1)).toBe(0);
    expect(memory.traffic.of(1, "a").slots.at(-1)).toMatchObject({ count: 3, failed: 1, elapsedMs: 150 });
  }
});

test("the calls of a worker that ended are in progress no more", () => {
  const { one, other, exchange } = twoWorkers();
  one.memory.traffic.begin(1, "a");
  exchange();
  expect(other.memory.traffic.inFlight(1)).toBe(1);
  learnNews(other.memory, 1, null);
  expect(other.memory.traffic.inFlight(1)).toBe(0);
});

test("failures in a row count over workers, and so do pauses and their end", () => {
  const { one, other, exchange, pass } = twoWorkers();
  one.memory.coolDown.failed(1, "a");
  exchange();
  other.memory.coolDown.failed(1, "a");
  exchange();
  one.memory.coolDown.failed(1, "a");
  expect(other.memory.coolDown.isCooling(1, "a")).toBe(false);
  exchange();
  expect(other.memory.coolDown.isCooling(1, "a")).toBe(true);
  pass(5001);
  expect(other.memory.coolDown.isCooling(1, "a")).toBe(false);
  other.memory.coolDown.succeeded(1, "a");
  exchange();
  expect(one.memory.coolDown.stateOf(1, "a")).toBeNull();
  one.memory.coolDown.limited(1, "b", 10_000);
  exchange();
  expect(other.memory.coolDown.isCooling(1, "b")).toBe(true);
  pass(10_001);
  expect(other.memory.coolDown.isCooling(1, "b")).toBe(false);
});

test("few tokens left are known to all, fill up with time, and hold up only longer prompts", () => {
  const { one, other, exchange, pass } = twoWorkers();
  one.memory.coolDown.allow(1, "a", { left: 1000, most: 5000, seenAt: 1_000_000, fullAt: 1_060_000 });
  exchange();
  for (const { memory } of [one, other]) {
    expect([1000, 1001].map((tokens) => memory.coolDown.isCooling(1, "a", tokens))).toEqual([false, true]);
    expect([memory.coolDown.stateOf(1, "a"), memory.coolDown.hasAllowances()]).toEqual([null, true]);
    // A success does not bring tokens back.
    memory.coolDown.succeeded(1, "a");
  }
  pass(30_000);
  expect([3000, 3001].map((tokens) => other.memory.coolDown.isCooling(1, "a", tokens))).toEqual([false, true]);
  one.memory.coolDown.begin(1, "a", 2500);
  expect([500, 501].map((tokens) => one.memory.coolDown.isCooling(1, "a", tokens))).toEqual([false, true]);
  one.memory.coolDown.allow(1, "a", null);
  exchange();
  for (const { memory } of [one, other]) {
    expect([memory.coolDown.isCooling(1, "a", 9999), memory.coolDown.hasAllowances()]).toEqual([false, false]);
  }
});

test("speeds weigh by the calls behind them", () => {
  const { one, other, exchange } = twoWorkers();
  other.memory.speeds.observe(1, "m", { firstTokenMs: 1000, tokensPerSecond: null });
  for (const firstTokenMs of [100, 200]) one.memory.speeds.observe(1, "m", { firstTokenMs, tokensPerSecond: 50 });
  exchange();
  // Two calls of 150 ms after one of 1000 ms: each weighs a fifth.
  expect(other.memory.speeds.find(1, "m")?.firstTokenMs).toBeCloseTo(150 + 0.8 ** 2 * 850);
  expect(other.memory.speeds.find(1, "m")?.tokensPerSecond).toBe(50);
});

test("what hedges may spend is one budget, and their times to first token are known to all", () => {
  const { one, other, exchange } = twoWorkers();
  one.memory.hedges.spend("r", 1000);
  for (let call = 0; call < 20; call += 1) one.memory.hedges.observe(1, "m", 100);
  exchange();
  expect(other.memory.hedges.p95(1, "m")).toBe(100);
  expect(other.memory.hedges.reserve("r", 100, 10)).toBe(true);
  exchange();
  expect(one.memory.hedges.reserve("r", 1, 10)).toBe(false);
  other.memory.hedges.release("r", 100);
  exchange();
  expect(one.memory.hedges.reserve("r", 100, 10)).toBe(true);
});

test("a conversation goes on at its channel and model, whoever takes its next call", () => {
  const { one, other, exchange, pass } = twoWorkers();
  const conversation = 0xfedcba9876543210n;
  one.memory.stickiness.keep(conversation, { channel: CHANNEL, key: "a" });
  one.memory.conversationModels.keep(conversation, "m");
  exchange();
  expect(other.memory.stickiness.find(conversation)).toMatchObject({ channelId: 1, key: "a" });
  expect(other.memory.conversationModels.find(conversation)).toBe("m");
  // It is sent again before the others forget it, and not with each call.
  pass(60_000);
  one.memory.stickiness.keep(conversation, { channel: CHANNEL, key: "a" });
  expect(one.take()).toBeNull();
  pass(5 * 60_000);
  one.memory.stickiness.keep(conversation, { channel: CHANNEL, key: "a" });
  exchange();
  pass(9 * 60_000);
  expect(other.memory.stickiness.find(conversation)).not.toBeNull();
  other.memory.stickiness.forget(conversation);
  exchange();
  expect(one.memory.stickiness.find(conversation)).toBeNull();
});

test("workers without calls say nothing", () => {
  const { one, exchange } = twoWorkers();
  expect(one.take()).toBeNull();
  one.memory.traffic.begin(1, "a");
  one.memory.traffic.end(1, "a", null, 5);
  exchange();
  expect(one.take()).toBeNull();
});
