import { describe, expect, test } from "bun:test";
import { excessChunks, partLength, partStart, requiredChunks } from "./chunks.ts";

describe("requiredChunks", () => {
  test.each([
    ["the first screen is in the first chunk", { first: 0, last: 20 }, 1_000_000, [0]],
    ["the next one comes before its rows are in sight", { first: 25, last: 45 }, 1_000_000, [0, 1]],
    ["the one before comes back", { first: 140, last: 160 }, 1_000_000, [0, 1, 2]],
    ["a screen in the middle of a chunk", { first: 5_460, last: 5_480 }, 1_000_000, [54, 55]],
    ["the last chunk is the last", { first: 999_980, last: 999_999 }, 1_000_000, [9_999]],
    ["a list that became shorter", { first: 480, last: 500 }, 130, [1]],
    ["no rows, no chunks", { first: 0, last: 0 }, 0, []],
  ])("%s", (_, range, total, chunks) => {
    expect(requiredChunks(range, total)).toEqual(chunks);
  });
});

describe("excessChunks", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

  test("twenty chunks stay", () => {
    expect(excessChunks(upTo(20), { first: 1_900, last: 1_920 })).toEqual([]);
  });

  test("the farthest ones are removed, also after a jump", () => {
    expect(excessChunks(upTo(23), { first: 2_200, last: 2_220 }).toSorted()).toEqual([0, 1, 2]);
    expect(excessChunks([...upTo(20), 9_999], { first: 999_980, last: 999_999 })).toEqual([0]);
  });
});

describe("partStart", () => {
  const TOTAL = 1_000_000;

  test("a short list is one part", () => {
    expect(partStart(0, { first: 99_970, last: 99_999 }, 100_000)).toBe(0);
    expect(partLength(0, 100_000)).toBe(100_000);
  });

  test("the part stays while it is scrolled, and moves on before it ends", () => {
    expect(partStart(0, { first: 50_000, last: 50_020 }, TOTAL)).toBe(0);
    const next = partStart(0, { first: 98_000, last: 98_020 }, TOTAL);
    expect(next).toBe(48_010);
    expect(partStart(next, { first: 98_000, last: 98_020 }, TOTAL)).toBe(next);
  });

  test("scrolled down and up, the ends are reached, and no row is left out", () => {
    let start = 0;
    for (let first = 0; first < TOTAL - 20; first += 1_000) {
      start = partStart(start, { first, last: first + 20 }, TOTAL);
      expect(first).toBeGreaterThanOrEqual(start);
      expect(first + 20).toBeLessThan(start + partLength(start, TOTAL));
    }
    expect(start + partLength(start, TOTAL)).toBe(TOTAL);
    for (let first = TOTAL - 20; first >= 0; first -= 1_000)
      start = partStart(start, { first, last: first + 20 }, TOTAL);
    expect(start).toBe(0);
  });

  test("a jump to the end and back", () => {
    const end = partStart(0, { first: TOTAL - 1, last: TOTAL - 1 }, TOTAL);
    expect(end + partLength(end, TOTAL)).toBe(TOTAL);
    expect(partStart(end, { first: 0, last: 0 }, TOTAL)).toBe(0);
  });
});
