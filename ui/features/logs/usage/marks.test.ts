import { expect, test } from "bun:test";
import { markedPeriods, partNames } from "./marks.tsx";

test("a period with several events has one mark; events before the chart have none", () => {
  const mark = (at: number) => ({ at, text: "", to: "/audit" as const });
  expect(markedPeriods([mark(25), mark(21), mark(10), mark(5)], [10, 20, 30])).toEqual([20, 10]);
});

test("a price change names the parts that changed", () => {
  const tokens = { modelRatio: "1", completionRatio: "4", cacheRatio: "0.5" };
  const name = (change: Partial<Parameters<typeof partNames>[0]>) =>
    partNames({ before: tokens, after: tokens, is_base_same: false, parts: [], ...change }, (item) => item);
  expect(name({ after: { ...tokens, modelRatio: "2" } })).toEqual(["input", "output"]);
  expect(name({ after: { ...tokens, modelRatio: "2", completionRatio: "2" } })).toEqual(["input"]);
  expect(name({ after: { ...tokens, completionRatio: "5" } })).toEqual(["output"]);
  expect(name({ after: { usdPerCall: "0.04" } })).toEqual(["per_call"]);
  expect(name({ before: { usdPerUse: "0.01" }, after: tokens })).toEqual(["input", "output"]);
  expect(name({ before: null })).toEqual([]);
  expect(name({ after: null })).toEqual([]);
  const part = (each: "cached" | "tier" | "variant" | "megapixel", of = "") => ({
    ...{ part: each, of },
    ...{ before: null, after: { usd: 1 } },
  });
  const parts = [part("cached"), part("tier", "200000"), part("variant", "720p"), part("megapixel")];
  expect(name({ is_base_same: true, parts })).toEqual(["cache_read", "> 200K", "720p", "output_megapixel"]);
});
