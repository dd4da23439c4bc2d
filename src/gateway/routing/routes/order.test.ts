import { describe, expect, test } from "bun:test";
import type { Strategy } from "../../../settings/option/model-routes.ts";
import { type Contender, EXPLORED_SHARE, type Figures, orderContenders } from "./order.ts";

const IDLE: Figures = { firstTokenMs: null, tokensPerSecond: null, latencyMs: null, cost: null, inFlight: 0 };
const contender = (name: string, figures: Partial<Figures> = {}, more: Partial<Contender> = {}) => ({
  name,
  weight: 1,
  rank: 0 as const,
  ...more,
  figures: { ...IDLE, ...figures },
});
const never = () => 0.999;
const order = (strategy: Strategy, contenders: readonly ReturnType<typeof contender>[], random = never) =>
  orderContenders(strategy, contenders, random).map(({ name }) => name);

/** Repeatable random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test("priority keeps the route's own order", () => {
  expect(order("priority", [contender("a"), contender("b"), contender("c")])).toEqual(["a", "b", "c"]);
});

describe("weighted", () => {
  const weights = { a: 70, b: 20, c: 10 };
  const contenders = Object.entries(weights).map(([name, weight]) => contender(name, {}, { weight }));

  /** Pearson's statistic of the counts against their expected values. */
  const chiSquared = (counts: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>) =>
    Object.entries(expected).reduce((sum, [name, count]) => sum + ((counts[name] ?? 0) - count) ** 2 / count, 0);

  test("each comes first with its share of the weights", () => {
    const random = seeded(42);
    const draws = 20_000;
    const counts: Record<string, number> = {};
    for (let draw = 0; draw < draws; draw += 1) {
      const [first = ""] = order("weighted", contenders, random);
      counts[first] = (counts[first] ?? 0) + 1;
    }
    // 13.8 is exceeded by chance once in a thousand (2 degrees of freedom).
    expect(chiSquared(counts, { a: draws * 0.7, b: draws * 0.2, c: draws * 0.1 })).toBeLessThan(13.8);
    expect(chiSquared(counts, { a: draws * 0.6, b: draws * 0.3, c: draws * 0.1 })).toBeGreaterThan(13.8);
  });

  test("of the rest each comes second with its share of theirs", () => {
    const random = seeded(7);
    const counts: Record<string, number> = {};
    let draws = 0;
    for (let draw = 0; draw < 20_000; draw += 1) {
      const [first, second = ""] = order("weighted", contenders, random);
      if (first !== "a") continue;
      draws += 1;
      counts[second] = (counts[second] ?? 0) + 1;
    }
    // 10.8 is exceeded by chance once in a thousand (1 degree of freedom).
    expect(chiSquared(counts, { b: (draws * 2) / 3, c: draws / 3 })).toBeLessThan(10.8);
  });

  test("a weight of 0 comes after all others", () => {
    const withZero = [contender("zero", {}, { weight: 0 }), ...contenders];
    const random = seeded(1);
    for (let draw = 0; draw < 200; draw += 1) expect(order("weighted", withZero, random).at(-1)).toBe("zero");
  });
});

test.each([
  ["least-latency", { latencyMs: 900 }, { latencyMs: 300 }],
  ["least-cost", { cost: 9 }, { cost: 0 }],
  ["least-busy", { inFlight: 2 }, { inFlight: 0.5 }],
  ["balanced", { latencyMs: 500, cost: 30, inFlight: 1 }, { latencyMs: 600, cost: 10, inFlight: 1 }],
] as const)("%s: the lowest figure first, unknown ones last, the route's order among equals", (strategy, high, low) => {
  const contenders = [contender("high", high), contender("low", low), contender("same", low)];
  expect(order(strategy, contenders)).toEqual(["low", "same", "high"]);
  if (strategy === "least-busy") return;
  expect(order(strategy, [contender("unknown"), ...contenders]).at(strategy === "balanced" ? -2 : -1)).toBe("unknown");
});

test("balanced weighs latency, cost and load alike", () => {
  const fast = contender("fast", { latencyMs: 100, cost: 400, inFlight: 0 });
  const cheap = contender("cheap", { latencyMs: 300, cost: 100, inFlight: 0 });
  const both = contender("both", { latencyMs: 150, cost: 150, inFlight: 0 });
  expect(order("balanced", [fast, cheap, both])).toEqual(["both", "cheap", "fast"]);
});

test("a share of the calls tries a candidate without figures first", () => {
  const contenders = [contender("known", { latencyMs: 10 }), contender("new")];
  const random = seeded(3);
  let explored = 0;
  for (let draw = 0; draw < 5_000; draw += 1)
    if (order("least-latency", contenders, random)[0] === "new") explored += 1;
  expect(Math.abs(explored / 5_000 - EXPLORED_SHARE)).toBeLessThan(0.02);
  expect(order("least-latency", [contender("a"), contender("b")], () => 0)).toEqual(["a", "b"]);
});

test.each(["priority", "weighted", "least-latency", "least-cost", "least-busy", "balanced"] as const)(
  "%s: those that probably fail come last, but are tried",
  (strategy) => {
    const contenders = [
      contender("cooling", { latencyMs: 1, cost: 1 }, { rank: 2, weight: 1_000 }),
      contender("unfit", { latencyMs: 1, cost: 1 }, { rank: 1, weight: 1_000 }),
      contender("ready", { latencyMs: 900, cost: 900, inFlight: 9 }),
    ];
    expect(order(strategy, contenders)).toEqual(["ready", "unfit", "cooling"]);
  },
);

test.each<[Strategy, readonly number[], string]>([
  ["least-latency", [0.05, 0], "first known second"],
  ["least-latency", [0.099, 0.6], "second known first"],
  ["balanced", [0.05, 0.6], "second known first"],
  ["least-latency", [0.1, 0.6], "known first second"],
  ["least-latency", [0.9, 0], "known first second"],
  ["least-cost", [0, 0], "known first second"],
  ["least-busy", [0, 0.6], "known first second"],
  ["priority", [0, 0.6], "known first second"],
])("%s, with the random numbers %p, tries in the order %s", (strategy, numbers, expected) => {
  const left = [...numbers];
  const contenders = [contender("known", { latencyMs: 10 }), contender("first"), contender("second")];
  expect(order(strategy, contenders, () => left.shift() ?? 0).join(" ")).toBe(expected);
});

test("where nothing is known of any, or only of those that can't serve now, none is tried before the others", () => {
  const draws = () => {
    const left = [0, 0.9];
    return () => left.shift() ?? 0.9;
  };
  expect(order("least-latency", [contender("a"), contender("b")], draws())).toEqual(["a", "b"]);
  const cooling = contender("cooling", {}, { rank: 2 });
  expect(order("least-latency", [contender("known", { latencyMs: 1 }), cooling], draws())).toEqual([
    "known",
    "cooling",
  ]);
});

/** Latency, cost and calls under way. */
test.each<[string, x: (number | null)[], y: (number | null)[]]>([
  ["by how many times as much as the best each is", [99, 19, 1], [399, 9, 0]],
  ["a call under way is as much as twice the latency", [175, 10, 0], [100, 10, 1]],
  ["without what is not known of any", [100, null, 0], [200, null, 0]],
  ["what is not known counts as the worst that is", [100, null, 0], [210, 20, 0]],
])("balanced: %s", (_what, first, second) => {
  const named = (name: string, [latencyMs = null, cost = null, inFlight]: readonly (number | null)[]) =>
    contender(name, { latencyMs, cost, inFlight: inFlight ?? 0 });
  const [x, y] = [named("x", first), named("y", second)];
  expect(order("balanced", [x, y])).toEqual(["x", "y"]);
  expect(order("balanced", [y, x])).toEqual(["x", "y"]);
});
