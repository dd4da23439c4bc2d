import nodeCrypto from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { CREATE_REST } from "../maintenance/partitions.ts";

/** Nobody makes another database of the templates, half of the files. */
const TIDYING = [
  "update pg_database set datistemplate = false, datallowconn = true",
  "drop database template0",
  "drop database template1",
  "vacuum freeze",
  "checkpoint",
];

export const SEED_FILE = new URL("./seed.tar", import.meta.url).pathname;

/**
 * Writes an initialized data directory with this release's empty tables as an archive: a first start then need
 * not run initdb and the migrations, which take seconds on the embedded engine.
 */
export async function makeSeed(outFile = SEED_FILE): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-seed-"));
  const dataDir = join(folder, "data");
  const draft = `${outFile}.${process.pid}`;
  try {
    const engine = await PGlite.create({ dataDir });
    await migrate(drizzle(engine), { migrationsFolder: new URL("../migrations", import.meta.url).pathname });
    await engine.exec(CREATE_REST);
    for (const tidying of TIDYING) await engine.exec(tidying);
    const { rows } = await engine.query<{ file: string }>(
      "select pg_walfile_name(pg_current_wal_insert_lsn()) as file",
    );
    await engine.close();
    await removeLaterSegments(join(dataDir, "pg_wal"), rows[0]?.file ?? "");
    await mkdir(dirname(outFile), { recursive: true });
    await pack(dataDir, draft);
    await rename(draft, outFile);
  } finally {
    await rm(draft, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what was prepared for later writing, 16 MB: it is made when it is needed. `current`: the last segment with records. */
async function removeLaterSegments(folder: string, current: string): Promise<void> {
  const later = (await readdir(folder)).filter((name) => /^[0-9A-F]{24}$/.test(name) && name > current);
  if (current !== "") for (const name of later) await rm(join(folder, name));
}

/**
 * Equal files make equal archives, whenever and by whomever they are packed. (The runtime's own archives cannot hold empty
 * folders, of which a data directory has many.)
 */
async function pack(dataDir: string, outFile: string): Promise<void> {
  const equal = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  const child = Bun.spawn(["tar", ...equal, "-cf", outFile, "-C", dataDir, "."], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [complaint, code] = await Promise.all([Bun.readableStreamToText(child.stderr), child.exited]);
  if (code !== 0) throw new Error(`tar ended with ${code}: ${complaint}`);
}

/**
 * Stops the clock of this process and takes chance out of it: the engine writes the time and random numbers into its control
 * file, and builds of the same sources shall be equal. The numbers protect nothing: the engine takes no connections.
 */
function makeRepeatable(): void {
  Date.now = () => Date.UTC(2020, 0, 1);
  const fill = <Target extends NodeJS.ArrayBufferView>(target: Target): Target => {
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).fill(1);
    return target;
  };
  Object.assign(nodeCrypto, { randomFillSync: fill });
}

if (import.meta.main) {
  makeRepeatable();
  await makeSeed();
}
