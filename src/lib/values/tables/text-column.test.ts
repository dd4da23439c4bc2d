import { expect, test } from "bun:test";
import { TextColumn } from "./text-column.ts";

test("each row has the text that was set last", () => {
  const column = new TextColumn();
  const expected = new Map<number, string>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let step = 0; step < 20_000; step += 1) {
    const row = random(3000);
    const text = random(9) === 0 ? "" : `${"key 钥匙 ".repeat(random(5))}${step}`;
    column.set(row, text);
    expected.set(row, text);
  }
  expect([...expected.keys()].map((row) => column.get(row))).toEqual([...expected.values()]);
  expect(column.get(2_999_999)).toBe("");
});

test("a text that grows again and again leaves no trace", () => {
  const column = new TextColumn();
  column.set(1, "next");
  for (let length = 0; length < 3000; length += 1) column.set(0, "x".repeat(length));
  expect(column.get(0)).toHaveLength(2999);
  expect(column.get(1)).toBe("next");
});
