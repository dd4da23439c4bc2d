import { expect, test } from "bun:test";
import { markedPeriods } from "./marks.tsx";

test("a period with several events has one mark; events before the chart have none", () => {
  const mark = (at: number) => ({ at, text: "", to: "/audit" as const });
  expect(markedPeriods([mark(25), mark(21), mark(10), mark(5)], [10, 20, 30])).toEqual([20, 10]);
});
