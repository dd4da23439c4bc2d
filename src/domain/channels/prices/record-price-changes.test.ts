import { afterAll, beforeAll, expect, test } from "bun:test";
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

const look = (models: readonly string[], ratios: Record<string, number>, time: number, perCall = {}) => {
  const settings = fixedSettings({ ModelRatio: JSON.stringify(ratios), ModelPrice: JSON.stringify(perCall) });
  const channels = {
    all: () => [channelEntry({ models: [...models] }), channelEntry({ id: 2, status: 3, models: ["off"] })],
  };
  return recordPriceChanges({ db: database.db, channels, prices: createPriceTable(settings) }, time);
};
const all = { page: 0, pageSize: 100 };

test("the first look remembers; then new models, other prices and models that went are written down once", async () => {
  const ratios = { a: 1.25, b: 2, off: 3 };
  expect(await look(["a", "b", "unpriced"], ratios, 100)).toEqual([]);
  expect(await look(["a", "b"], ratios, 200)).toEqual([]);
  expect((await listPriceChanges(database.db, null, all)).total).toBe(0);

  const changes = await look(["a", "c"], { ...ratios, a: 1.5, c: 9 }, 300, { c: 0.1 });
  expect(changes.toSorted((x, y) => x.model.localeCompare(y.model))).toEqual([
    {
      model: "a",
      before: { modelRatio: "1.25", completionRatio: "1", cacheRatio: "1" },
      after: { modelRatio: "1.5", completionRatio: "1", cacheRatio: "1" },
    },
    { model: "b", before: { modelRatio: "2", completionRatio: "1", cacheRatio: "1" }, after: null },
    { model: "c", before: null, after: { usdPerCall: "0.1" } },
  ]);
  expect(await look(["a", "c"], { ...ratios, a: 1.5, c: 9 }, 400, { c: 0.1 })).toEqual([]);
  const { items, total } = await listPriceChanges(database.db, null, all);
  expect(total).toBe(3);
  expect(new Set(items.map(({ changed_at }) => changed_at))).toEqual(new Set([300]));
  expect(await listPriceChanges(database.db, ["c", "x"], all)).toMatchObject({
    total: 1,
    items: [{ model_name: "c", before: null, after: { usdPerCall: "0.1" } }],
  });
  expect((await listPriceChanges(database.db, [], all)).total).toBe(0);
});

test("a model costs what its upstream's name costs where its own has no price", async () => {
  const of = (modelMapping: ReadonlyMap<string, string>) => ({
    all: () => [channelEntry({ models: ["alias"], modelPrefix: "vip-", modelMapping })],
  });
  const prices = createPriceTable(fixedSettings({ ModelPrice: '{"dear": 2}', ModelRatio: "{}" }))();
  expect(presentPrices(of(new Map([["alias", "nameless"]])), prices)).toEqual(new Map());
  for (const name of ["alias", "vip-alias"]) {
    expect(presentPrices(of(new Map([[name, "dear"]])), prices)).toEqual(new Map([["vip-alias", { usdPerCall: "2" }]]));
  }
});

test("replicas that look at the same time write a change once", async () => {
  await look(["a"], { a: 1, off: 3 }, 500);
  const found = await Promise.all([1, 2, 3, 4].map(() => look(["a"], { a: 7, off: 3 }, 600)));
  expect(found.map(({ length }) => length).toSorted()).toEqual([0, 0, 0, 1]);
});
