import { expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { decimal } from "../../lib/values/decimal.ts";
import { previewCharge } from "./preview-charge.ts";
import { createPriceTable } from "./price-table.ts";

const QUOTA_PER_UNIT = decimal(500_000);
const table = createPriceTable(
  fixedSettings({
    ModelRatio: '{"m":2,"voice":2}',
    ModelPrice: '{"drawing":0.04}',
    CompletionRatio: '{"m":3}',
    CacheCreationRatio: '{"m":1.5}',
    AudioRatio: '{"voice":10}',
    GroupRatio: '{"default":1,"vip":0.5}',
  }),
)();
const preview = (model: string, usage: Parameters<typeof previewCharge>[2]["usage"], group = "default") =>
  previewCharge(table, QUOTA_PER_UNIT, { model, group, usage });

test("charges and holds what such a call would", () => {
  expect(preview("m", { promptTokens: 100, completionTokens: 10 })).toMatchObject({
    kind: "per_token",
    isUnset: false,
    quota: 260,
    held: 260,
  });
  expect(preview("m", { promptTokens: 100, completionTokens: 10 }, "vip")).toMatchObject({ quota: 130, held: 130 });
  expect(preview("drawing", { promptTokens: 1 })).toMatchObject({ kind: "per_call", quota: 20_000, held: 20_000 });
});

test("holds the whole prompt as a cache write where the call writes one, of an hour where it writes such", () => {
  expect(preview("m", { promptTokens: 100, cacheCreationTokens: 1 })?.held).toBe(300);
  expect(preview("m", { promptTokens: 100, cacheCreationTokens: 1, longCacheCreationTokens: 1 })?.held).toBe(480);
  expect(preview("m", { promptTokens: 100 })?.held).toBe(200);
});

test("holds audio at its own price", () => {
  expect(preview("voice", { promptTokens: 100, audioInputTokens: 10 })?.held).toBe(380);
});

test("without an output nothing is held for one", () => {
  expect(preview("m", { promptTokens: 1 })?.held).toBe(2);
});

test("a model without a price costs what those pay who accept that, and says so", () => {
  expect(preview("unknown", { promptTokens: 2 })).toMatchObject({ isUnset: true, quota: 75 });
});

test("a service tier is charged and held as of a call that it served", () => {
  const usage = { promptTokens: 100, completionTokens: 10 };
  const inTier = (tier: string) => previewCharge(table, QUOTA_PER_UNIT, { model: "m", group: "default", usage, tier });
  expect(inTier("priority")).toMatchObject({ quota: 520, held: 520, receipt: { serviceTier: "priority" } });
  expect(inTier("geo:us")).toMatchObject({ quota: 286, receipt: { serviceTier: "geo:us", isGeneralTier: true } });
  for (const tier of ["", "default", "auto"]) expect(inTier(tier)?.quota).toBe(260);
});

test("fast is the speed of that name, and no other name of the priority tier", () => {
  const own = { ServiceTiers: '{"m": {"fast": {"input": 6, "output": 6}, "priority": {"input": 2, "output": 2}}}' };
  const paced = createPriceTable(fixedSettings({ ModelRatio: '{"m":1}', ...own }))();
  const inTier = (tier?: string) =>
    previewCharge(paced, QUOTA_PER_UNIT, { model: "m", group: "default", usage: { promptTokens: 10 }, tier });
  expect([inTier(" Fast "), inTier("priority"), inTier()].map((found) => found?.quota)).toEqual([60, 20, 10]);
});
