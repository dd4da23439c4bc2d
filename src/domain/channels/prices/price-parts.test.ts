import { expect, test } from "bun:test";
import { changedParts, isSameBase, isSamePrice, type PartName, type PartPrice } from "./price-parts.ts";

const TOKENS = {
  modelRatio: "1",
  completionRatio: "4",
  cacheRatio: "0.5",
  cacheCreationRatio: "1.25",
  longCacheCreationRatio: "2",
  audioRatio: "1",
  audioCompletionRatio: "4",
  imageRatio: null,
  imageCompletionRatio: null,
  contextTiers: [],
};
const CALL = { usdPerCall: "0.1", usdPerMegapixel: null, variants: {} };
const parts = (before: Parameters<typeof changedParts>[0], after: Parameters<typeof changedParts>[0]) =>
  changedParts(before, after, 500_000);
const change = (part: PartName, before: PartPrice | null, after: PartPrice | null, of = "") => ({
  part,
  of,
  before,
  after,
});

test("each part that changed is one of dollars before and after", () => {
  expect(parts(TOKENS, { ...TOKENS, cacheRatio: "0.25" })).toEqual([change("cached", { usd: 1 }, { usd: 0.5 })]);
  expect(parts(TOKENS, { ...TOKENS, cacheCreationRatio: "2", longCacheCreationRatio: "3.2" })).toEqual([
    change("cacheWritten", { usd: 2.5 }, { usd: 4 }),
    change("cacheWrittenHour", { usd: 4 }, { usd: 6.4 }),
  ]);
  expect(parts(TOKENS, { ...TOKENS, audioRatio: "8", audioCompletionRatio: "2" })).toEqual([
    change("audioInput", { usd: 2 }, { usd: 16 }),
    change("audioOutput", null, { usd: 32 }),
  ]);
  expect(parts({ ...TOKENS, imageRatio: "2", imageCompletionRatio: "3" }, TOKENS)).toEqual([
    change("imageInput", { usd: 4 }, null),
    change("imageOutput", { usd: 12 }, null),
  ]);
  expect(parts(TOKENS, { ...TOKENS, contextTiers: [{ over: 200_000, input: "2", output: "1.5" }] })).toEqual([
    change("tier", null, { usd: 4, output: 12 }, "200000"),
  ]);
  const [flex, peak] = [
    { input: "0.5", output: "0.5", cacheRead: "0.5" },
    { input: "2", output: "3", cacheRead: "2" },
  ];
  expect(
    parts({ ...TOKENS, serviceTiers: {}, hourRules: {} }, { ...TOKENS, serviceTiers: { flex }, hourRules: { peak } }),
  ).toEqual([
    change("serviceTier", null, { usd: 1, output: 4 }, "flex"),
    change("hours", null, { usd: 4, output: 24 }, "peak"),
  ]);
  expect(parts({ ...CALL, serviceTiers: {} }, { ...CALL, serviceTiers: { flex } })).toEqual([
    change("serviceTier", null, { usd: 0.05 }, "flex"),
  ]);
  expect(parts({ ...CALL, usdPerMegapixel: "0.01" }, { ...CALL, usdPerMegapixel: "0.02" })).toEqual([
    change("megapixel", { usd: 0.01 }, { usd: 0.02 }),
  ]);
  expect(
    parts({ ...CALL, variants: { a: "1", b: "2" } }, { ...CALL, variants: { b: "3", c: "4" } }).toSorted((x, y) =>
      x.of.localeCompare(y.of),
    ),
  ).toEqual([
    change("variant", { usd: 1 }, null, "a"),
    change("variant", { usd: 2 }, { usd: 3 }, "b"),
    change("variant", null, { usd: 4 }, "c"),
  ]);
});

test("what only follows the price of input or output is no change of its own", () => {
  expect(parts(TOKENS, { ...TOKENS, modelRatio: "2", completionRatio: "5", audioCompletionRatio: "5" })).toEqual([]);
  expect(isSameBase(TOKENS, { ...TOKENS, modelRatio: "2" })).toBe(false);
  expect(isSameBase(TOKENS, { ...TOKENS, cacheRatio: "2" })).toBe(true);
});

test("of a price of another kind only what the new one has in addition counts", () => {
  expect(parts(TOKENS, { ...CALL, usdPerMegapixel: "0.01" })).toEqual([change("megapixel", null, { usd: 0.01 })]);
  expect(parts(CALL, TOKENS)).toEqual([]);
  expect(isSamePrice(CALL, TOKENS)).toBe(false);
  expect(isSameBase(CALL, TOKENS)).toBe(false);
});

test("a part that an earlier release did not record is not known to have changed", () => {
  const old = { modelRatio: "1", completionRatio: "4", cacheRatio: "0.5" };
  const present = { ...TOKENS, audioRatio: "8", imageRatio: "2", contextTiers: [{ over: 1, input: "2", output: "2" }] };
  expect(isSamePrice(old, present)).toBe(true);
  expect(parts(old, present)).toEqual([]);
  expect(isSamePrice({ ...old, cacheRatio: "1" }, present)).toBe(false);
  expect(parts({ ...old, cacheRatio: "1" }, present)).toEqual([change("cached", { usd: 2 }, { usd: 1 })]);
  expect(isSamePrice({ usdPerCall: "0.1" }, { ...CALL, variants: { a: "1" } })).toBe(true);
});

test("the order in which the database keeps members is no change", () => {
  const [a, b] = [
    { variants: { a: "1", b: "2" }, usdPerCall: "0.1" },
    { usdPerCall: "0.1", variants: { b: "2", a: "1" } },
  ];
  expect(isSamePrice(a, b)).toBe(true);
});
