import { readdir, stat } from "node:fs/promises";
import path from "node:path";

const ROOT = path.resolve(import.meta.dir, "../..");
const SEED = "db/embedded/seed.tar";
const MAKER = "db/embedded/make-seed.ts";
/** What the seed is made from: it is outdated when one of these is newer. */
const SOURCES = [
  MAKER,
  "db/maintenance/partitions.ts",
  "node_modules/@electric-sql/pglite/package.json",
  "db/migrations/meta/_journal.json",
];
const MIGRATIONS = "db/migrations";

/**
 * Makes the initialized data directory that the executable carries (so that a first start need not make one), unless
 * it is there and up to date. Returns whether it was made. Throws when making it fails.
 */
export async function ensureSeed(): Promise<boolean> {
  const made = await modifiedAt(SEED);
  const migrations = (await readdir(path.join(ROOT, MIGRATIONS))).filter((name) => name.endsWith(".sql"));
  const sources = [...SOURCES, ...migrations.map((name) => `${MIGRATIONS}/${name}`)];
  const changed = Math.max(...(await Promise.all(sources.map(modifiedAt))));
  if (made >= changed) return false;
  // The engine's code would be compiled once more, for speed: a quarter of the work, and it ends before that pays.
  const env = { ...process.env, BUN_JSC_useOMGJIT: "0" };
  const child = Bun.spawn([process.execPath, MAKER], { cwd: ROOT, env, stdio: ["ignore", "ignore", "pipe"] });
  const [complaint, code] = await Promise.all([Bun.readableStreamToText(child.stderr), child.exited]);
  if (code !== 0) throw new Error(`${MAKER} ended with ${code}\n${complaint}`);
  return true;
}

/** Milliseconds since 1970; 0 when there is no such file. */
async function modifiedAt(file: string): Promise<number> {
  return stat(path.join(ROOT, file)).then(
    (info) => info.mtimeMs,
    () => 0,
  );
}
