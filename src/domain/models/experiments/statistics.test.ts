import { describe, expect, test } from "bun:test";
import {
  fisherExact,
  mannWhitney,
  medianOf,
  pairedInterval,
  shiftInterval,
  signTest,
  wilcoxonSignedRank,
} from "./statistics.ts";

describe("against published values", () => {
  test("Fisher: the lady tasting tea, and a table of R's documentation", () => {
    // fisher.test(matrix(c(3,1,1,3),2))$p.value = 0.4857
    expect(fisherExact({ count: 3, of: 4 }, { count: 1, of: 4 })).toBeCloseTo(0.4857, 4);
    // Convictions of like-sex twins of criminals (Fisher 1962): fisher.test → 0.0005367
    expect(fisherExact({ count: 2, of: 17 }, { count: 10, of: 13 })).toBeCloseTo(0.0005367, 6);
    expect(fisherExact({ count: 0, of: 50 }, { count: 0, of: 50 })).toBe(1);
  });

  test("sign test: binom.test(8, 10) and binom.test(0, 5) of R", () => {
    expect(signTest(8, 2)).toBeCloseTo(0.1094, 4);
    expect(signTest(0, 5)).toBeCloseTo(0.0625, 6);
    expect(signTest(0, 0)).toBe(1);
  });

  test("Mann–Whitney: wilcox.test(x, y, exact = FALSE) of R", () => {
    // R's documentation, permeability of tissues (Hollander & Wolfe 1973, 69f): W = 35 of 50, so z = (10 − 0.5) / √66.67.
    const x = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    const y = [1.15, 0.88, 0.9, 0.74, 1.21];
    const result = mannWhitney(x, y);
    expect(result.p).toBeCloseTo(0.2448, 3);
    expect(result.lead).toBe(-10);
    expect(mannWhitney([1, 1, 1], [1, 1]).p).toBe(1);
  });

  test("Wilcoxon: depression scale of R's documentation (Hollander & Wolfe 1973, 29f)", () => {
    const first = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    const { p, lead } = wilcoxonSignedRank(first.map((value, at) => (second[at] ?? 0) - value));
    // V = 40 of 45 → z = (40 − 22.5 − 0.5) / √71.25 = 2.014
    expect(p).toBeCloseTo(0.04401, 4);
    expect(lead).toBe(-17.5);
    expect(wilcoxonSignedRank([0, 0]).p).toBe(1);
  });
});

describe("intervals of the typical difference", () => {
  const values = [7.1, 0.2, 3.3, 3.3, 9.8, -2.5, 4.4, 6.05, 1.5, 2.75, 8, 5.5, 0.9, 3.1, -1.2];

  test("are the ordered pairwise differences and averages, counted one by one", () => {
    const others = values.map((value, at) => value * 1.3 + (at % 4));
    const [n, m] = [values.length, others.length];
    const differences = others.flatMap((y) => values.map((x) => y - x)).sort((a, b) => a - b);
    const skipped = Math.floor((n * m) / 2 - 1.959964 * Math.sqrt((n * m * (n + m + 1)) / 12));
    const shift = shiftInterval(values, others);
    expect(shift?.low).toBeCloseTo(differences[skipped] ?? Number.NaN, 9);
    expect(shift?.high).toBeCloseTo(differences.at(-1 - skipped) ?? Number.NaN, 9);

    const averages = values.flatMap((x, at) => values.slice(at).map((y) => (x + y) / 2)).sort((a, b) => a - b);
    const outside = Math.floor((n * (n + 1)) / 4 - 1.959964 * Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24));
    const paired = pairedInterval(values);
    expect(paired?.low).toBeCloseTo(averages[outside] ?? Number.NaN, 9);
    expect(paired?.high).toBeCloseTo(averages.at(-1 - outside) ?? Number.NaN, 9);
  });

  test("of few or equal values span what there is", () => {
    expect(pairedInterval([4])).toEqual({ low: 4, high: 4 });
    expect(pairedInterval([1, 1, 1, 1, 1, 1, 1, 1])).toEqual({ low: 1, high: 1 });
    expect(shiftInterval([1, 2], [5])).toEqual({ low: 3, high: 4 });
    expect([pairedInterval([]), shiftInterval([], [1])]).toEqual([null, null]);
  });
});

test("median", () => {
  expect(medianOf([3, 1, 2])).toBe(2);
  expect(medianOf([4, 1, 2, 3])).toBe(2.5);
  expect(medianOf([])).toBeNull();
});
