import { expect, test } from "bun:test";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { toText } from "../../../lib/values/decimal.ts";
import { createPriceTable } from "../price-table.ts";
import { findPrice } from "../resolve-price.ts";
import { ownRatios } from "./own-ratios.ts";

const table = createPriceTable(
  fixedSettings({
    ModelRatio: '{"plain":1,"listens":1,"speaks":1,"caches":1,"claude-x":1,"x-realtime":1}',
    ModelPrice: '{"draws":0.5}',
    AudioRatio: '{"listens":3}',
    AudioCompletionRatio: '{"speaks":4}',
    CacheCreationRatio: '{"caches":5}',
  }),
)();

const own = (model: string) => {
  const price = findPrice(table, { requestedModel: model, upstreamModels: [model], group: "default" });
  if (price?.kind !== "per_token") throw new Error(`${model} is not priced by tokens`);
  return Object.fromEntries(Object.entries(ownRatios(table, price)).map(([part, ratio]) => [part, toText(ratio)]));
};

test.each([
  ["plain", {}],
  ["listens", { audio: "3" }],
  ["speaks", { audioCompletion: "4" }],
  ["caches", { cacheCreation: "5" }],
  ["claude-x", { cacheCreation: "1.25" }],
  ["x-realtime", { audio: "20", audioCompletion: "2" }],
])("%s has for itself %p", (model, ratios) => expect(own(model)).toEqual(ratios));

test("a model has the price of its requested name, else of the first upstream name with one, else none", () => {
  const pricedAs = (requestedModel: string, ...upstreamModels: string[]) =>
    findPrice(table, { requestedModel, upstreamModels, group: "default" })?.pricedAs;
  expect([pricedAs("plain", "listens"), pricedAs("alias", "unknown", "listens", "speaks")]).toEqual([
    "plain",
    "listens",
  ]);
  expect([pricedAs("alias", "unknown"), pricedAs("alias"), pricedAs("draws", "x")]).toEqual([
    undefined,
    undefined,
    "draws",
  ]);
});
