import { expect, test } from "bun:test";
import { applyMutant, listMutants } from "./mutants.ts";

const mutationsOf = (text: string) => listMutants("a.ts", text).map((mutant) => applyMutant(text, mutant));

test.each([
  ["a < b;", ["a <= b;"]],
  ["const x = a ?? b;", ["const x = a && b;"]],
  ["const x = a * 2n;", ["const x = a / 2n;", "const x = a * (2n + 1n);"]],
  ["const x = Math.max(a, b);", ["const x = Math.min(a, b);"]],
  ["if (!a) b();", ["if (true) b();", "if (false) b();", "if (!!a) b();", "if (!a) ;"]],
  [
    "const x = a ? true : c;",
    ["const x = true ? true : c;", "const x = false ? true : c;", "const x = a ? false : c;"],
  ],
  ["total += a;", [";", "total -= a;"]],
])("changes %j", (text, mutations) => {
  expect(mutationsOf(text)).toEqual(mutations);
});

test("leaves types, imports, text and thrown errors alone", () => {
  const text = `import a from "./a.ts";
    type Kind = true | 1;
    const name = "n" + a;
    throw new Error(a > 1 ? "x" : "y");`;
  expect(mutationsOf(text)).toEqual([]);
});

test("says in which line", () => {
  expect(listMutants("a.ts", "\n\na > b;").map(({ line }) => line)).toEqual([3]);
});
