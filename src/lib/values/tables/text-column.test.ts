import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TextColumn } from "./text-column.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));
const noFolder = join(folder, "a-file");
writeFileSync(noFolder, "");

/** In memory, in a file, and where the disk takes nothing. */
const PLACES = [
  ["memory", null],
  ["a file", folder],
  ["memory again, since the disk refuses", noFolder],
] as const;

test.each(PLACES)("each row has the text that was set last: in %s", (_, place) => {
  const column = new TextColumn(place);
  const expected = new Map<number, string>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let step = 0; step < 60_000; step += 1) {
    const row = random(9000);
    const text = random(9) === 0 ? "" : `${"key 钥匙 ".repeat(random(30))}${step}`;
    column.set(row, text);
    expected.set(row, text);
    const other = random(9000);
    if (step % 7 === 0) expect(column.get(other)).toBe(expected.get(other) ?? "");
  }
  expect([...expected.keys()].map((row) => column.get(row))).toEqual([...expected.values()]);
  expect(column.get(2_999_999)).toBe("");
});

test("the file has no name", () => {
  expect(readdirSync(folder)).toEqual(["a-file"]);
});

test("a text that grows again and again leaves no trace", () => {
  const column = new TextColumn(folder);
  column.set(1, "next");
  for (let length = 0; length < 3000; length += 1) column.set(0, "x".repeat(length));
  expect(column.get(0)).toHaveLength(2999);
  expect(column.get(1)).toBe("next");
});

test("a text of any length has its place", () => {
  const column = new TextColumn(folder);
  const texts = ["x".repeat(349_000), "钥".repeat(349_000), "x".repeat(2_000_000), "short"];
  for (const order of [texts, texts.toReversed()]) {
    for (const [row, text] of order.entries()) column.set(row, text);
    expect(order.map((_, row) => column.get(row) === order[row])).toEqual([true, true, true, true]);
  }
});
