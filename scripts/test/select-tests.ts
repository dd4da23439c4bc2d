import path from "node:path";
import type { SourceFile } from "../checks/source.ts";

/** What opens a database for a test, on either engine. */
const OPENER = "test/support/database.ts";
/** They open one to run, but test wire formats, which are the same on either engine. */
const ENGINE_FREE = ["test/contracts/providers/", "src/server/benchmark/"];
/**
 * Where the engines can differ: SQL of the project's own, transactions, recovery, jobs, and some lists and sums of the
 * console. The rest of the console and of the gateway meets the embedded engine in the end-to-end tests.
 */
const ON_BOTH = [
  /^(db|src\/(billing|cli\/import|settings|server\/jobs|domain\/(logs|wallet|channels|diagnostics))|test\/billing)\//,
  /^src\/console\/(accounts\/users|api-keys\/api-keys|logs\/(log-filters|logs)|sign-in\/setup|wallet\/redeem)\.test/,
  /^test\/gateway\/(tasks\/crash|files\/batches)\.test/,
];
/** What another file could see after the test: replaced modules, clocks, variables of the environment, processes. */
const LEAVES_TRACES = /\b(?:mock|jest|spyOn|setSystemTime|globalThis)\b|process\.env|Bun\.(?:env|spawn)|Worker\(/;

/** Test files that open a database, by where they run: on each engine in turn, or on Postgres alone. */
export type DatabaseTests = Readonly<{ onBoth: readonly string[]; onPostgres: readonly string[] }>;

/** Finds the test files that import the opener of databases, themselves or through another file. */
export function listDatabaseTests(files: readonly SourceFile[]): DatabaseTests {
  const openers = findImporters(files, [OPENER]);
  const tests = [...openers].filter(
    (file) =>
      file.endsWith(".test.ts") &&
      /^(src|db|test\/(?!e2e))/.test(file) &&
      !ENGINE_FREE.some((folder) => file.startsWith(folder)),
  );
  const isOnBoth = (file: string) => ON_BOTH.some((pattern) => pattern.test(file));
  return { onBoth: tests.filter(isOnBoth), onPostgres: tests.filter((file) => !isOnBoth(file)) };
}

/**
 * Finds the unit tests that can share one global object and the modules loaded into it, which saves most
 * of their time: they start nothing from test/support and replace nothing that others see.
 */
export function listPlainTests(files: readonly SourceFile[]): string[] {
  const support = files.map(({ path: file }) => file).filter((file) => file.startsWith("test/"));
  const starters = findImporters(files, support);
  return files
    .filter(({ path: file, text }) => /\.test\.tsx?$/.test(file) && !starters.has(file) && !LEAVES_TRACES.test(text))
    .map(({ path: file }) => file);
}

/** The given files and all that import them, themselves or through another file. */
function findImporters(files: readonly SourceFile[], targets: readonly string[]): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const { path: from, text } of files) {
    for (const target of importedFiles(from, text)) importers.set(target, [...(importers.get(target) ?? []), from]);
  }
  const found = new Set(targets);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return found;
}

/** The files of the project that this one loads at run time; type imports are gone by then. */
function importedFiles(from: string, text: string): string[] {
  return new Bun.Transpiler({ loader: from.endsWith("x") ? "tsx" : "ts" })
    .scanImports(text)
    .filter((found) => found.path.startsWith("."))
    .map((found) => path.posix.join(path.posix.dirname(from), found.path));
}
