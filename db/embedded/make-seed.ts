import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PGlite } from "@electric-sql/pglite";

export const SEED_FILE = new URL("./seed.tar.gz", import.meta.url).pathname;

/** Writes an initialised, empty data directory as a compressed archive: a first start then need not run initdb. */
export async function makeSeed(outFile = SEED_FILE): Promise<void> {
  const engine = await PGlite.create();
  await engine.exec("CHECKPOINT");
  const archive = await engine.dumpDataDir("gzip");
  await engine.close();
  const draft = `${outFile}.${process.pid}`;
  await mkdir(dirname(outFile), { recursive: true });
  try {
    await writeFile(draft, new Uint8Array(await archive.arrayBuffer()));
    await rename(draft, outFile);
  } finally {
    await rm(draft, { force: true });
  }
}

if (import.meta.main) await makeSeed();
