import { expect, test } from "bun:test";
import { readLcov } from "./coverage.ts";

test("reads which lines of which file were executed", () => {
  const report = "TN:\nSF:src/a.ts\nDA:1,3\nDA:2,0\nend_of_record\nSF:src/b.ts\nDA:7,1\nend_of_record\n";
  expect(readLcov(report)).toEqual(
    new Map([
      ["src/a.ts", new Set([1])],
      ["src/b.ts", new Set([7])],
    ]),
  );
});
