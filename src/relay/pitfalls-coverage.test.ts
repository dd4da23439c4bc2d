import { expect, test } from "bun:test";
import { join } from "node:path";

/** Rows of the table of pitfalls (specification of wire formats, section 7). */
const ROWS = 100;
const NAMED = /["'`]pitfalls? (\d+(?:, \d+)*): \S/g;

test("every row of the table of pitfalls has a test named after it", async () => {
  const root = join(import.meta.dir, "..");
  const named = new Set<number>();
  for await (const path of new Bun.Glob("**/*.test.ts").scan(root)) {
    const text = await Bun.file(join(root, path)).text();
    for (const [, rows = ""] of text.matchAll(NAMED)) for (const row of rows.split(", ")) named.add(Number(row));
  }
  const rows = Array.from({ length: ROWS }, (_, at) => at + 1);
  expect(rows.filter((row) => !named.has(row))).toEqual([]);
  expect([...named].filter((row) => row < 1 || row > ROWS)).toEqual([]);
});
