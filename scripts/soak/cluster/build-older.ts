import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { readReleases } from "../../../db/migrate/read-migrations.ts";

/**
 * Builds the last release out of the repository's history, next to the build of this version; returns the executable. Null where
 * nothing has been released, or the history does not reach back to it.
 */
export async function buildOlder(root: string, say: (line: string) => void): Promise<string | null> {
  const release = (await readReleases()).at(-1);
  if (!release) return null;
  const commit = await Bun.$`git rev-parse --short=12 ${release.commit}`.cwd(root).nothrow().quiet();
  if (commit.exitCode !== 0) return null;
  const name = commit.stdout.toString().trim();
  const folder = path.join(root, "dist", `older-${name}`);
  const executable = path.join(folder, "dist/sluice");
  if (existsSync(executable)) return executable;
  say(`building ${release.version} (${name}), the last release`);
  await mkdir(folder, { recursive: true });
  await Bun.$`git archive ${name} | tar -x -C ${folder}`.cwd(root).quiet();
  await Bun.$`${process.execPath} install --frozen-lockfile --silent`.cwd(folder).quiet();
  await Bun.$`${process.execPath} scripts/build/build.ts`.cwd(folder).quiet();
  return executable;
}
