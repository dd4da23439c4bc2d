import { describe, expect, test } from "bun:test";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import { add, type Decimal, decimal, multiply, toText, ZERO } from "../../lib/values/decimal.ts";
import type { Price, Receipt } from "../types.ts";
import { charge, estimate } from "./charge.ts";

const UNIT = decimal(500_000);
const usage = (counts: Partial<Usage>): Usage => ({ ...NO_USAGE, ...counts });

/** Each part has a factor that no product of others equals, so that tokens of the wrong part change the sum. */
const PRICE = {
  kind: "per_token",
  pricedAs: "m",
  groupRatio: decimal(1),
  modelRatio: decimal(2),
  completionRatio: decimal(3),
  cacheRatio: decimal("0.1"),
  cacheCreationRatio: decimal("1.25"),
  longCacheCreationRatio: decimal(2),
  audioRatio: decimal(7),
  audioCompletionRatio: decimal(11),
  imageRatio: decimal(13),
  imageCompletionRatio: decimal(17),
} as const satisfies Price;
const CALL: Price = { kind: "per_call", pricedAs: "m", groupRatio: decimal(1), usdPerCall: decimal("0.04") };

const cost = (counts: Partial<Usage>, price: Price = PRICE) => charge(price, usage(counts), UNIT).quota;

describe("each token is charged once, at the price of what it is", () => {
  test.each<[string, Partial<Usage>, number]>([
    ["input", { promptTokens: 1000 }, 2000],
    ["output", { completionTokens: 1000 }, 6000],
    ["cached input", { promptTokens: 1000, cachedTokens: 1000 }, 200],
    ["cache writes", { promptTokens: 1000, cacheCreationTokens: 1000 }, 2500],
    ["cache writes of an hour", { promptTokens: 1000, cacheCreationTokens: 1000, longCacheCreationTokens: 1000 }, 4000],
    ["both cache writes", { promptTokens: 1000, cacheCreationTokens: 1000, longCacheCreationTokens: 400 }, 3100],
    ["audio", { promptTokens: 1000, audioInputTokens: 1000 }, 14_000],
    ["images", { promptTokens: 1000, imageInputTokens: 1000 }, 26_000],
    ["audio output", { completionTokens: 1000, audioOutputTokens: 1000 }, 154_000],
    ["drawn output", { completionTokens: 1000, imageOutputTokens: 1000 }, 442_000],
  ])("%s", (_, counts, quota) => expect(cost(counts)).toBe(quota));

  test("a call with all of them costs the sum of its parts", () => {
    const prompt = { cachedTokens: 100, cacheCreationTokens: 300, audioInputTokens: 40, imageInputTokens: 50 };
    const counts = {
      ...{ promptTokens: 1000, ...prompt, longCacheCreationTokens: 70 },
      ...{ completionTokens: 500, audioOutputTokens: 20, imageOutputTokens: 30 },
    };
    const parts: Partial<Usage>[] = [
      { promptTokens: 510 },
      { promptTokens: 100, cachedTokens: 100 },
      { promptTokens: 230, cacheCreationTokens: 230 },
      { promptTokens: 70, cacheCreationTokens: 70, longCacheCreationTokens: 70 },
      { promptTokens: 40, audioInputTokens: 40 },
      { promptTokens: 50, imageInputTokens: 50 },
      { completionTokens: 450 },
      { completionTokens: 20, audioOutputTokens: 20 },
      { completionTokens: 30, imageOutputTokens: 30 },
    ];
    expect(cost(counts)).toBe(parts.reduce((sum, part) => sum + cost(part), 0));
  });
});

/** What a reader of the receipt does: multiplies each line, adds them up, applies the group's ratio and rounds. */
function addUp({ lines, groupRatio, rounding = "0" }: Receipt): { subtotal: string; total: string } {
  const amounts = lines.filter(({ item }) => item !== "minimum").map(({ amount }) => decimal(amount));
  const subtotal = amounts.reduce<Decimal>(add, ZERO);
  return {
    subtotal: toText(subtotal),
    total: toText(add(multiply(subtotal, decimal(groupRatio)), decimal(rounding))),
  };
}

describe("a receipt", () => {
  const toolPrices = new Map([
    ["web_search", decimal("0.0000000123")],
    ["file_search", decimal("0.0025")],
  ]);
  const fine = { ...PRICE, modelRatio: decimal("0.075"), groupRatio: decimal("0.333"), toolPrices };

  test.each<[string, Price, Partial<Usage>, Decimal]>([
    ["of tokens", fine, { promptTokens: 7, completionTokens: 3 }, UNIT],
    ["with a tool that costs less than a unit", fine, { promptTokens: 1, toolCalls: { web_search: 3 } }, UNIT],
    [
      "with tools and a part of a unit for each dollar",
      fine,
      { promptTokens: 1111, toolCalls: { web_search: 1, file_search: 2 } },
      decimal("333.25"),
    ],
    ["of whole tokens and a tool", { ...PRICE, toolPrices }, { promptTokens: 1, toolCalls: { web_search: 1 } }, UNIT],
    ["of a call", CALL, { promptTokens: 1 }, decimal("333.25")],
    ["of a call with a tool", { ...CALL, toolPrices }, { promptTokens: 1, toolCalls: { file_search: 1 } }, UNIT],
  ])("%s adds up", (_, price, counts, quotaPerUnit) => {
    const { quota, receipt } = charge(price, usage(counts), quotaPerUnit);
    const sums = addUp(receipt);
    expect(toText(decimal(receipt.subtotal))).toBe(sums.subtotal);
    expect(sums.total).toBe(String(quota));
    const isMinimum = receipt.lines.some(({ item }) => item === "minimum");
    expect(Math.abs(Number(receipt.rounding ?? 0))).toBeLessThanOrEqual(isMinimum ? 1 : 0.5);
    for (const { quantity, factor, amount } of receipt.lines) {
      const [tokens, dollars] = [decimal(quantity), multiply(decimal(quantity), quotaPerUnit)].map((count) =>
        toText(multiply(count, decimal(factor))),
      );
      expect([tokens, dollars]).toContain(toText(decimal(amount)));
    }
  });

  test("has a line for each tool that was used and has a price, also for one use", () => {
    const toolCalls = { web_search: 1, file_search: 2, unheard_of: 3 };
    const { receipt } = charge({ ...PRICE, toolPrices }, usage({ promptTokens: 1, toolCalls }), UNIT);
    expect(receipt.lines.slice(1)).toEqual([
      { item: "web_search", quantity: "1", factor: "0.0000000123", amount: "0.00615" },
      { item: "file_search", quantity: "2", factor: "0.0025", amount: "2500" },
    ]);
    const unused = usage({ promptTokens: 1, toolCalls: { web_search: 0 } });
    expect(charge({ ...PRICE, toolPrices }, unused, UNIT).receipt.lines).toHaveLength(1);
  });

  test("says by what the price differs, and nothing where it does not", () => {
    const plain = charge(PRICE, usage({ promptTokens: 1 }), UNIT).receipt;
    expect(Object.keys(plain).sort()).toEqual(["groupRatio", "lines", "quotaPerUnit", "subtotal", "total"]);
    const one = decimal(1);
    const factors = { input: one, output: one, cacheRead: one };
    const special: Price = {
      ...PRICE,
      discount: { percent: decimal("12.5") },
      contextTiers: [
        { over: 10, input: one, output: one },
        { over: 20, input: one, output: one },
      ],
      hours: { ...factors, days: null, from: 0, until: 60, zone: "UTC", text: "at night" },
      appliedTiers: { ...factors, name: "priority", isGeneral: false },
    };
    const { receipt } = charge(special, usage({ promptTokens: 15 }), UNIT);
    expect(receipt).toMatchObject({ discountPercent: "12.5", contextOver: 10, hours: "at night" });
    expect([receipt.serviceTier, Object.hasOwn(receipt, "isGeneralTier")]).toEqual(["priority", false]);
  });
});

describe("what is held", () => {
  const hold = (price: Price, promptTokens: number, maxOutputTokens = 0, writesCache?: "none" | "short" | "long") =>
    estimate(
      price,
      { promptTokens, maxOutputTokens, defaultOutputTokens: 0, ...(writesCache && { writesCache }) },
      UNIT,
    );
  const steps: Price = {
    ...PRICE,
    imageRatio: undefined,
    contextTiers: [
      { over: 100, input: decimal(2), output: decimal(3) },
      { over: 1000, input: decimal("1.5"), output: decimal(5) },
    ],
  };

  test("covers the highest step that a prompt of this length reaches, whichever was asked before", () => {
    // Of output the most expensive kind is held: audio, images or text.
    const output = 2 * Math.max(3, 7 * 11, 17);
    const held = () => [100, 101, 1000, 1001].map((promptTokens) => hold(steps, promptTokens, 1));
    const expected = [100 * 2 + output, 101 * 2 * 2 + output * 3, 1000 * 2 * 2 + output * 3, 1001 * 2 * 2 + output * 5];
    expect(held()).toEqual(expected);
    expect(held().toReversed()).toEqual(expected.toReversed());
    expect([1001, 101, 100].map((tokens) => hold({ ...steps }, tokens))).toEqual([4004, 404, 200]);
  });

  test("of one price, calls of any length are charged by their own step", () => {
    const charged = () => [100, 101, 1001, 1000].map((promptTokens) => cost({ promptTokens }, steps));
    expect(charged()).toEqual([200, 404, 3003, 4000]);
    expect(charged()).toEqual([200, 404, 3003, 4000]);
  });

  test("covers cache writes of the kind that the request asks for, by each price of its own", () => {
    for (const price of [steps, { ...steps, cacheCreationRatio: decimal(4), longCacheCreationRatio: decimal(8) }]) {
      const of = (counts: Partial<Usage>) => cost({ promptTokens: 100, cacheCreationTokens: 100, ...counts }, price);
      expect([hold(price, 100, 0, "short"), hold(price, 100, 0, "long"), hold(price, 100, 0, "none")]).toEqual([
        of({}),
        of({ longCacheCreationTokens: 100 }),
        200,
      ]);
    }
  });

  test("covers megapixels after the first of each image, and those of the request once", () => {
    const usdPerMegapixel = decimal("0.01");
    const held = (megapixels?: { output: number; input: number }, images?: number) =>
      hold({ ...CALL, usdPerMegapixel, ...(megapixels && { megapixels }), ...(images && { images }) }, 0) / 5000;
    expect([held(), held({ output: 1, input: 0 }), held({ output: 0, input: 0 })]).toEqual([4, 4, 4]);
    expect([held({ output: 1, input: 2 }), held({ output: 3, input: 0 }), held({ output: 3, input: 2 }, 4)]).toEqual([
      6, 6, 26,
    ]);
  });
});

test("a call of a group that pays nothing costs and holds nothing", () => {
  const free = { ...CALL, groupRatio: decimal(0) };
  const nothing = { promptTokens: 1, maxOutputTokens: 1, defaultOutputTokens: 1 };
  expect([cost({ promptTokens: 1 }, free), estimate(free, nothing, UNIT)]).toEqual([0, 0]);
});

test("an image of unknown size costs its call alone", () => {
  const priced = { ...CALL, usdPerMegapixel: decimal("0.01") };
  expect(cost({ promptTokens: 1, images: 1 }, priced)).toBe(20_000);
});
