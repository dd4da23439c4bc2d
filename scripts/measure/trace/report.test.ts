import { expect, test } from "bun:test";
import { countTrace, formatTrace } from "./report.ts";

const open = { file: "src/a/open.ts", name: "open", line: 1 };
const read = { file: "src/a/read.ts", name: "read", line: 1 };
const entered = [open, read, read, open];

test("counts functions and files once and every change of file", () => {
  expect(countTrace(entered)).toEqual({ calls: 4, functions: 2, files: 2, folders: 1, switches: 2 });
});

test("lists the stays in files in order, and repeated calls with their count", () => {
  expect(
    formatTrace(entered)
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual(["1  src/a/open.ts: open", "2  src/a/read.ts: read ×2", "3  src/a/open.ts: open"]);
});
