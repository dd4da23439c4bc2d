import nodeCrypto from "node:crypto";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { CREATE_REST } from "../maintenance/partitions.ts";

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
    for (const tidying of ["vacuum freeze", "checkpoint"]) await engine.exec(tidying);
    await engine.close();
    await mkdir(dirname(outFile), { recursive: true });
    await pack(dataDir, draft);
    await rename(draft, outFile);
  } finally {
    await rm(draft, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
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
