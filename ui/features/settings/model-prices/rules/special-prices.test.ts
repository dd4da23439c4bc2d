import { expect, test } from "bun:test";
import { hoursText, isTierName, readHours, readServiceTiers, serviceTiersText } from "./special-prices.ts";

test("service tiers are read as rows and written by model", () => {
  const rows = [
    { model: "a", tier: "priority", input: 2, output: 2, cached: null },
    { model: "b", tier: "fast", input: 6, output: 6, cached: 1 },
    { model: "a", tier: "flex", input: 0.5, output: 0.5, cached: 0.5 },
  ];
  const text = serviceTiersText(rows);
  expect(JSON.parse(text)).toEqual({
    a: { priority: { input: 2, output: 2 }, flex: { input: 0.5, output: 0.5 } },
    b: { fast: { input: 6, output: 6, cache_read: 1 } },
  });
  expect(readServiceTiers(text)).toHaveLength(3);
  expect(readServiceTiers('{"a": {"flex": {}}}')).toEqual([
    { model: "a", tier: "flex", input: 1, output: 1, cached: null },
  ]);
  for (const wrong of ["", "[]", '{"a": 1}', '{"a": {"flex": 2}}', '{"a": {"flex": {"input": "2"}}}'])
    expect(readServiceTiers(wrong)).toBeNull();
  expect(["priority", "geo:us", "a.b-c_1"].every(isTierName)).toBe(true);
  expect(["", "Priority", "geo:", "a b", "x".repeat(33)].some(isTierName)).toBe(false);
});

test("hours are read as rows, and every day is no list of days", () => {
  const peak = { model: "a", from: "09:00", until: "12:00", zone: "Asia/Shanghai", input: 2, output: 2, cached: null };
  const text = hoursText([
    { ...peak, days: ["fri", "mon"] },
    { ...peak, days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from: "22:00", until: "06:00" },
  ]);
  expect(JSON.parse(text).a).toEqual([
    { days: ["mon", "fri"], from: "09:00", until: "12:00", zone: "Asia/Shanghai", input: 2, output: 2 },
    { from: "22:00", until: "06:00", zone: "Asia/Shanghai", input: 2, output: 2 },
  ]);
  expect(readHours(text)?.map(({ days }) => days)).toEqual([["mon", "fri"], []]);
  for (const wrong of ["", "[]", '{"a": {}}', '{"a": [{"from": "09:00"}]}']) expect(readHours(wrong)).toBeNull();
});
