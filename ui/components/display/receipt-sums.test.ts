import { expect, test } from "bun:test";
import Big from "big.js";
import { charge } from "../../../src/billing/pricing/charge.ts";
import type { Price, Receipt } from "../../../src/billing/types.ts";
import { NO_USAGE, type Usage } from "../../../src/formats/conversation/reply.ts";
import { decimal } from "../../../src/lib/values/decimal.ts";
import { receiptSums } from "./receipt-sums.ts";

const CALLS = 10_000;
const SEED = 20_261_123;

/** Numbers in [0, 1), the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomNumbers(SEED);
const below = (limit: number): number => Math.floor(random() * limit);
const isSometimes = (): boolean => random() < 0.5;
/** Up to six decimals, as operators and list prices write ratios. */
const ratio = (most: number) => decimal((random() * most).toFixed(below(7)));
/** Small counts as often as large ones: rounding shows with the small. */
const count = (): number => below(10 ** below(7));

function randomPrice(): Price {
  const common = {
    pricedAs: "model",
    groupRatio: isSometimes() ? decimal(1) : ratio(2),
    toolPrices: new Map([
      ["web_search", ratio(0.02)],
      ["file_search", ratio(0.003)],
    ]),
    ...(isSometimes() && { discount: { percent: decimal(below(100)) } }),
    ...(random() < 0.2 && {
      serviceFee: { percent: decimal(5), usdPerCall: isSometimes() ? decimal(0) : ratio(0.001) },
    }),
  };
  if (random() < 0.2) return { ...common, kind: "per_call", usdPerCall: ratio(0.2) };
  if (random() < 0.2)
    return { ...common, kind: "per_call", usdPerCall: ratio(0.5), seconds: below(30), variant: "pro" };
  return {
    ...common,
    kind: "per_token",
    modelRatio: ratio(random() < 0.3 ? 0.001 : 20),
    completionRatio: ratio(8),
    cacheRatio: ratio(1),
    cacheCreationRatio: ratio(2),
    longCacheCreationRatio: ratio(3),
    audioRatio: ratio(40),
    audioCompletionRatio: ratio(3),
    imageRatio: isSometimes() ? ratio(5) : undefined,
    imageCompletionRatio: isSometimes() ? ratio(5) : undefined,
    contextTiers: isSometimes() ? [{ over: 50_000, input: ratio(3), output: ratio(3) }] : undefined,
  };
}

function randomUsage(): Usage {
  const parts = {
    cached: count(),
    written: count(),
    audioIn: count(),
    imageIn: count(),
    audioOut: count(),
    imageOut: count(),
  };
  return {
    ...NO_USAGE,
    promptTokens: parts.cached + parts.written + parts.audioIn + parts.imageIn + count(),
    completionTokens: parts.audioOut + parts.imageOut + count(),
    cachedTokens: parts.cached,
    cacheCreationTokens: parts.written,
    longCacheCreationTokens: below(parts.written + 1),
    audioInputTokens: parts.audioIn,
    audioOutputTokens: parts.audioOut,
    imageInputTokens: parts.imageIn,
    imageOutputTokens: parts.imageOut,
    ...(isSometimes() && { toolCalls: { web_search: below(5), file_search: below(5) } }),
  };
}

const receiptOf = (quotaPerUnit: number): Receipt =>
  charge(randomPrice(), randomUsage(), decimal(quotaPerUnit)).receipt;
const sumOf = (amounts: readonly (string | null)[]): Big =>
  amounts.reduce((sum, amount) => sum.plus(amount ?? 0), new Big(0));

/** What a reader finds when adding up the shown text; empty where it is right. */
function mistakesOf(receipt: Receipt): string[] {
  const { lines, subtotal, groupAdjustment, fee, rounding, charged } = receiptSums(receipt);
  const shown = [...lines.map(({ amount }) => amount), subtotal, charged];
  return [
    sumOf(lines.map(({ amount }) => amount)).eq(subtotal) ? "" : "lines",
    sumOf([subtotal, groupAdjustment, fee, rounding]).eq(charged) ? "" : "charged",
    new Set(shown.map((amount) => amount.split(".")[1]?.length)).size === 1 ? "" : "decimals",
  ].filter((mistake) => mistake !== "");
}

test("10,000 random receipts add up as shown, to the last digit", () => {
  for (let call = 0; call < CALLS; call += 1) {
    const receipt = receiptOf(500_000);
    const { lines, subtotal, groupAdjustment, fee, rounding, charged } = receiptSums(receipt);
    const wrong = mistakesOf(receipt);
    for (const { quantity, price, amount } of lines) {
      const exact = new Big(quantity).times(price.usd);
      if (!new Big(amount).times(price.per === "million" ? 1_000_000 : 1).eq(exact)) wrong.push("line");
    }
    const afterRatio = new Big(subtotal).times(receipt.groupRatio);
    if (!sumOf([subtotal, groupAdjustment]).eq(afterRatio)) wrong.push("group");
    if (!new Big(rounding ?? 0).times(500_000).eq(receipt.rounding ?? 0)) wrong.push("rounding");
    if (!new Big(fee ?? 0).times(500_000).eq(receipt.ownKeyFee ?? 0)) wrong.push("fee");
    if (!new Big(charged).times(500_000).eq(receipt.total)) wrong.push("total");
    if (wrong.length > 0) expect({ wrong, receipt, lines }).toEqual({ wrong: [], receipt, lines });
  }
});

test("receipts add up where a quota unit has endless decimals of dollars", () => {
  for (let call = 0; call < CALLS / 10; call += 1) expect(mistakesOf(receiptOf(300_000))).toEqual([]);
});

test("amounts below a quota unit are shown as they are, and rounding is distinguished from a minimum", () => {
  const receipt: Receipt = {
    lines: [
      { item: "input", quantity: "2", factor: "0.75", amount: "1.5" },
      { item: "output", quantity: "1", factor: "2", amount: "2" },
    ],
    subtotal: "3.5",
    groupRatio: "1",
    total: 4,
    quotaPerUnit: "500000",
  };
  const sums = receiptSums(receipt);
  expect(sums.lines.map(({ amount }) => amount)).toEqual(["0.000003", "0.000004"]);
  expect(sums).toMatchObject({ subtotal: "0.000007", groupAdjustment: null, rounding: "0.000001", isMinimum: false });
  expect(sums.charged).toBe("0.000008");

  const tiny = { item: "input", quantity: "1", factor: "0.1", amount: "0.1" };
  const least = { item: "minimum", quantity: "1", factor: "1", amount: "1" };
  const raised = receiptSums({ ...receipt, lines: [tiny, least], subtotal: "0.1", total: 1 });
  expect(raised.lines).toHaveLength(1);
  expect(raised).toMatchObject({ subtotal: "0.0000002", rounding: "0.0000018", isMinimum: true, charged: "0.0000020" });
});
