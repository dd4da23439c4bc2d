import { expect, test } from "bun:test";
import { ENTER, instrument, type TracedFunction } from "./instrument.ts";

/** Runs the instrumented text and returns the names of the functions it entered, in order. */
function enteredBy(text: string): string[] {
  const functions: TracedFunction[] = [];
  const code = new Bun.Transpiler({ loader: "ts" }).transformSync(instrument("sample.ts", text, functions));
  const entered: string[] = [];
  new Function(ENTER, code)((index: number) => entered.push(functions[index]?.name ?? ""));
  return entered;
}

test("reports every kind of function by its name, in the order of entry", () => {
  const text = `
    function outer() { const inner = (n: number) => n + 1; return [1].map((n) => inner(n)); }
    class Counter { #count = 0; constructor() { this.#add(); } #add() { this.#count += 1; } get value() { return this.#count; } }
    const table = { run: () => ({ ok: true }), stop() {} };
    outer(); new Counter().value; table.run(); table.stop();`;
  expect(enteredBy(text)).toEqual([
    ...["outer", "outer.(anonymous)", "outer.inner"],
    ...["Counter.constructor", "Counter.#add", "Counter.value", "run", "stop"],
  ]);
});

test("keeps what nested expressions return", () => {
  const functions: TracedFunction[] = [];
  const code = instrument(
    "sample.ts",
    "const add = (a: number) => (b: number) => a + b; return add(1)(2);".replace("return", "result ="),
    functions,
  );
  const plain = new Bun.Transpiler({ loader: "ts" }).transformSync(code);
  expect(new Function(ENTER, `let result; ${plain}; return result;`)(() => {})).toBe(3);
});

test("leaves declarations without a body alone and counts lines from 1", () => {
  const functions: TracedFunction[] = [];
  instrument(
    "sample.ts",
    "function f(a: string): void;\nfunction f(a: unknown) {}\nabstract class A { abstract g(): void }",
    functions,
  );
  expect(functions).toEqual([{ file: "sample.ts", name: "f", line: 2 }]);
});
