/**
 * Adds this version to the list of releases, from which migrations are checked and the last release is built for tests. Run it
 * on the commit that is released: bun run record-release
 */
import path from "node:path";
import { readReleases, readTimes } from "../../../db/migrate/read-migrations.ts";
import { version } from "../../../package.json";

const ROOT = path.resolve(import.meta.dir, "../../..");
const FILE = path.join(ROOT, "db/migrations/meta/_releases.json");

const releases = await readReleases();
if (releases.some((release) => release.version === version)) {
  process.stderr.write(`${version} is in the list already\n`);
  process.exit(1);
}
const commit = (await Bun.$`git rev-parse HEAD`.cwd(ROOT).text()).trim();
const release = { version, migration: (await readTimes()).at(-1) ?? 0, commit };
await Bun.write(FILE, `${JSON.stringify([...releases, release], null, 2)}\n`);
process.stdout.write(`${version}: ${commit}\n`);
