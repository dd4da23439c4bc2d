import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { contractVersion, type Release, readReleases, readTimes } from "../../../db/migrate/read-migrations.ts";
import { type Findings, ROOT } from "../source.ts";

const FOLDER = "db/migrations";

/** A migration's file. `time`: when it was made, milliseconds since 1970. */
export type MigrationFile = Readonly<{ path: string; time: number; sql: string }>;

/** What the migrations since the last release have made: no release uses it. */
type Made = Readonly<{ tables: Set<string>; columns: Set<string> }>;

const NAME = String.raw`(?:"public"\.)?"?(\w+)"?`;
const pattern = (source: string) => new RegExp(source.replaceAll("NAME", NAME).replaceAll(" ", String.raw`\s+`), "i");

const CREATE_TABLE = pattern(`^create table (?:if not exists )?NAME`);
const ADD_COLUMN = pattern(`^alter table (?:only )?NAME add column (?:if not exists )?NAME`);
const UPDATE = pattern(`^update (?:only )?NAME(?: (?:as )?\\w+)? set ([\\s\\S]*)`);

/** Statements after which a release that knows nothing of them fails or goes wrong. The table is named first. */
const BREAKING: readonly (readonly [RegExp, string])[] = [
  [pattern(`^drop table (?:if exists )?NAME`), "drops a table"],
  [pattern(`^truncate (?:table )?NAME`), "empties a table"],
  [pattern(`^delete from (?:only )?NAME`), "deletes rows"],
  [pattern(`^alter table (?:only )?NAME rename`), "renames"],
  [pattern(`^alter table (?:only )?NAME drop column`), "drops a column"],
  [pattern(`^alter table (?:only )?NAME alter column "?\\w+"? (?:set data )?type`), "changes the type of a column"],
  [pattern(`^alter table (?:only )?NAME alter column "?\\w+"? set not null`), "forbids null"],
  [pattern(`^alter table (?:only )?NAME alter column "?\\w+"? drop default`), "drops a default"],
  [pattern(`^alter table (?:only )?NAME (?:add|drop) constraint`), "changes a constraint"],
  [pattern(`^create unique index (?:\\w+ )*"?\\w+"? on NAME`), "forbids equal rows"],
  [
    pattern(`^drop (?:index|view|materialized view|function|trigger|sequence|type|schema) (?:if exists )?NAME`),
    "drops something",
  ],
];

/** The migrations of this project, oldest first, and its releases. */
export async function readMigrationFiles(): Promise<{ files: MigrationFile[]; releases: Release[] }> {
  const [times, releases] = await Promise.all([readTimes(), readReleases()]);
  const names = readdirSync(path.join(ROOT, FOLDER))
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const files = names.map((name, at) => ({
    path: `${FOLDER}/${name}`,
    time: times[at] ?? 0,
    sql: readFileSync(path.join(ROOT, FOLDER, name), "utf8"),
  }));
  return { files, releases };
}

/**
 * Checks that the last release goes on working on the tables of the next one: what its executable uses is taken away only
 * by a migration that names an earlier release which has left it unused (`-- contract: unused since VERSION`). The first
 * migration is what the first release begins with.
 */
export function checkMigrations(files: readonly MigrationFile[], releases: readonly Release[]): Findings {
  const released = Math.max(files[0]?.time ?? 0, ...releases.map(({ migration }) => migration));
  const made: Made = { tables: new Set(), columns: new Set() };
  const problems = files
    .filter(({ time }) => time > released)
    .flatMap(({ path: file, sql }) => {
      const found = breaksIn(sql, made);
      const version = contractVersion(sql);
      if (version !== null) {
        if (releases.some((release) => release.version === version)) return [];
        return [`${file}: ${version} is not released yet: what it leaves unused goes away in the release after it`];
      }
      return found.map(
        (what) =>
          `${file}: ${what}, which the last release uses. Leave it unused for one release; then take it away in a migration ` +
          "that begins with: -- contract: unused since VERSION",
      );
    });
  return { problems };
}

function breaksIn(sql: string, made: Made): string[] {
  return statementsOf(sql).flatMap((statement) => {
    const table = CREATE_TABLE.exec(statement)?.[1];
    if (table !== undefined) made.tables.add(table);
    const [, columnTable = "", column = ""] = ADD_COLUMN.exec(statement) ?? [];
    if (column !== "") return addedColumn(statement, columnTable, column, made);
    const [, updated = "", assignments = ""] = UPDATE.exec(statement) ?? [];
    if (updated !== "" && !made.tables.has(updated)) {
      return setsOnly(assignments, updated, made) ? [] : [`changes rows of ${updated}`];
    }
    return BREAKING.flatMap(([breaking, what]) => {
      const name = breaking.exec(statement)?.[1];
      return name === undefined || isNew(statement, name, made) ? [] : [`${what}: ${name}`];
    });
  });
}

function addedColumn(statement: string, table: string, column: string, made: Made): string[] {
  made.columns.add(`${table}.${column}`);
  const needsValue = /\bnot\s+null\b/i.test(statement) && !/\b(default|generated)\b/i.test(statement);
  return needsValue && !made.tables.has(table)
    ? [`adds ${table}.${column}, which has no default and must not be null`]
    : [];
}

/** Whether it is about a table, or a column, that no release knows. */
function isNew(statement: string, table: string, made: Made): boolean {
  if (made.tables.has(table)) return true;
  const [, column] = /(?:alter|drop)\s+column\s+(?:if\s+exists\s+)?"?(\w+)"?/i.exec(statement) ?? [];
  return column !== undefined && made.columns.has(`${table}.${column}`);
}

/** Whether an update fills columns that no release knows, and no others. */
function setsOnly(assignments: string, table: string, made: Made): boolean {
  const [set = ""] = assignments.split(/\b(?:from|where)\b/i);
  const columns = [...set.matchAll(/(?:^|,)\s*"?(\w+)"?\s*=/g)].map(([, column]) => column);
  return columns.length > 0 && columns.every((column) => made.columns.has(`${table}.${column}`));
}

/** Statements without comments, in their order. */
const statementsOf = (sql: string): string[] =>
  sql
    .split(/--> statement-breakpoint|;\s*$/m)
    .map((statement) => statement.replace(/^\s*--.*$/gm, "").trim())
    .filter(Boolean);
