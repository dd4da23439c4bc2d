import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import { type Decimal, decimal, toText } from "../../lib/values/decimal.ts";
import type { OptionKey } from "../../settings/registry/index.ts";
import type { Price } from "../types.ts";
import { charge, estimate } from "./charge.ts";
import { DEFAULT_TOOL_PRICE } from "./price-rules.ts";
import { createPriceTable, type PriceSettings, type PriceTable, UNSET_MODEL_RATIO } from "./price-table.ts";
import * as defaults from "./ratios/default-ratios.ts";
import { findPrice, resolvePrice } from "./resolve-price.ts";

const QUOTA_PER_UNIT = decimal(500_000);

const exact = (map: defaults.RatioMap): ReadonlyMap<string, Decimal> =>
  new Map(Object.entries(map).map(([model, ratio]) => [model, decimal(ratio)]));

const SHIPPED: PriceTable = {
  modelRatio: exact(defaults.DEFAULT_MODEL_RATIO),
  megapixelPrice: new Map(),
  modelPrice: exact(defaults.DEFAULT_MODEL_PRICE),
  completionRatio: exact(defaults.DEFAULT_COMPLETION_RATIO),
  cacheRatio: exact(defaults.DEFAULT_CACHE_RATIO),
  cacheCreationRatio: exact(defaults.DEFAULT_CACHE_CREATION_RATIO),
  audioRatio: exact(defaults.DEFAULT_AUDIO_RATIO),
  audioCompletionRatio: exact(defaults.DEFAULT_AUDIO_COMPLETION_RATIO),
  imageRatio: exact(defaults.DEFAULT_IMAGE_RATIO),
  imageCompletionRatio: exact(defaults.DEFAULT_IMAGE_COMPLETION_RATIO),
  groupRatio: exact({ default: 1, vip: 0.8, free: 0, odd: 0.3333 }),
  toolPrice: exact(DEFAULT_TOOL_PRICE),
  discounts: new Map(),
  contextTiers: new Map(),
  serviceTiers: new Map(),
  tierMultipliers: new Map(),
  hourRules: new Map(),
  hours: new Map(),
  videoPrice: new Map(),
  byUpstream: false,
  groupModelRatio: new Map(),
  groupGroupRatio: new Map(),
  unsetRatio: UNSET_MODEL_RATIO,
};
const RATIO_ONLY: PriceTable = { ...SHIPPED, completionRatio: new Map(), audioRatio: new Map() };

function price(requestedModel: string, options: { upstream?: string; group?: string; table?: PriceTable } = {}): Price {
  const found = resolvePrice(options.table ?? SHIPPED, {
    requestedModel,
    upstreamModel: options.upstream ?? requestedModel,
    group: options.group ?? "default",
    acceptUnset: false,
  });
  if (!found) throw new Error(`${requestedModel} has no price`);
  return found;
}

const ratioOf = (
  model: string,
  ratio: "modelRatio" | "completionRatio" | "cacheRatio" | "audioRatio",
  table = SHIPPED,
) => {
  const found = price(model, { table });
  return found.kind === "per_token" ? toText(found[ratio]) : "per call";
};

const usage = (counts: Partial<Usage>): Usage => ({ ...NO_USAGE, ...counts });

describe("shipped prices", () => {
  test.each([
    ["gpt-4o", "1.25", "4", "0.5"],
    ["gpt-4o-mini", "0.075", "4", "0.5"],
    ["gpt-4", "15", "2", "1"],
    ["gpt-4-turbo", "5", "3", "1"],
    ["gpt-4.1", "1", "4", "0.25"],
    ["gpt-5", "0.625", "8", "0.1"],
    ["o1", "7.5", "4", "0.5"],
    ["o3-mini", "0.55", "4", "0.5"],
    ["gpt-3.5-turbo", "0.25", "3", "1"],
    ["claude-3-5-sonnet-20241022", "1.5", "5", "0.1"],
    ["claude-3-opus-20240229", "7.5", "5", "0.1"],
    ["gemini-1.5-pro-latest", "0.625", "4", "0.25"],
    ["deepseek-chat", "0.075", "4", "0.02"],
    ["text-embedding-3-small", "0.01", "1", "1"],
    ["tts-1", "7.5", "1", "1"],
    ["whisper-1", "3", "1", "1"],
  ])("%s: model ratio %s, completion %s, cached %s", (model, ratio, completion, cached) => {
    expect(ratioOf(model, "modelRatio")).toBe(ratio);
    expect(ratioOf(model, "completionRatio")).toBe(completion);
    expect(ratioOf(model, "cacheRatio")).toBe(cached);
  });

  test.each([
    ["suno_music", 0.1],
    ["suno_lyrics", 0.01],
    ["dall-e-3", 0.04],
    ["imagen-3.0-generate-002", 0.03],
    ["gpt-4-gizmo-*", 0.1],
    ["mj_imagine", 0.1],
    ["mj_upload", 0.05],
    ["mj_inpaint", 0],
  ])("%s costs %p USD a call", (model, usd) => expect(defaults.DEFAULT_MODEL_PRICE[model]).toBe(usd));

  test("no price is negative and every model has a positive or zero ratio", () => {
    const { DEFAULT_CONTEXT_TIERS: tiers, DEFAULT_SERVICE_TIERS, DEFAULT_PRICE_HOURS, ...maps } = defaults;
    for (const map of Object.values(maps))
      for (const entry of Object.values<number | defaults.RatioMap>(map))
        for (const ratio of typeof entry === "number" ? [entry] : Object.values(entry))
          expect(ratio).toBeGreaterThanOrEqual(0);
    for (const { over, input, output } of Object.values(tiers).flat())
      expect([over >= 32_000, input >= 1, output >= 1]).toEqual([true, true, true]);
    expect(Object.keys(defaults.DEFAULT_MODEL_RATIO).length).toBeGreaterThan(700);
  });
});

describe("family defaults without an entry", () => {
  const table: PriceTable = {
    ...RATIO_ONLY,
    modelRatio: { get: () => decimal(1) } as unknown as ReadonlyMap<string, Decimal>,
    modelPrice: new Map(),
  };
  test.each([
    ["gpt-4o-2024-05-13", "3"],
    ["gpt-4o-2024-11-20", "4"],
    ["gpt-4o-all", "2"],
    ["gpt-4.5-preview", "2"],
    ["gpt-4-turbo-2024-04-09", "3"],
    ["gpt-4-1106", "3"],
    ["gpt-4-32k", "2"],
    ["gpt-4.1-mini", "4"],
    ["gpt-5-nano", "8"],
    ["o1-pro", "4"],
    ["o4-mini", "4"],
    ["chatgpt-4o-latest", "3"],
    ["claude-3-haiku-20240307", "5"],
    ["claude-opus-4-5-20251101", "5"],
    ["anthropic/claude-sonnet-4.5", "5"],
    ["claude-2.1", "3"],
    ["gpt-3.5-turbo", "3"],
    ["gpt-3.5-turbo-1106", "2"],
    ["gpt-3.5-turbo-16k", "1.333333"],
    ["mistral-large-latest", "3"],
    ["gemini-1.5-pro-002", "4"],
    ["gemini-2.5-pro-preview-06-05", "8"],
    ["gemini-2.5-flash-preview-05-20-nothinking", "4"],
    ["gemini-2.5-flash-preview-05-20", "5.833333"],
    ["gemini-2.5-flash", "8.333333"],
    ["gemini-3-pro-preview", "6"],
    ["gemini-2.0-flash", "4"],
    ["command-r", "3"],
    ["command-r-plus", "5"],
    ["command-r-plus-08-2024", "4"],
    ["DeepSeek-Chat", "4"],
    ["ERNIE-Speed-8K", "2"],
    ["llama3-70b-8192", "1.338983"],
    ["something-else", "1"],
  ])("%s: output × %s", (model, ratio) => expect(ratioOf(model, "completionRatio", table)).toBe(ratio));

  test.each([
    ["gpt-4o-realtime-preview-2024-12-17", "8"],
    ["gpt-4o-realtime-preview-2024-10-01", "20"],
    ["gpt-4o-mini-realtime-preview", "16.67"],
    ["gpt-4o-audio-preview-2024-12-17", "16"],
    ["gpt-4o-audio-preview-2024-10-01", "40"],
    ["gpt-4o-mini-audio-preview", "66.67"],
    ["gpt-4o", "1"],
  ])("%s: audio × %s", (model, ratio) => expect(ratioOf(model, "audioRatio", table)).toBe(ratio));
});

describe("which price counts", () => {
  test("an explicit completion ratio beats the family's", () => {
    const table = { ...SHIPPED, completionRatio: exact({ "gpt-4o": 1.5 }) };
    expect(ratioOf("gpt-4o", "completionRatio", table)).toBe("1.5");
  });
  test("requested name first, upstream name as fallback", () => {
    expect(price("gpt-4o", { upstream: "gpt-4" }).pricedAs).toBe("gpt-4o");
    expect(price("house-model", { upstream: "gpt-4" }).pricedAs).toBe("gpt-4");
  });

  test("by option the upstream's name first, the requested name as fallback", () => {
    const table = { ...SHIPPED, byUpstream: true };
    expect(price("gpt-4o", { upstream: "gpt-4", table }).pricedAs).toBe("gpt-4");
    expect(price("gpt-4o", { upstream: "nobody-knows", table }).pricedAs).toBe("gpt-4o");
    const query = { requestedModel: "gpt-4o", upstreamModels: ["nobody-knows", "gpt-4"], group: "default" };
    expect(findPrice(table, query)?.pricedAs).toBe("gpt-4o");
    const unset = { requestedModel: "a", upstreamModel: "b", group: "default" };
    expect(resolvePrice(table, { ...unset, acceptUnset: false })).toBeNull();
    expect(resolvePrice(table, { ...unset, acceptUnset: true })?.pricedAs).toBe("a");
  });
  test("a price per call beats ratios", () => expect(price("gpt-4-gizmo-g-abc").kind).toBe("per_call"));
  test("every gizmo has one price", () => expect(price("gpt-4o-gizmo-g-abc").pricedAs).toBe("gpt-4o-gizmo-*"));
  test("without a price there is none, unless accepted: 37.5", () => {
    const query = { requestedModel: "unheard-of", upstreamModel: "unheard-of", group: "default" };
    expect(resolvePrice(SHIPPED, { ...query, acceptUnset: false })).toBeNull();
    expect(resolvePrice(SHIPPED, { ...query, acceptUnset: true })).toMatchObject({ modelRatio: decimal("37.5") });
  });
  test("answered audio costs what text does, unless audio has a price of its own", () => {
    const table = { ...RATIO_ONLY, modelRatio: exact({ m: 1 }), completionRatio: exact({ m: 5 }) };
    const factor = (own: PriceTable) => {
      const found = price("m", { table: own });
      return found.kind === "per_token" && toText(found.audioCompletionRatio);
    };
    expect(factor(table)).toBe("5");
    expect(factor({ ...table, audioRatio: exact({ m: 3 }) })).toBe("2");
    expect(factor({ ...table, audioRatio: exact({ m: 3 }), audioCompletionRatio: exact({ m: 4 }) })).toBe("4");
  });
  test("who runs the gateway for themselves needs no prices", () => {
    const ratio = (SelfUseModeEnabled: string) =>
      toText(createPriceTable(fixedSettings({ SelfUseModeEnabled }))().unsetRatio);
    expect([ratio("true"), ratio("false")]).toEqual(["0", "37.5"]);
  });
  test("the table is rebuilt when the settings change, and only then", () => {
    let builds = 0;
    const defaultsOf = fixedSettings();
    const get = ((option: OptionKey) => {
      builds++;
      return defaultsOf.get(option);
    }) as PriceSettings["get"];
    const settings = { version: 1, get };
    const table = createPriceTable(settings);
    expect(table()).toBe(table());
    const once = builds;
    expect(once).toBeGreaterThan(0);
    settings.version = 2;
    table();
    expect(builds).toBe(2 * once);
  });
});

describe("charge", () => {
  test.each<[string, string, Partial<Usage>, string, number, string]>([
    ["input and output", "gpt-4o", { promptTokens: 1000, completionTokens: 500 }, "default", 3750, "3750"],
    ["rounded once, half up", "gpt-4o-mini", { promptTokens: 10, completionTokens: 30 }, "default", 10, "9.75"],
    ["half away from zero", "gpt-4", { promptTokens: 1, completionTokens: 0 }, "odd", 5, "15"],
    ["cached input", "gpt-4o", { promptTokens: 1000, cachedTokens: 800, completionTokens: 1 }, "default", 755, "755"],
    [
      "cache read and write",
      "claude-3-5-sonnet-20241022",
      { promptTokens: 3000, cachedTokens: 2000, cacheCreationTokens: 500, completionTokens: 100 },
      "default",
      2738,
      "2737.5",
    ],
    [
      "audio in and out",
      "gpt-4o-audio-preview",
      { promptTokens: 100, audioInputTokens: 60, completionTokens: 50, audioOutputTokens: 30 },
      "default",
      2550,
      "2550",
    ],
    ["group factor", "gpt-4o", { promptTokens: 1000, completionTokens: 500 }, "vip", 3000, "3750"],
    ["unknown group", "gpt-4o", { promptTokens: 1000, completionTokens: 500 }, "unheard-of", 3750, "3750"],
    ["free group", "gpt-4o", { promptTokens: 1000, completionTokens: 500 }, "free", 0, "3750"],
    ["least charge", "text-embedding-3-small", { promptTokens: 3 }, "default", 1, "0.03"],
    ["free model", "glm-4-flash", { promptTokens: 1000, completionTokens: 1000 }, "default", 0, "0"],
    ["per call", "dall-e-3", { promptTokens: 1 }, "vip", 16_000, "20000"],
    ["no tokens, no charge", "dall-e-3", {}, "default", 0, "0"],
    ["no tokens, no least charge", "gpt-4o", {}, "default", 0, "0"],
  ])("%s", (_, model, counts, group, quota, subtotal) => {
    const charged = charge(price(model, { group }), usage(counts), QUOTA_PER_UNIT);
    expect(charged.quota).toBe(quota);
    expect(charged.receipt.total).toBe(quota);
    expect(charged.receipt.subtotal).toBe(subtotal);
  });

  test("the receipt shows each step", () => {
    const counts = usage({ promptTokens: 1000, cachedTokens: 800, completionTokens: 10 });
    expect(charge(price("gpt-4o", { group: "vip" }), counts, QUOTA_PER_UNIT).receipt).toEqual({
      lines: [
        { item: "input", quantity: "200", factor: "1.25", amount: "250" },
        { item: "cache_read", quantity: "800", factor: "0.625", amount: "500" },
        { item: "output", quantity: "10", factor: "5", amount: "50" },
      ],
      subtotal: "800",
      groupRatio: "0.8",
      total: 640,
      quotaPerUnit: "500000",
    });
  });

  test.each<[string, Partial<Usage>]>([
    ["negative", { promptTokens: -5, completionTokens: -1e18 }],
    ["not a number", { promptTokens: Number.NaN, completionTokens: Number.NaN }],
  ])("%s counts cost nothing", (_, counts) =>
    expect(charge(price("gpt-4"), usage(counts), QUOTA_PER_UNIT).quota).toBe(0),
  );

  test("parts greater than the whole are cut, never negative", () => {
    const counts = usage({ promptTokens: 100, cachedTokens: 900, cacheCreationTokens: 900, audioInputTokens: 900 });
    expect(charge(price("gpt-4o"), counts, QUOTA_PER_UNIT).quota).toBe(63);
  });

  test("no count overflows into a negative or unsafe charge", () => {
    for (const count of [2 ** 31, 2 ** 53, 2 ** 63, 1e308, Number.POSITIVE_INFINITY]) {
      const counts = usage({ promptTokens: count, completionTokens: count });
      const table = { ...SHIPPED, modelRatio: exact({ dear: 1e15 }) };
      const { quota } = charge(price("dear", { table }), counts, QUOTA_PER_UNIT);
      expect(Number.isSafeInteger(quota)).toBe(true);
      expect(quota).toBeGreaterThan(0);
    }
  });
});

describe("parts of a price by token", () => {
  const drawing: Price = {
    kind: "per_token",
    pricedAs: "m",
    groupRatio: decimal(1),
    modelRatio: decimal(1),
    completionRatio: decimal(2),
    cacheRatio: decimal(1),
    cacheCreationRatio: decimal(1),
    longCacheCreationRatio: decimal(1),
    audioRatio: decimal(1),
    audioCompletionRatio: decimal(1),
    imageRatio: decimal(10),
    imageCompletionRatio: decimal(3),
  };
  const counts = usage({ promptTokens: 100, completionTokens: 50, imageInputTokens: 20, imageOutputTokens: 30 });
  const linesOf = (of: Price) =>
    charge(of, counts, QUOTA_PER_UNIT).receipt.lines.map(({ item, quantity, amount }) => [item, quantity, amount]);

  test("image tokens leave the text and have their own lines", () => {
    expect(linesOf(drawing)).toEqual([
      ["input", "80", "80"],
      ["image_input", "20", "200"],
      ["output", "20", "40"],
      ["image_output", "30", "900"],
    ]);
    expect(charge(drawing, counts, QUOTA_PER_UNIT).quota).toBe(1220);
  });

  test("without a price of their own they are text", () => {
    expect(linesOf({ ...drawing, imageRatio: undefined, imageCompletionRatio: undefined })).toEqual([
      ["input", "100", "100"],
      ["output", "50", "100"],
    ]);
    expect(linesOf({ ...drawing, imageCompletionRatio: undefined })).toEqual([
      ["input", "80", "80"],
      ["image_input", "20", "200"],
      ["output", "50", "100"],
    ]);
  });

  test("usage that does not count images separately has none", () => {
    const { receipt } = charge(drawing, usage({ promptTokens: 5, completionTokens: 5 }), QUOTA_PER_UNIT);
    expect(receipt.lines.map(({ item, quantity }) => [item, quantity])).toEqual([
      ["input", "5"],
      ["output", "5"],
    ]);
  });

  test("output images are held at their price where it is the highest", () => {
    const expected = { promptTokens: 0, maxOutputTokens: 10, defaultOutputTokens: 0 };
    expect(estimate(drawing, expected, QUOTA_PER_UNIT)).toBe(300);
    expect(estimate({ ...drawing, imageCompletionRatio: undefined }, expected, QUOTA_PER_UNIT)).toBe(20);
  });

  test("of a prompt, only what is audio is held at the price of audio", () => {
    const received: Price = { ...drawing, imageRatio: undefined, audioRatio: decimal(7) };
    const held = (promptTokens: number, audioInputTokens?: number) =>
      estimate(
        received,
        { promptTokens, maxOutputTokens: 0, defaultOutputTokens: 0, ...(audioInputTokens && { audioInputTokens }) },
        QUOTA_PER_UNIT,
      );
    expect([held(100), held(100, 10), held(100, 1000)]).toEqual([100, 160, 700]);
  });

  test("the least charge stands on the receipt", () => {
    const cheap = { ...drawing, modelRatio: decimal(0.001) };
    const { quota, receipt } = charge(cheap, usage({ promptTokens: 1 }), QUOTA_PER_UNIT);
    expect(quota).toBe(1);
    expect(receipt.lines.at(-1)).toEqual({ item: "minimum", quantity: "1", factor: "1", amount: "1" });
  });

  test("the receipt of a video names the variant whose price was taken, and no other does", () => {
    const film: Price = { kind: "per_call", pricedAs: "m", groupRatio: decimal(1), usdPerCall: decimal(1), seconds: 5 };
    const used = usage({ promptTokens: 1 });
    expect(charge({ ...film, variant: "mode=pro" }, used, QUOTA_PER_UNIT).receipt.variant).toBe("mode=pro");
    expect(charge(film, used, QUOTA_PER_UNIT).receipt).not.toHaveProperty("variant");
    expect(charge(drawing, used, QUOTA_PER_UNIT).receipt).not.toHaveProperty("variant");
  });
});

describe("estimate", () => {
  const expected = { promptTokens: 100, maxOutputTokens: 200, defaultOutputTokens: 500 };
  test("prompt and output limit at their full price", () =>
    expect(estimate(price("gpt-4o"), expected, QUOTA_PER_UNIT)).toBe(1125));
  test("without a limit, the expected output", () =>
    expect(estimate(price("gpt-4o"), { ...expected, maxOutputTokens: null }, QUOTA_PER_UNIT)).toBe(2625));
  test("rounded up", () =>
    expect(estimate(price("gpt-4o-mini"), { ...expected, promptTokens: 1, maxOutputTokens: 0 }, QUOTA_PER_UNIT)).toBe(
      1,
    ));
  test("a cache write makes the prompt dearer", () =>
    expect(estimate(price("claude-3-opus-20240229"), { ...expected, writesCache: "short" }, QUOTA_PER_UNIT)).toBe(
      8438,
    ));
  test("per call", () => expect(estimate(price("dall-e-3", { group: "vip" }), expected, QUOTA_PER_UNIT)).toBe(16_000));
  test("free is free", () => expect(estimate(price("gpt-4o", { group: "free" }), expected, QUOTA_PER_UNIT)).toBe(0));

  test("is never below the charge of a call that keeps to its limits", () => {
    const models = Object.keys(defaults.DEFAULT_MODEL_RATIO);
    for (let round = 0; round < 400; round++) {
      const at = price(models[(round * 7) % models.length] as string, { group: round % 2 ? "odd" : "vip" });
      const random = (most: number) => Math.floor(Math.random() * most);
      const promptTokens = random(10_000);
      const completionTokens = random(4000);
      const audioInputTokens = random(2) * random(promptTokens + 1);
      const counts = usage({
        promptTokens,
        completionTokens,
        cachedTokens: random(promptTokens + 1),
        cacheCreationTokens: random(promptTokens + 1),
        audioInputTokens,
        audioOutputTokens: random(2) * random(completionTokens + 1),
      });
      const limits = { promptTokens, maxOutputTokens: completionTokens, defaultOutputTokens: 0 };
      const held = estimate(at, { ...limits, audioInputTokens, writesCache: "long" }, QUOTA_PER_UNIT);
      expect(held).toBeGreaterThanOrEqual(charge(at, counts, QUOTA_PER_UNIT).quota);
    }
  });
});
