import path from "node:path";
import type { SourceFile } from "../checks/source.ts";

/** What opens a database for a test, on either engine. */
const OPENER = "test/support/database.ts";
/** They open one to run, but test wire formats, which are the same on either engine. */
const ENGINE_FREE = ["test/contracts/providers/", "src/server/benchmark/"];

/** The test files to run on each engine: those that import the opener of databases, themselves or through another file. */
export function listDatabaseTests(files: readonly SourceFile[]): string[] {
  const importers = new Map<string, string[]>();
  for (const { path: from, text } of files) {
    for (const target of importedFiles(from, text)) importers.set(target, [...(importers.get(target) ?? []), from]);
  }
  const found = new Set([OPENER]);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return [...found].filter(
    (file) =>
      file.endsWith(".test.ts") &&
      /^(src|db|test\/(?!e2e))/.test(file) &&
      !ENGINE_FREE.some((folder) => file.startsWith(folder)),
  );
}

/** The files of the project that this one loads at run time; type imports are gone by then. */
function importedFiles(from: string, text: string): string[] {
  return new Bun.Transpiler({ loader: from.endsWith("x") ? "tsx" : "ts" })
    .scanImports(text)
    .filter((found) => found.path.startsWith("."))
    .map((found) => path.posix.join(path.posix.dirname(from), found.path));
}
