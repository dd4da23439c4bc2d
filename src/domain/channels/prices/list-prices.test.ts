import { expect, spyOn, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { createPriceTable } from "../../../billing/pricing/price-table.ts";
import { DEFAULT_MODEL_PRICE } from "../../../billing/pricing/ratios/default-ratios.ts";
import { shippedCatalog } from "../../../catalog/catalog.ts";
import { createRoutingIndex } from "../routing/routing-index.ts";
import { listPrices } from "./list-prices.ts";

test("lists every model of the groups that somebody may use, with its price", () => {
  const index = createRoutingIndex();
  index.add(channelEntry({ id: 1, models: ["by-token", "by-call", "bare"], groups: ["default"] }));
  index.add(channelEntry({ id: 2, models: ["by-token", "secret"], groups: ["vip"] }));
  index.add(channelEntry({ id: 3, models: ["hidden"], groups: ["staff"] }));
  const settings = fixedSettings({
    ModelRatio: '{"by-token": 1.25}',
    CompletionRatio: '{"by-token": 8}',
    ModelPrice: '{"by-call": 0.04}',
    GroupRatio: '{"default": 1, "vip": 0.5, "staff": 0.1}',
    UserUsableGroups: '{"default": "everybody", "vip": "friends"}',
  });
  const deps = { settings, channels: index, prices: createPriceTable(settings), catalog: () => shippedCatalog };
  const list = listPrices(deps, "default");
  expect(list.models.map(({ model_name }) => model_name)).toEqual(["bare", "by-call", "by-token", "secret"]);
  const byName = new Map(list.models.map((model) => [model.model_name, model]));
  expect(byName.get("by-token")).toMatchObject({
    quota_type: 0,
    model_ratio: 1.25,
    completion_ratio: 8,
    enable_groups: ["default", "vip"],
    is_priced: true,
    owner_by: "OpenAI",
  });
  expect(byName.get("by-call")).toMatchObject({ quota_type: 1, model_price: 0.04, enable_groups: ["default"] });
  expect(byName.get("bare")).toMatchObject({ is_priced: false });
  expect(list.groupRatio).toEqual({ default: 1, vip: 0.5 });
  expect(listPrices(deps, "staff").models.map(({ model_name }) => model_name)).toContain("hidden");
});

test("sound and cache writes have prices where the model, its family or the operator has them", () => {
  const models = ["gpt-realtime", "gemini-2.5-flash", "claude-sonnet-4-5", "gpt-4o", "own", "dall-e-2", "sora-2"];
  const index = createRoutingIndex();
  index.add(channelEntry({ id: 1, models, groups: ["default"] }));
  const settings = fixedSettings({ CacheCreationRatio: '{"own": 1.5}', AudioCompletionRatio: '{"own": 3}' });
  const { models: listed } = listPrices(
    { settings, channels: index, prices: createPriceTable(settings), catalog: () => shippedCatalog },
    "default",
  );
  const ratios = listed.map(({ model_name, audio_ratio, audio_completion_ratio, cache_creation_ratio }) => [
    model_name,
    [audio_ratio, audio_completion_ratio, cache_creation_ratio],
  ]);
  expect(Object.fromEntries(ratios)).toEqual({
    "gpt-realtime": [8, 2, null],
    "gemini-2.5-flash": [3.333333, null, null],
    "claude-sonnet-4-5": [null, null, 1.25],
    "gpt-4o": [null, null, null],
    own: [null, 3, 1.5],
    "dall-e-2": [null, null, null],
    "sora-2": [null, null, null],
  });
});

test("a model behind a prefix or a mapping is shown at the price, and by the unit, that its calls are charged by", () => {
  const index = createRoutingIndex();
  const models = ["gpt-4o", "tts-1", "dall-e-3"];
  index.add(channelEntry({ id: 1, models, modelPrefix: "vip-", groups: ["default"] }));
  const mapped = (id: number, as: string) =>
    channelEntry({ id, priority: -id, models: ["alias", "gpt-4o"], modelMapping: new Map([["alias", as]]) });
  // The first knows the name by one that nobody has priced.
  index.add(mapped(2, "nameless"));
  index.add(mapped(3, "tts-1"));
  index.add(mapped(4, "gpt-4o"));
  const settings = fixedSettings({
    ModelRatio: '{"gpt-4o": 1.25, "tts-1": 7.5}',
    CompletionRatio: '{"gpt-4o": 4}',
    ModelPrice: '{"dall-e-3": 0.04}',
  });
  const { models: listed } = listPrices(
    { settings, channels: index, prices: createPriceTable(settings), catalog: () => shippedCatalog },
    "default",
  );
  const shown = listed.map(({ model_name, is_priced, unit, model_ratio, model_price }) => [
    model_name,
    [is_priced, unit, model_ratio, model_price],
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    "vip-gpt-4o": [true, "token", 1.25, 0],
    "vip-tts-1": [true, "character", 7.5, 0],
    "vip-dall-e-3": [true, "image", 0, 0.04],
    alias: [true, "character", 7.5, 0],
    "gpt-4o": [true, "token", 1.25, 0],
  });
});

test("2,000 models in five groups are looked up once each", () => {
  const index = createRoutingIndex();
  const models = Array.from({ length: 2000 }, (_, at) => `maker-${at % 20}/model-${at}`);
  const groups = ["default", "a", "b", "c", "d"];
  for (let id = 1; id <= 20; id += 1) index.add(channelEntry({ id, models, groups }));
  const settings = fixedSettings({
    ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1.5]))),
    GroupRatio: JSON.stringify(Object.fromEntries(groups.map((group) => [group, 1]))),
    UserUsableGroups: JSON.stringify(Object.fromEntries(groups.map((group) => [group, group]))),
  });
  const deps = { settings, channels: index, prices: createPriceTable(settings), catalog: () => shippedCatalog };
  const [candidates, modelsOf] = [spyOn(index, "candidates"), spyOn(index, "modelsOf")];
  const { models: listed } = listPrices(deps, "default");
  expect(listed).toHaveLength(2000);
  expect(candidates).toHaveBeenCalledTimes(models.length);
  expect(modelsOf).toHaveBeenCalledTimes(groups.length);
});

test("says what each price is for, what variants cost, and which prices are assumed", () => {
  const hosted = ["@cf/openai/whisper-large-v3-turbo", "@cf/deepgram/aura-1", "@cf/black-forest-labs/flux-1-schnell"];
  const known = ["gpt-4o", "tts-1", "whisper-1", "dall-e-3", "sora-2-pro", "suno_music", "rerank-v3.5", "own-draws"];
  const models = [...known, ...hosted, "speech-2.5-hd-preview"];
  const index = createRoutingIndex();
  index.add(channelEntry({ id: 1, type: 1, models, groups: ["default"] }));
  index.add(channelEntry({ id: 2, type: 1010, models: ["kling-v1", "own-film"], groups: ["default"] }));
  const prices = { ...DEFAULT_MODEL_PRICE, "own-film": 0.5, "own-draws": 0.1 };
  const settings = fixedSettings({ ModelPrice: JSON.stringify(prices) });
  const list = listPrices(
    { settings, channels: index, prices: createPriceTable(settings), catalog: () => shippedCatalog },
    "default",
  );
  const shown = Object.fromEntries(
    list.models.map(({ model_name, unit, is_estimate }) => [model_name, [unit, is_estimate]]),
  );
  expect(shown).toEqual({
    "gpt-4o": ["token", false],
    "tts-1": ["character", false],
    "whisper-1": ["minute", false],
    "@cf/openai/whisper-large-v3-turbo": ["minute", false],
    "@cf/deepgram/aura-1": ["character", false],
    "speech-2.5-hd-preview": ["character", false],
    "@cf/black-forest-labs/flux-1-schnell": ["image", false],
    "dall-e-3": ["image", false],
    "sora-2-pro": ["second", false],
    suno_music: ["call", true],
    "rerank-v3.5": ["call", false],
    "own-draws": ["call", false],
    "kling-v1": ["second", false],
    "own-film": ["second", false],
  });
  const variantsOf = (name: string) => list.models.find(({ model_name }) => model_name === name)?.variants;
  expect(variantsOf("sora-2-pro")).toEqual({ "size=1024x1792|1792x1024": 0.5 });
  expect(variantsOf("kling-v1")).toEqual({ "mode=pro": 0.098 });
});
