import { expect, test } from "bun:test";
import { modelsOf, PRICE_SECTIONS } from "../../../src/billing/pricing/list-prices.ts";
import { type PriceUnit, priceUnitOf } from "../../../src/billing/pricing/price-rules.ts";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import { type Capability, capabilityOf, fuzzyMatch, makerOf } from "../../../src/domain/models/model-name-rules.ts";
import { type PricedModel, tokenPrice, unitPrice, unitTag, usd } from "./pricing.ts";

const MODEL: PricedModel = {
  model_name: "gpt-4o",
  quota_type: 0,
  model_ratio: 1.25,
  megapixel_price: null,
  model_price: 0,
  completion_ratio: 4,
  cache_ratio: 0.5,
  enable_groups: ["default"],
  group_ratios: {},
  image_ratio: null,
  image_completion_ratio: null,
  audio_ratio: null,
  audio_completion_ratio: null,
  cache_creation_ratio: null,
  owner_by: "OpenAI",
  unit: "token",
  variants: {},
  is_estimate: false,
  is_priced: true,
  context_window: null,
  output_limit: null,
  input_modalities: null,
  output_modalities: null,
  deprecation_date: null,
  successor: null,
  context_tiers: [],
  service_tiers: {},
  price_hours: [],
};

test("a million tokens cost the ratio × 2 dollars × the factor of the group", () => {
  expect(tokenPrice(MODEL, 0.5, 500_000)).toEqual({
    input: 1.25,
    cached: 0.625,
    output: 5,
    imageInput: null,
    imageOutput: null,
    audioInput: null,
    audioOutput: null,
    cacheWritten: null,
  });
  expect(tokenPrice({ ...MODEL, image_ratio: 2, image_completion_ratio: 4 }, 1, 500_000)).toMatchObject({
    imageInput: 5,
    imageOutput: 20,
  });
  const sounding = { ...MODEL, audio_ratio: 16, audio_completion_ratio: 2, cache_creation_ratio: 1.25 };
  expect(tokenPrice(sounding, 0.5, 500_000)).toMatchObject({ audioInput: 20, audioOutput: 40, cacheWritten: 1.5625 });
  expect(tokenPrice({ ...sounding, audio_ratio: null }, 1, 500_000)).toMatchObject({
    audioInput: null,
    audioOutput: 5,
  });
});

test.each([
  [2.5, "$2.50"],
  [0.1 + 0.2, "$0.30"],
  [0.0028, "$0.0028"],
  [0, "$0.00"],
])("%p dollars are shown as %p", (amount, text) => expect(usd(amount)).toBe(text));

test.each([
  ["4o", "gpt-4o", true],
  ["GPT4", "gpt-4o-mini", true],
  ["gmini", "gpt-4o-mini", true],
  ["o4", "gpt-4o", false],
  ["", "anything", true],
])("%p finds %p: %p", (text, name, isFound) => expect(fuzzyMatch(text, name)).toBe(isFound));

test.each([
  ["claude-sonnet-4-5", "Anthropic", "chat"],
  ["x/gemini-2.5-flash-image", "Google", "image"],
  ["text-embedding-3-small", "OpenAI", "embedding"],
  ["whisper-1", "OpenAI", "transcription"],
  ["gpt-4o-mini-tts", "OpenAI", "speech"],
  ["bge-reranker-v2-m3", "BAAI", "rerank"],
  ["suno_music", "Suno", "music"],
  ["music-2.6", "MiniMax", "music"],
  ["music_v2_5", "ElevenLabs", "music"],
  ["eleven_v3", "ElevenLabs", "speech"],
  ["lyria-3.5", "Google", "music"],
  ["viduq2-turbo", "Vidu", "video"],
  ["jimeng_v30_pro", "ByteDance", "video"],
  ["jimeng_ti2v_v30_pro", "ByteDance", "video"],
  ["jimeng_t2i_v40", "ByteDance", "image"],
  ["wan2.2-t2i-flash", "Alibaba", "image"],
  ["doubao-seedream-4-0", "ByteDance", "image"],
  ["@cf/deepgram/aura-1", "Deepgram", "speech"],
  ["swap_face", "", "image"],
  ["something", "", "chat"],
] as const)("%p is made by %p, for %p", (name, maker, capability) => {
  expect(makerOf(name)).toBe(maker);
  expect(capabilityOf(name)).toBe(capability);
});

test.each([
  [{ usdPerUse: "0.01" }, null, { unit: "use", usd: 0.01 }],
  [{ usdPerCall: "0.1" }, "second", { unit: "second", usd: 0.1 }],
  [{ usdPerCall: "0.1" }, null, { unit: "call", usd: 0.1 }],
  [{ usdPerCall: "0.1" }, "token", { unit: "call", usd: 0.1 }],
  [{ modelRatio: "16", completionRatio: "1", cacheRatio: "1" }, "image", { unit: "image", usd: 0.04 }],
  [{ modelRatio: "3", completionRatio: "1", cacheRatio: "1" }, "minute", { unit: "minute", usd: 0.006 }],
  [{ modelRatio: "7.5", completionRatio: "1", cacheRatio: "1" }, "character", { unit: "character", usd: 15 }],
  [{ modelRatio: "7.5", completionRatio: "1", cacheRatio: "1" }, "call", { unit: "token", input: 15, output: 15 }],
] as const)("a former price %p of a model billed by %p is one of %p", (tag, unit, shown) =>
  expect(unitTag(tag, unit, 500_000)).toEqual(shown),
);

const PURPOSE: Readonly<Partial<Record<PriceUnit, Capability>>> = {
  character: "speech",
  minute: "transcription",
  image: "image",
};

test("what a model with a list price is for agrees with what its price is for", () => {
  const misfiled = PRICE_SECTIONS.flatMap((section) =>
    modelsOf(section).filter((model) => {
      const kind = section.prices[model]?.input !== undefined ? "per_token" : "per_call";
      const info = shippedCatalog.find(model);
      const unit = priceUnitOf(info, { kind }, section.prices[model]?.per_second !== undefined);
      const capability = capabilityOf(model);
      // Texts to embed are billed by the character at Vertex AI.
      if (unit === "character" && capability === "embedding") return false;
      if (unit === "second") return capability !== "video" && capability !== "music";
      if (PURPOSE[unit]) return capability !== PURPOSE[unit];
      return unit === "token" && (capability === "video" || (capability === "image" && info.billed_by !== "token"));
    }),
  );
  expect(misfiled).toEqual([]);
});

test.each([
  [{ unit: "second", quota_type: 1, model_price: 0.1 }, 0.2],
  [{ unit: "image", quota_type: 0, model_ratio: 16 }, 0.08],
  [{ unit: "minute", quota_type: 0, model_ratio: 3 }, 0.012],
  [{ unit: "character", quota_type: 0, model_ratio: 7.5 }, 30],
] as const)("%p costs %p dollars in a group of factor 2", (fields, price) =>
  expect(unitPrice({ ...MODEL, ...fields }, 2, 500_000)).toBeCloseTo(price, 9),
);
