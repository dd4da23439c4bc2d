import path from "node:path";
import type { SourceFile } from "../checks/source.ts";

/** What opens a database for a test, on either engine. */
const OPENER = "test/support/database.ts";
/**
 * The same whichever server there is: tests of wire formats, which open a database only to run, and of processes that die,
 * which have the embedded engine in every case.
 */
const ENGINE_FREE = ["test/contracts/providers/", "src/server/benchmark/", "test/gateway/tasks/crash.test.ts"];
/**
 * Races of money, and where the engines can differ: transactions, locks, recovery, copies, imports, cursors, types, what the
 * doctor finds. Other queries are the same SQL on both; the embedded engine meets them in the end-to-end tests.
 */
const ON_BOTH = [
  /^(db|src\/(billing|cli\/import|domain\/(wallet|diagnostics))|test\/billing)\//,
  /^src\/server\/jobs\/(start-jobs|low-balance)\.test/,
  /^src\/domain\/logs\/(archive\/|list\/(clear|export)-logs|usage\/totals\/)/,
  /^(src\/console\/wallet\/wallet|test\/gateway\/files\/batches)\.test/,
];
/**
 * Of those: rules of money that are followed step by step, each statement after the one before, without a race; and long
 * simulations and comparisons of thousands of queries.
 */
const ONE_AFTER_ANOTHER = [
  /^src\/domain\/wallet\/plans\/(card\/reports\/trial|changes\/seats-by-service)\.test/,
  /^src\/domain\/wallet\/(statements\/(year|issue-statements|movements\/export-movements)|orders\/(poll-checkouts|settle-order))\.test/,
  /^src\/domain\/wallet\/plans\/(limits|card\/paypal)\/never-more-than-paid\.test/,
  /^src\/billing\/check-ledger\//,
  /^test\/billing\/plans-year\.test/,
  /^src\/domain\/logs\/usage\/totals\/fold-usage\.test/,
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
  const isIn = (patterns: readonly RegExp[], file: string) => patterns.some((pattern) => pattern.test(file));
  const isOnBoth = (file: string) => isIn(ON_BOTH, file) && !isIn(ONE_AFTER_ANOTHER, file);
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

/** Finds the files that replace nothing that others see, so that they can share one global object and its modules. */
export function listShareable(files: readonly SourceFile[]): ReadonlySet<string> {
  return new Set(files.filter(({ text }) => !LEAVES_TRACES.test(text)).map(({ path: file }) => file));
}

/** What runs a gateway inside of the test's process, without a database. */
const IN_PROCESS_GATEWAY = "test/support/gateway/start-gateway.ts";

/**
 * Finds the unit tests that start gateways in their own process and no database: they can share one global object too,
 * so that a worker loads the gateway's modules once. Only what replaces something that others see is left out.
 */
export function listGatewayTests(files: readonly SourceFile[]): string[] {
  const gateway = findImporters(files, [IN_PROCESS_GATEWAY]);
  const database = findImporters(files, [OPENER]);
  return [...listShareable(files)].filter(
    (file) => file.endsWith(".test.ts") && gateway.has(file) && !database.has(file),
  );
}

/** Finds the tests that read what stands next to the checkout, which a clone lacks. */
export const listReferenceTests = (files: readonly SourceFile[]): string[] =>
  [...findImporters(files, ["test/support/formats/reference.ts"])].filter((file) => /\.test\.tsx?$/.test(file)).sort();

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
