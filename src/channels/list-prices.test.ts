import { expect, test } from "bun:test";
import { createPriceTable } from "../billing/pricing/price-table.ts";
import { channelEntry } from "../relay/testing/entries.ts";
import { fixedSettings } from "../settings/testing.ts";
import { listPrices } from "./list-prices.ts";
import { createRoutingIndex } from "./routing-index.ts";

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
  const deps = { settings, channels: index, prices: createPriceTable(settings) };
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
