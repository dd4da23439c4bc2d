import { expect, test } from "bun:test";
import { listImports } from "./import-list.ts";

const TARGETS = ["src/lib/a.ts", "src/lib/b.tsx", "src/lib/c/index.ts"].map((path) => ({ path, text: "" }));

function importsOf(text: string) {
  return listImports([{ path: "src/billing/x.ts", text }, ...TARGETS]).map(({ target, typeOnly, line }) => [
    target,
    typeOnly,
    line,
  ]);
}

test("finds every way to import a file of the project, and leaves packages out", () => {
  const text = [
    'import { one,\n  two } from "../lib/a.ts";',
    'import "../lib/b";',
    'export * from "../lib/c";',
    'const lazy = () => import("../lib/a");',
    'import pino from "pino";',
  ].join("\n");
  expect(importsOf(text)).toEqual([
    ["src/lib/a.ts", false, 2],
    ["src/lib/b.tsx", false, 3],
    ["src/lib/c/index.ts", false, 4],
    ["src/lib/a.ts", false, 5],
  ]);
});

test("tells types from values", () => {
  expect(importsOf('import type { A } from "../lib/a";')).toEqual([["src/lib/a.ts", true, 1]]);
  expect(importsOf('import { type A, type B } from "../lib/a";')).toEqual([["src/lib/a.ts", true, 1]]);
  expect(importsOf('import { type A, b } from "../lib/a";')).toEqual([["src/lib/a.ts", false, 1]]);
  expect(importsOf('let a: typeof import("../lib/a");')).toEqual([["src/lib/a.ts", true, 1]]);
});

test("does not take prose for imports", () => {
  expect(importsOf('// import { a } from "../lib/a";\n/*\nimport "../lib/b";\n*/')).toEqual([]);
});
