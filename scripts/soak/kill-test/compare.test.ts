import { expect, test } from "bun:test";
import { compare, isExact } from "./compare.ts";

const rowsById = (...ids: string[]) => {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
};

test("answers that are in the log once, charged as the account says, are exact", () => {
  const counted = { rows: 3, charged: 30, spent: 30, rowsById: rowsById("a", "b", "broken") };
  const verdict = compare({ delivered: ["a", "b"], upstreamCalls: 3 }, counted);
  expect(verdict).toMatchObject({ lost: 0, doubled: 0, difference: 0 });
  expect(isExact(verdict)).toBe(true);
});

test("a lost answer, a doubled row and a charge without a row are each found", () => {
  const seen = { delivered: ["a", "b"], upstreamCalls: 2 };
  expect(compare(seen, { rows: 1, charged: 10, spent: 10, rowsById: rowsById("a") })).toMatchObject({ lost: 1 });
  const twice = compare(seen, { rows: 3, charged: 30, spent: 30, rowsById: rowsById("a", "b", "b") });
  expect(twice).toMatchObject({ lost: 0, doubled: 1 });
  const more = compare(seen, { rows: 2, charged: 20, spent: 30, rowsById: rowsById("a", "b") });
  expect(more).toMatchObject({ lost: 0, doubled: 0, difference: 10 });
  expect([twice, more].some(isExact)).toBe(false);
});

test("without ids the numbers count; sums of fractions may differ by their last digits", () => {
  const seen = { delivered: [null, null, null], upstreamCalls: 3 };
  expect(compare(seen, { rows: 2, charged: 0.2, spent: null, rowsById: null })).toMatchObject({ lost: 1, doubled: 0 });
  expect(compare(seen, { rows: 4, charged: 0.4, spent: 0.4, rowsById: null })).toMatchObject({ lost: 0, doubled: 1 });
  const exact = compare(seen, { rows: 3, charged: 0.1 + 0.2, spent: 0.3, rowsById: null });
  expect(isExact(exact)).toBe(true);
});
