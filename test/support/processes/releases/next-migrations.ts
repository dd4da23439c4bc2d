/** Migrations of releases to come. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { Release } from "../../../../db/migrate/read-migrations.ts";

const MIGRATIONS = join(import.meta.dir, "../../../../db/migrations");

type Journal = { entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[] };

/**
 * Copies this release's migrations into `folder` and adds one to them, a minute newer than the last. `releases`: the versions
 * that have been released by then. Returns when it was made, milliseconds since 1970.
 */
export async function addMigration(
  folder: string,
  { sql, releases = [] }: Readonly<{ sql: string; releases?: readonly Release[] }>,
): Promise<number> {
  await cp(MIGRATIONS, folder, { recursive: true, filter: (file) => !file.endsWith("_snapshot.json") });
  const file = join(folder, "meta/_journal.json");
  const journal = (await Bun.file(file).json()) as Journal;
  const last = journal.entries.at(-1);
  const [idx, when] = [journal.entries.length, (last?.when ?? 0) + 60_000];
  const tag = `${String(idx).padStart(4, "0")}_next`;
  journal.entries.push({ idx, version: last?.version ?? "7", when, tag, breakpoints: true });
  await Bun.write(file, JSON.stringify(journal));
  await Bun.write(join(folder, `${tag}.sql`), sql);
  if (releases.length > 0) await Bun.write(join(folder, "meta/_releases.json"), JSON.stringify(releases));
  return when;
}
