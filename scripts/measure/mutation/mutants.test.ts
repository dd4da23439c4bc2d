import { describe, expect, test } from "bun:test";
import { instrument, SWITCH } from "./instrument.ts";
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

describe("instrumented text", () => {
  /** What the function `f` of a text returns, by the number of the active mutant. */
  const run = (text: string, active: number): unknown => {
    const compiled = new Bun.Transpiler({ loader: "ts" }).transformSync(instrument(text, listMutants("a.ts", text), 0));
    return new Function(SWITCH, `${compiled}; return f();`)((id: number) => id === active);
  };

  test.each([
    ["one mutant in another", "const f = () => (1 + 2) * 3 > 9;"],
    ["an else after a statement", "function f() { let x = 0; if (x > 1) x += 1; else x = 5; return x; }"],
    ["numbers as names", "const f = () => ({ 400: true, 500: false })[400];"],
    ["a method in a chain", "const f = () => [1, 2]?.some((x) => x > 1).toString();"],
    ["operators that can't stand together", "const f = () => (null ?? undefined ?? 1) || 2;"],
    [
      "a call of super",
      "class A { a = 1 } class B extends A { constructor() { super(); this.a = 2; } } const f = () => new B().a;",
    ],
  ])("does what the text does, and in turn what each mutant does: %s", (_, text) => {
    const compile = (source: string) => new Bun.Transpiler({ loader: "ts" }).transformSync(source);
    const plain = (source: string) => new Function(`${compile(source)}; return f();`)();
    expect(run(text, -1)).toEqual(plain(text));
    for (const [index, mutant] of listMutants("a.ts", text).entries()) {
      // What the mutated text would do where it can be compiled.
      try {
        compile(applyMutant(text, mutant));
      } catch {
        continue;
      }
      expect([mutant.replacement, run(text, index)]).toEqual([mutant.replacement, plain(applyMutant(text, mutant))]);
    }
  });
});
