import { Database as SqliteFile } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REAL_SCHEMAS, tablesOf } from "../../../../test/support/import/real-schemas.ts";
import { openSource } from "../source.ts";
import { fatesOf } from "./column-facts.ts";
import { coverSource, writeCoverage } from "./cover-source.ts";
import { detectFamily, type Family } from "./detect-family.ts";
import { factsOf } from "./facts.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function coverageOf(family: Family, more: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "coverage-"));
  folders.push(folder);
  const path = join(folder, "source.db");
  const file = new SqliteFile(path, { create: true });
  for (const statement of [...tablesOf("SQLite", family), ...more]) file.run(statement);
  file.close();
  const source = await openSource(path);
  try {
    return { found: await detectFamily(source), lines: await coverSource(source, family) };
  } finally {
    await source.close();
  }
}

const FAMILIES = Object.keys(REAL_SCHEMAS) as Family[];

test.each(FAMILIES)("each table and column of %s has one line", async (family) => {
  const { found, lines } = await coverageOf(family);
  expect(found).toBe(family);
  expect(lines.filter(({ fate }) => fate === "left out, unknown")).toEqual([]);
  for (const [table, columns] of Object.entries(REAL_SCHEMAS[family])) {
    const own = lines.filter((line) => line.table === table);
    const isLeftOut = own.length === 1 && own[0]?.columns.length === 0;
    if (!isLeftOut) expect(own.flatMap((line) => line.columns).toSorted()).toEqual(Object.keys(columns).toSorted());
    for (const { fate, because } of own) expect(because !== "").toBe(fate !== "taken");
  }
});

test.each(FAMILIES)("no fact of %s stands twice", (family) => {
  for (const facts of Object.values(factsOf(family))) {
    if (typeof facts === "string") continue;
    const listed = [facts.taken, ...Object.keys(facts.converted ?? {}), ...Object.keys(facts.leftOut ?? {})]
      .join(" ")
      .split(/\s+/)
      .filter(Boolean);
    expect(listed.length).toBe(fatesOf(facts).size);
  }
});

test("what nobody knows is named, with the rows that have a value", async () => {
  const { lines } = await coverageOf("new-api", [
    "alter table channels add column novelty text",
    "create table novelties (id integer)",
    "insert into novelties values (1), (2)",
    "insert into channels (name, novelty, remark) values ('a', 'x', 'note'), ('b', '', 'note'), ('c', '{}', null)",
  ]);
  const text = writeCoverage(lines);
  expect(text).toContain("left out, unknown (1 row): channels novelty\n");
  expect(text).toContain("left out, unknown (2 rows): novelties\n");
  expect(text).toContain("left out (2 rows), because channels have no notes: channels remark\n");
  expect(text).toContain("left out (0 rows), because made from the channels: abilities\n");
  expect(text).toContain(
    "converted (to the key's groups in order; auto is the option AutoGroups): tokens group auto_groups\n",
  );
});
