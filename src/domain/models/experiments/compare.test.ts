import { expect, test } from "bun:test";
import { type Comparison, comparePairs, compareSides, type Metric, type Outcome } from "./compare.ts";

/** Repeatable numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A call with a long tail of latencies, as models have it. */
const call = (random: () => number, slower = 1, failing = 0.02): Outcome => {
  const latency = Math.round(slower * 800 * Math.exp(random() + random() + random() - 1.5));
  return { failed: random() < failing, latency, firstToken: latency / 4, cost: Math.round(200 * random()) + 100 };
};

const many = (count: number, make: () => Outcome): Outcome[] => Array.from({ length: count }, make);
const find = (metric: Metric, all: readonly Comparison[]): Comparison => {
  const found = all.find((each) => each.metric === metric);
  if (!found) throw new Error(`no ${metric}`);
  return found;
};

test("between equals less than one experiment in twenty seems to differ, at any of its looks", () => {
  const random = seeded(7);
  let alarms = 0;
  for (let run = 0; run < 400; run += 1) {
    const sides = [many(400, () => call(random)), many(400, () => call(random))] as const;
    const pairs = many(400, () => call(random)).map((control) => ({
      ...{ control, trial: call(random) },
      verdict: random() < 0.5 ? 1 : -1,
    }));
    const compared = run % 2 === 0 ? compareSides(...sides) : comparePairs(pairs);
    if (compared.some(({ better }) => better !== null)) alarms += 1;
  }
  expect(alarms / 400).toBeLessThan(0.05);
});

test("a quarter slower, and more errors, is found; what is alike is not", () => {
  const random = seeded(11);
  const compared = compareSides(
    many(800, () => call(random)),
    many(900, () => call(random, 1.25, 0.12)),
  );
  const latency = find("latency", compared);
  expect(latency).toMatchObject({ better: "control", calls: { control: expect.any(Number) } });
  expect(latency.decidedAt).toBeLessThanOrEqual(400);
  expect(latency.interval?.low).toBeGreaterThan(0);
  expect(find("errors", compared).better).toBe("control");
  expect(find("cost", compared)).toMatchObject({ better: null, decidedAt: null });
});

test("pairs find what differs less than calls differ among themselves", () => {
  const random = seeded(5);
  const controls = many(100, () => call(random, 1, 0));
  const trials = controls.map((control) => ({
    ...control,
    latency: control.latency * (0.85 + 0.1 * random()),
    cost: control.cost + 1,
  }));
  const pairs = controls.map((control, at) => ({ control, trial: trials[at] ?? control, verdict: at % 10 ? 1 : -1 }));
  const paired = comparePairs(pairs);
  expect(find("latency", paired)).toMatchObject({ better: "trial", decidedAt: 50 });
  expect(find("cost", paired)).toMatchObject({ better: "control", interval: { low: 1, high: 1 } });
  expect(find("judge", paired)).toMatchObject({ better: "trial", trial: 90, control: 10, decidedAt: 50 });
  expect(find("latency", compareSides(controls, trials)).decidedAt).not.toBe(50);
});

test("nothing is decided before the first look, nor of nothing", () => {
  const random = seeded(3);
  const compared = compareSides(
    many(49, () => call(random, 1, 0)),
    many(60, () => call(random, 9, 0)),
  );
  expect(find("latency", compared)).toMatchObject({ better: null, nextLook: 50 });
  for (const { control, better, interval } of comparePairs([])) {
    expect([control ?? 0, better, interval]).toEqual([0, null, null]);
  }
});

test("the interval agrees with the verdict where a few calls took very long", () => {
  const random = seeded(23);
  const pairs = many(60, () => call(random, 1, 0)).map((control, at) => {
    const latency = at % 10 === 9 ? control.latency + 20_000 : control.latency * (0.7 + 0.1 * random());
    return { control, trial: { ...control, latency }, verdict: null };
  });
  // The mean is higher, though nine of ten calls are faster.
  const latency = find("latency", comparePairs(pairs));
  expect(latency.better).toBe("trial");
  expect(latency.interval?.high).toBeLessThan(0);
});
