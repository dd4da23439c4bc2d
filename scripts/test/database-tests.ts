import { listImports } from "../checks/import-list.ts";
import type { SourceFile } from "../checks/source.ts";

/** What opens a database for a test, on either engine. */
const OPENER = "test/support/database.ts";
/** They open one to run, but prove wire formats: what these say is the same on either engine. */
const OF_FORMATS = ["test/contracts/providers/", "src/server/benchmark/"];

/** The test files that are worth running on each engine: those that open a database themselves or by what they import. */
export function listDatabaseTests(files: readonly SourceFile[]): string[] {
  const users = new Map<string, string[]>();
  for (const { from, target, typeOnly } of listImports(files)) {
    if (!typeOnly) users.set(target, [...(users.get(target) ?? []), from]);
  }
  const found = new Set([OPENER]);
  for (const file of found) for (const user of users.get(file) ?? []) found.add(user);
  return [...found].filter(
    (file) =>
      file.endsWith(".test.ts") &&
      /^(src|db|test\/(?!e2e))/.test(file) &&
      !OF_FORMATS.some((folder) => file.startsWith(folder)),
  );
}
