import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";

/** Embedded in the executable under its last name; in the sources next to this folder. */
const FOLDER = Bun.isStandaloneExecutable ? "/$bunfs/root/migrations" : join(import.meta.dir, "../migrations");
const CONTRACT = /^\s*-- contract: unused since (\S+)\s*$/m;

/** A release, by what its executable expects of the tables. `migration`: its newest, milliseconds since 1970. */
export type Release = Readonly<{ version: string; migration: number; commit: string }>;

export type Migration = Readonly<{
  /** Milliseconds since 1970; migrations are in its order. */
  time: number;
  hash: string;
  statements: readonly string[];
  /**
   * Set for one that takes away what earlier releases use: the newest migration of the first release that works without it.
   * Null: every earlier release goes on working.
   */
  compatibleFrom: number | null;
}>;

/**
 * The migrations of this release, oldest first. `folder`: where drizzle-kit has put them. Throws Error for one that says it is
 * a contract for a release that is not in the list of releases.
 */
export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const releases = await readReleases(folder);
  return readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis, hash, sql }) => ({
    time: folderMillis,
    hash,
    statements: sql,
    compatibleFrom: compatibleFrom(sql.join("\n"), releases),
  }));
}

/** When this release's migrations were made, milliseconds since 1970, oldest first. Reads none of them. */
export async function readTimes(folder = FOLDER): Promise<number[]> {
  const journal: unknown = await Bun.file(join(folder, "meta/_journal.json")).json();
  const entries = isObject(journal) && Array.isArray(journal.entries) ? journal.entries : [];
  return entries.map((entry: unknown) => Number(isObject(entry) ? entry.when : Number.NaN)).sort((a, b) => a - b);
}

/** Releases so far, oldest first: a line is added when a version is released. Throws Error for a list that is not in this form. */
export async function readReleases(folder = FOLDER): Promise<Release[]> {
  const list: unknown = await Bun.file(join(folder, "meta/_releases.json")).json();
  if (!Array.isArray(list)) throw new Error("meta/_releases.json is no list");
  return list.map((release: unknown) => {
    const { version, migration, commit } = isObject(release) ? release : {};
    if (typeof version === "string" && typeof migration === "number" && typeof commit === "string") {
      return { version, migration, commit };
    }
    throw new Error(`meta/_releases.json: no release is ${JSON.stringify(release)}`);
  });
}

/** The version since which what a migration takes away is unused, as its comment says; null: it takes nothing away. */
export const contractVersion = (sql: string): string | null => CONTRACT.exec(sql)?.[1] ?? null;

function compatibleFrom(sql: string, releases: readonly Release[]): number | null {
  const version = contractVersion(sql);
  if (version === null) return null;
  const release = releases.find((one) => one.version === version);
  if (!release) throw new Error(`a migration takes away what is unused since ${version}, which is no release`);
  return release.migration;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
