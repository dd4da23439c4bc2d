import { expect, test } from "bun:test";
import { fitColumns } from "./use-column-widths.ts";

const COLUMNS = [
  { id: "time", size: 100 },
  { id: "key", size: 80, need: 140 },
  { id: "type", size: 90, need: 50 },
];

test("a text that needs less leaves its room to one that is cut", () => {
  const { widths, least } = fitColumns(COLUMNS, 290);
  expect(Object.fromEntries(widths)).toEqual({ time: 100, key: 140, type: 50 });
  expect(least).toBe(230);
});

test("without enough room all that are cut get the same share of what they want", () => {
  const { widths } = fitColumns([...COLUMNS, { id: "user", size: 60, need: 80 }], 330);
  expect(Object.fromEntries(widths)).toEqual({ time: 100, key: 110, type: 50, user: 70 });
});

test("a table wider than its room keeps the sizes", () => {
  expect(Object.fromEntries(fitColumns(COLUMNS, 100).widths)).toEqual({ time: 100, key: 80, type: 50 });
});

test("what the reader chose stays, but never too narrow to see", () => {
  const chosen = [
    { id: "key", size: 80, need: 140, chosen: 90 },
    { id: "time", size: 100, chosen: 3 },
  ];
  expect(Object.fromEntries(fitColumns(chosen, 900).widths)).toEqual({ key: 90, time: 48 });
});
