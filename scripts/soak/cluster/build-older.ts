import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";

const JOURNAL = "db/migrations/meta/_journal.json";

/**
 * Builds the version before the newest migration out of the repository's history, next to the build of this one; returns the
 * executable. Null where there is no such version, or the history does not reach back to it.
 */
export async function buildOlder(root: string, say: (line: string) => void): Promise<string | null> {
  const { entries } = (await Bun.file(path.join(root, JOURNAL)).json()) as { entries: unknown[] };
  // Versions before the first migration are carried over by a backup.
  if (entries.length < 2) return null;
  const newest = (await Bun.$`git log -1 --format=%H -- ${JOURNAL}`.cwd(root).text()).trim();
  const older = await Bun.$`git rev-parse --short=12 ${newest}~1`.cwd(root).nothrow().quiet();
  if (newest === "" || older.exitCode !== 0) return null;
  const commit = older.stdout.toString().trim();
  const folder = path.join(root, "dist", `older-${commit}`);
  const executable = path.join(folder, "dist/sluice");
  if (existsSync(executable)) return executable;
  say(`building ${commit}, the version before the newest migration`);
  await mkdir(folder, { recursive: true });
  await Bun.$`git archive ${commit} | tar -x -C ${folder}`.cwd(root).quiet();
  await Bun.$`${process.execPath} install --frozen-lockfile --silent`.cwd(folder).quiet();
  await Bun.$`${process.execPath} scripts/build/build.ts`.cwd(folder).quiet();
  return executable;
}
