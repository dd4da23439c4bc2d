import { afterAll, beforeAll, expect, test } from "bun:test";
import { modelPrices } from "../../../../db/schema/models/pricing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { createPriceTable } from "../../../billing/pricing/price-table.ts";
import { listPriceChanges } from "./list-price-changes.ts";
import { presentPrices, recordPriceChanges } from "./record-price-changes.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

type Options = Parameters<typeof fixedSettings>[0];

const look = (
  models: readonly string[],
  ratios: Record<string, number>,
  time: number,
  perCall = {},
  options: Options = {},
) => {
  const [ModelRatio, ModelPrice] = [JSON.stringify(ratios), JSON.stringify(perCall)];
  const settings = fixedSettings({ ModelRatio, ModelPrice, ToolPrice: "{}", ...options });
  const channels = {
    all: () => [channelEntry({ models: [...models] }), channelEntry({ id: 2, status: 3, models: ["off"] })],
  };
  return recordPriceChanges({ db: database.db, channels, prices: createPriceTable(settings) }, time);
};
const changesOf = (models: readonly string[] | null, page: Parameters<typeof listPriceChanges>[2]) =>
  listPriceChanges(database.db, models, page, {
    quotaPerUnit: 500_000,
    unitOf: (model) => (model === "c" ? "image" : null),
  });
const all = { page: 0, pageSize: 100 };
const NO_SPECIALS = { serviceTiers: {}, hourRules: {} };
const byTokens = (modelRatio: string) => ({
  modelRatio,
  completionRatio: "1",
  cacheRatio: "1",
  cacheCreationRatio: "1.25",
  longCacheCreationRatio: "2",
  audioRatio: "1",
  audioCompletionRatio: "1",
  imageRatio: null,
  imageCompletionRatio: null,
  contextTiers: [],
  ...NO_SPECIALS,
});
const TIER = { over: 200_000, input: "2", output: "1.5" };
const NO_EXTRAS = { MegapixelPrice: "{}", VideoPrice: "{}", ContextTiers: "{}", ServiceTiers: "{}", PriceHours: "{}" };
const byCall = (usdPerCall: string) => ({ usdPerCall, usdPerMegapixel: null, variants: {}, ...NO_SPECIALS });

test("the first look remembers; then new models, other prices and models that went are written down once", async () => {
  const ratios = { a: 1.25, b: 2, off: 3 };
  expect(await look(["a", "b", "unpriced"], ratios, 100)).toEqual([]);
  expect(await look(["a", "b"], ratios, 200)).toEqual([]);
  expect((await changesOf(null, all)).total).toBe(0);

  const changes = await look(["a", "c"], { ...ratios, a: 1.5, c: 9 }, 300, { c: 0.1 });
  expect(changes.toSorted((x, y) => x.model.localeCompare(y.model))).toEqual([
    {
      model: "a",
      before: byTokens("1.25"),
      after: byTokens("1.5"),
    },
    { model: "b", before: byTokens("2"), after: null },
    { model: "c", before: null, after: byCall("0.1") },
  ]);
  expect(await look(["a", "c"], { ...ratios, a: 1.5, c: 9 }, 400, { c: 0.1 })).toEqual([]);
  const { items, total } = await changesOf(null, all);
  expect(total).toBe(3);
  expect(new Set(items.map(({ changed_at }) => changed_at))).toEqual(new Set([300]));
  expect(await changesOf(["c", "x"], all)).toMatchObject({
    total: 1,
    items: [{ model_name: "c", before: null, after: byCall("0.1"), unit: "image" }],
  });
  expect(items.filter(({ unit }) => unit !== null)).toHaveLength(1);
  expect((await changesOf([], all)).total).toBe(0);
});

test("a model costs what its upstream's name costs where its own has no price", async () => {
  const of = (modelMapping: ReadonlyMap<string, string>) => ({
    all: () => [channelEntry({ models: ["alias"], modelPrefix: "vip-", modelMapping })],
  });
  const prices = createPriceTable(fixedSettings({ ModelPrice: '{"dear": 2}', ModelRatio: "{}", ToolPrice: "{}" }))();
  expect(presentPrices(of(new Map([["alias", "nameless"]])), prices)).toEqual(new Map());
  for (const name of ["alias", "vip-alias"]) {
    expect(presentPrices(of(new Map([[name, "dear"]])), prices)).toEqual(new Map([["vip-alias", byCall("2")]]));
  }
});

test("replicas that look at the same time write a change once", async () => {
  await look(["a"], { a: 1, off: 3 }, 500);
  const found = await Promise.all([1, 2, 3, 4].map(() => look(["a"], { a: 7, off: 3 }, 600)));
  expect(found.map(({ length }) => length).toSorted()).toEqual([0, 0, 0, 1]);
});

test.each([
  ["CacheRatio", '{"a": 0.5}', { cacheRatio: "0.5" }],
  ["CacheCreationRatio", '{"a": 2}', { cacheCreationRatio: "2", longCacheCreationRatio: "3.2" }],
  ["AudioRatio", '{"a": 8}', { audioRatio: "8", audioCompletionRatio: "2" }],
  ["AudioCompletionRatio", '{"a": 3}', { audioCompletionRatio: "3" }],
  ["ImageRatio", '{"a": 2}', { imageRatio: "2" }],
  ["ImageCompletionRatio", '{"a": 4}', { imageCompletionRatio: "4" }],
  ["ContextTiers", '{"a": [{"over": 200000, "input": 2, "output": 1.5}]}', { contextTiers: [TIER] }],
  [
    "ServiceTiers",
    '{"a": {"flex": {"input": 0.5, "output": 0.5}}}',
    { serviceTiers: { flex: { input: "0.5", output: "0.5", cacheRead: "0.5" } } },
  ],
  [
    "PriceHours",
    '{"a": [{"from": "09:00", "until": "12:00", "zone": "UTC", "input": 2, "output": 2, "cache_read": 1}]}',
    { hourRules: { "09:00–12:00 UTC": { input: "2", output: "2", cacheRead: "1" } } },
  ],
  ["MegapixelPrice", '{"c": 0.01}', { usdPerMegapixel: "0.01" }],
  ["VideoPrice", '{"c": {"mode=pro": 0.5}}', { variants: { "mode=pro": "0.5" } }],
] as const)("a change of %s is one of the price", async (option, value, changed) => {
  const lookAgain = (time: number, options: Options) => look(["a", "c"], { a: 1, off: 3 }, time, { c: 0.1 }, options);
  const [before, model] =
    "usdPerMegapixel" in changed || "variants" in changed ? [byCall("0.1"), "c"] : [byTokens("1"), "a"];
  await lookAgain(700, NO_EXTRAS);
  expect(await lookAgain(710, NO_EXTRAS)).toEqual([]);
  const after = { ...before, ...changed };
  expect(await lookAgain(720, { ...NO_EXTRAS, [option]: value })).toEqual([{ model, before, after }]);
  expect(await lookAgain(730, { ...NO_EXTRAS, [option]: value })).toEqual([]);
  expect(await lookAgain(740, NO_EXTRAS)).toEqual([{ model, before: after, after: before }]);
});

test("a row of a release that recorded fewer parts is completed without a report, and reported from then on", async () => {
  await look(["a", "c"], { a: 1, off: 3 }, 800, { c: 0.1 }, NO_EXTRAS);
  await database.db.delete(modelPrices);
  await database.db.insert(modelPrices).values([
    { model: "a", price: { modelRatio: "1", completionRatio: "1", cacheRatio: "1" } },
    { model: "c", price: { usdPerCall: "0.1" } },
    { model: "off", price: { modelRatio: "3", completionRatio: "1", cacheRatio: "1" } },
  ]);
  const options = { ...NO_EXTRAS, ToolPrice: '{"web_search": 0.01}', MegapixelPrice: '{"c": 0.01}' };
  const again = (time: number, more: Options = {}) =>
    look(["a", "c"], { a: 1, off: 3 }, time, { c: 0.1 }, { ...options, ...more });
  const { total } = await changesOf(null, all);
  expect(await again(810)).toEqual([]);
  expect((await changesOf(null, all)).total).toBe(total);
  const stored = new Map((await database.db.select().from(modelPrices)).map(({ model, price }) => [model, price]));
  expect(stored.get("a")).toEqual(byTokens("1"));
  expect(stored.get("c")).toEqual({ ...byCall("0.1"), usdPerMegapixel: "0.01" });
  expect(await again(820, { MegapixelPrice: '{"c": 0.02}' })).toMatchObject([
    { model: "c", before: { usdPerMegapixel: "0.01" }, after: { usdPerMegapixel: "0.02" } },
  ]);
});

test("a tool's price is recorded once, not with each model, and everybody sees it", async () => {
  const withTools = (time: number, tools: Record<string, number>) =>
    look(["a"], { a: 1, off: 3 }, time, {}, { ToolPrice: JSON.stringify(tools) });
  await withTools(900, { web_search: 0.01 });
  const one = (model: string, before: string, after: string) => [
    { model, before: { usdPerUse: before }, after: { usdPerUse: after } },
  ];
  expect(await withTools(910, { web_search: 0.02 })).toEqual(one("web_search", "0.01", "0.02"));
  expect(await withTools(920, { web_search: 0.02, maps: 0.1 })).toEqual(one("maps", "0", "0.1"));
  expect(await withTools(930, { web_search: 0.02 })).toEqual(one("maps", "0.1", "0"));
  expect(await withTools(940, { web_search: 0.02, "web_search:gpt": 0.03 })).toEqual(
    one("web_search:gpt", "0.02", "0.03"),
  );
  expect(await withTools(950, { web_search: 0.02, "web_search:gpt": 0.03, "web_search:gpt-4": 0.03 })).toEqual([]);
  const { items } = await changesOf(["a"], { page: 0, pageSize: 1 });
  expect(items).toMatchObject([{ model_name: "web_search:gpt", after: { usdPerUse: "0.03" } }]);
});
