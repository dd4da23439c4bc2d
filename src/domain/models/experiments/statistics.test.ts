import { describe, expect, test } from "bun:test";
import { fisherExact, mannWhitney, medianOf, signTest, varianceOfMean, wilcoxonSignedRank } from "./statistics.ts";

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

test("median and variance of the mean", () => {
  expect(medianOf([3, 1, 2])).toBe(2);
  expect(medianOf([4, 1, 2, 3])).toBe(2.5);
  expect(medianOf([])).toBeNull();
  expect(varianceOfMean([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(32 / 7 / 8, 10);
  expect(varianceOfMean([1])).toBe(0);
});
