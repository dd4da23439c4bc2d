import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { decimal, toText } from "../../lib/values/decimal.ts";
import { discountsAt } from "./price-rules.ts";
import { createPriceTable } from "./price-table.ts";

const discount = (group: string, percent: number, from: number, until: number) => ({
  ...{ group, percent: decimal(percent), from, until },
});
const inForce = (discounts: Parameters<typeof discountsAt>[0], now: number) => {
  const { byGroup, validUntil } = discountsAt(discounts, now);
  return [Object.fromEntries([...byGroup].map(([group, { percent }]) => [group, Number(toText(percent))])), validUntil];
};

describe("discounts in force", () => {
  const sale = [discount("vip", 10, 100, 200)];
  test.each([
    ["before", 99, {}, 100],
    ["the first second", 100, { vip: 10 }, 200],
    ["the last second", 199, { vip: 10 }, 200],
    ["after", 200, {}, Number.POSITIVE_INFINITY],
  ])("%s", (_, now, expected, validUntil) => expect(inForce(sale, now)).toEqual([expected, validUntil]));

  test.each([[[10, 30, 20]], [[30, 20, 10]], [[10, 20, 30]]])("of %p percent a group has the largest", (percents) => {
    const several = percents.map((percent, index) => discount("vip", percent, 0, 100 + index));
    expect(inForce([...several, discount("default", 5, 0, 500)], 50)).toEqual([{ vip: 30, default: 5 }, 100]);
  });

  test("change when the next of all begins or ends", () => {
    const several = [discount("a", 1, 0, 90), discount("b", 1, 70, 80), discount("c", 1, 0, 10)];
    expect(inForce(several, 50)).toEqual([{ a: 1 }, 70]);
    expect(inForce(several, 75)).toEqual([{ a: 1, b: 1 }, 80]);
    expect(inForce(several, 85)).toEqual([{ a: 1 }, 90]);
  });
});

test("a price table applies a discount to its group's ratio for as long as it lasts", () => {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString();
  const sale = (group: string, percent: number) => ({ group, percent, from: time(100), until: time(200) });
  let now = 99;
  const table = createPriceTable(
    fixedSettings({
      GroupRatio: '{"vip": 0.8, "default": 1}',
      GroupDiscounts: JSON.stringify([sale("vip", 25), sale("unlisted", 12.5)]),
    }),
    () => now,
  );
  const ratios = () =>
    ["vip", "unlisted", "default"].map((group) => {
      const ratio = table().groupRatio.get(group);
      return ratio && toText(ratio);
    });
  expect(ratios()).toEqual(["0.8", undefined, "1"]);
  now = 100;
  expect(ratios()).toEqual(["0.6", "0.875", "1"]);
  expect(table().discounts.get("vip")).toMatchObject({ from: 100, until: 200 });
  now = 200;
  expect(ratios()).toEqual(["0.8", undefined, "1"]);
});
