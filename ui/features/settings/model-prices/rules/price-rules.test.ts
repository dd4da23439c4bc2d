import { expect, test } from "bun:test";
import { discountsText, isoText, localText, readDiscounts, readTiers, tiersText } from "./price-rules.ts";

test("steps are read as rows and written by model, ascending", () => {
  const rows = [
    { model: "a", over: 9, input: 3, output: 1 },
    { model: "b", over: 5, input: 1, output: 1 },
    { model: "a", over: 2, input: 2, output: 1.5 },
  ];
  const text = tiersText(rows);
  expect(JSON.parse(text).a).toEqual([
    { over: 2, input: 2, output: 1.5 },
    { over: 9, input: 3, output: 1 },
  ]);
  expect(readTiers(text)).toHaveLength(3);
  expect(readTiers('{"a": [{"over": 2}]}')).toEqual([{ model: "a", over: 2, input: 1, output: 1 }]);
  for (const wrong of ["", "[]", '{"a": 1}', '{"a": [{"over": "x"}]}', '{"a": [null]}']) {
    expect(readTiers(wrong)).toBeNull();
  }
});

test("discounts keep their moments", () => {
  const rows = [{ group: "vip", percent: 5, from: "2026-06-01T10:00:00.000Z", until: "2026-07-01T00:00:00.000Z" }];
  expect(readDiscounts(discountsText(rows))).toEqual(rows);
  expect(isoText(localText(rows[0]?.from ?? ""))).toBe("2026-06-01T10:00:00.000Z");
  expect([localText("x"), isoText("")]).toEqual(["", null]);
  for (const wrong of ["", "{}", '[{"group": "vip"}]', "[null]"]) expect(readDiscounts(wrong)).toBeNull();
});
