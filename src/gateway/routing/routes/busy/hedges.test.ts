import { describe, expect, test } from "bun:test";
import { createHedges, type HedgeNews } from "./hedges.ts";

function create() {
  const state = { now: 0 };
  const news: HedgeNews[] = [];
  return {
    state,
    news,
    hedges: createHedges(
      () => state.now,
      (each) => void news.push(each),
    ),
  };
}

describe("the time to the first token", () => {
  test("is known from twenty calls on, and for each channel and model by itself", () => {
    const { hedges } = create();
    for (let call = 1; call < 20; call += 1) hedges.observe(1, "m", 100);
    expect(hedges.p95(1, "m")).toBeNull();
    hedges.observe(1, "m", 100);
    expect([hedges.p95(1, "m"), hedges.p95(2, "m"), hedges.p95(1, "n")]).toEqual([100, null, null]);
  });

  test("is that which 95 of 100 calls stay below, whatever their order", () => {
    const { hedges } = create();
    for (let call = 0; call < 20; call += 1) hedges.observe(1, "m", ((call * 7) % 20) + 1);
    expect(hedges.p95(1, "m")).toBe(19);
    hedges.observe(1, "m", 0);
    expect(hedges.p95(1, "m")).toBe(19);
    for (let call = 0; call < 19; call += 1) hedges.observe(1, "m", 0);
    expect(hedges.p95(1, "m")).toBe(18);
  });

  test("is that of the latest 64 calls", () => {
    const { hedges } = create();
    for (let call = 0; call < 64; call += 1) hedges.observe(1, "m", 1000);
    for (let call = 0; call < 60; call += 1) hedges.observe(1, "m", 1);
    // Four of 64 are more than one in twenty.
    expect(hedges.p95(1, "m")).toBe(1000);
    hedges.observe(1, "m", 1);
    expect(hedges.p95(1, "m")).toBe(1);
  });
});

describe("a route's budget", () => {
  test("is a share of what its calls cost, and used up by what is cancelled", () => {
    const { hedges } = create();
    expect(hedges.reserve("r", 1, 10)).toBe(false);
    hedges.spend("r", 100);
    expect([hedges.reserve("r", 11, 10), hedges.reserve("r", 6, 10), hedges.reserve("r", 5, 10)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(hedges.reserve("r", 4, 10)).toBe(true);
    hedges.release("r", 4);
    expect([hedges.reserve("r", 5, 10), hedges.reserve("r", 4, 10)]).toEqual([false, true]);
    expect(hedges.reserve("other", 1, 10)).toBe(false);
  });

  test("never grows by what is given back", () => {
    const { hedges } = create();
    hedges.spend("r", 100);
    hedges.release("r", 50);
    expect([hedges.reserve("r", 11, 10), hedges.reserve("r", 10, 10)]).toEqual([false, true]);
  });

  test("forgets half of both within half an hour, and half of the rest within the next", () => {
    const halfHour = 30 * 60_000;
    const { hedges, state } = create();
    hedges.spend("r", 800);
    expect(hedges.reserve("r", 80, 10)).toBe(true);
    state.now = halfHour - 1;
    expect(hedges.reserve("r", 1, 10)).toBe(false);
    // 400 spent, 40 of them extra.
    state.now = halfHour;
    expect([hedges.reserve("r", 1, 10), hedges.reserve("r", 40, 20), hedges.reserve("r", 1, 20)]).toEqual([
      false,
      true,
      false,
    ]);
    hedges.release("r", 80);
    expect([hedges.reserve("r", 41, 10), hedges.reserve("r", 40, 10)]).toEqual([false, true]);
    hedges.release("r", 40);
    state.now = 3 * halfHour;
    expect([hedges.reserve("r", 11, 10), hedges.reserve("r", 10, 10)]).toEqual([false, true]);
  });

  test("counts what other workers report, without reporting it again", () => {
    const { hedges, news } = create();
    hedges.learn({ route: "r", spent: 100, extra: 4 });
    expect([hedges.reserve("r", 7, 10), hedges.reserve("r", 6, 10)]).toEqual([false, true]);
    hedges.spend("r", 10);
    hedges.release("r", 2);
    hedges.observe(3, "m", 9);
    expect(news).toEqual([
      { route: "r", spent: 0, extra: 6 },
      { route: "r", spent: 10, extra: 0 },
      { route: "r", spent: 0, extra: -2 },
      { channelId: 3, model: "m", firstTokenMs: 9 },
    ]);
  });
});
