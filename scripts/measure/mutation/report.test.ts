import { expect, test } from "bun:test";
import { renderReport, type TriedMutant } from "./report.ts";

test("counts what tests noticed, by file and in all", () => {
  const host = { start: 0, end: 1, form: "expression", mutated: "" } as const;
  const base = { line: 1, start: 0, end: 1, replacement: "", kind: "logic", host } as const;
  const tried: TriedMutant[] = [
    { ...base, file: "b.ts", outcome: "timeout" },
    { ...base, file: "a.ts", outcome: "killed" },
    { ...base, file: "a.ts", outcome: "survived" },
    { ...base, file: "a.ts", outcome: "not covered" },
  ];
  expect(renderReport(tried).trim().split("\n").slice(2)).toEqual([
    "| `a.ts` | 3 | 1 | 1 | 1 | 33 % |",
    "| `b.ts` | 1 | 1 | 0 | 0 | 100 % |",
    "| **All** | 4 | 2 | 1 | 1 | 50 % |",
  ]);
});
