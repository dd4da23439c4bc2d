import { existsSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { type Findings, ROOT } from "../source.ts";

const MAX_ENTRIES = 12;
/** The project's own folder, where tools look for their files, and what drizzle-kit generates side by side. */
const EXEMPT: ReadonlySet<string> = new Set(["", "db/migrations", "db/migrations/meta"]);

/**
 * Checks that a folder can be taken in at a glance: at most 12 files and folders. A file and its test count once, a README not
 * at all. `paths`: all files of the project.
 */
export function checkFolderSize(paths: readonly string[]): Findings {
  const entriesByFolder = new Map<string, Set<string>>();
  for (const path of paths) {
    const parts = path.split("/");
    for (let depth = 0; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join("/");
      const name = (parts[depth] ?? "").replace(/(\.test)?\.tsx?$/, "");
      if (name === "README.md") continue;
      entriesByFolder.set(folder, (entriesByFolder.get(folder) ?? new Set()).add(name));
    }
  }
  const problems = [...entriesByFolder]
    .filter(([folder, entries]) => entries.size > MAX_ENTRIES && !EXEMPT.has(folder))
    .map(
      ([folder, { size }]) => `${folder}: ${size} entries (at most ${MAX_ENTRIES}); group them by what they are for`,
    );
  return { problems: problems.sort() };
}

/** The files that Git knows or would add, without those that are deleted. */
export async function projectFiles(): Promise<string[]> {
  const { stdout } = await $`git ls-files --cached --others --exclude-standard`.cwd(ROOT).quiet();
  return stdout
    .toString()
    .split("\n")
    .filter((file) => file && existsSync(join(ROOT, file)));
}
