import { expect, test } from "bun:test";
import { join } from "node:path";
import { channelTypes } from "../../../src/providers/registry.ts";
import { channelTypeTable, compatibilityTable, withServices, withTable } from "./compatibility-table.ts";
import { withImports } from "./import-tables.ts";

test("the compatibility page matches the tests and the registry (else run: bun scripts/docs/compatibility.ts)", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/guide/compatibility.md")).text();
  expect(withTable(page)).toBe(page);
});

test("the page of services matches their records (else run: bun scripts/docs/compatibility.ts)", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/contributing/services.md")).text();
  expect(withServices(page)).toBe(page);
});

test("every cell is yes, or has a reason below the table", () => {
  const [table = "", reasons = ""] = compatibilityTable().split("\n\n");
  const rows = table.split("\n").slice(2);
  for (const row of rows) {
    for (const cell of row.split(" | ").slice(1)) {
      const number = /^no<sup>(\d+)<\/sup>/.exec(cell)?.[1];
      if (number === undefined) expect(cell).toStartWith("yes");
      else expect(reasons).toContain(`${number}. `);
    }
  }
});

test("every channel type has a row", () => {
  const rows = channelTypeTable().split("\n").slice(2);
  expect(rows.map((row) => Number(row.split(" | ")[0]?.slice(2)))).toEqual(channelTypes.map(({ id }) => id));
});

test("balances are available for types with an API of their own, and by OpenAI's and custom channels", () => {
  const rows = channelTypeTable().split("\n").slice(2);
  const fetchedOf = (id: number) =>
    rows
      .find((row) => row.startsWith(`| ${id} |`))
      ?.split(" | ")
      .at(-1);
  expect([1, 8, 14, 36].map(fetchedOf)).toEqual(["models, balance |", "balance |", "models |", "– |"]);
});

test("a text without markers is refused", () => {
  expect(() => withTable("# Title")).toThrow("matrix");
});

test("the page of imports matches the facts and the real schemas (else run: bun scripts/docs/compatibility.ts)", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/guide/migration.md")).text();
  expect(withImports(page)).toBe(page);
  expect(page).not.toContain("left out: unknown");
});
