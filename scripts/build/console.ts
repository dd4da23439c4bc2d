import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { compressBeside } from "./compress.ts";

const ROOT = path.resolve(import.meta.dir, "../..");
const OUT = path.join(ROOT, "ui/dist");
const IMMUTABLE_NAME = "assets/[name]-[hash].[ext]";

export type ConsoleBuild = Readonly<{ files: number; rawBytes: number; brotliBytes: number }>;

/**
 * Bundles ui/index.html into ui/dist with content-hashed names under assets/, one chunk a lazily loaded page, and
 * compressed variants beside each file. The directory is replaced in one step, so that a server reading it
 * meanwhile never sees half of it. Throws AggregateError when the bundle fails.
 */
export async function buildConsole(): Promise<ConsoleBuild> {
  const staging = path.join(ROOT, `node_modules/.cache/console-${process.pid}`);
  const old = `${staging}-old`;
  try {
    const built = await bundle(staging);
    const sizes = await Promise.all(built.outputs.map(({ path: file }) => compressBeside(file)));
    await mkdir(path.dirname(OUT), { recursive: true });
    await rename(OUT, old).catch(ignoreMissing);
    await rename(staging, OUT);
    return {
      files: sizes.length,
      rawBytes: sizes.reduce((sum, size) => sum + size.raw, 0),
      brotliBytes: sizes.reduce((sum, size) => sum + size.brotli, 0),
    };
  } finally {
    await Promise.all([staging, old].map((directory) => rm(directory, { recursive: true, force: true })));
  }
}

function bundle(outdir: string) {
  return Bun.build({
    entrypoints: [path.join(ROOT, "ui/index.html")],
    outdir,
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/",
    naming: { entry: "[name].[ext]", chunk: IMMUTABLE_NAME, asset: IMMUTABLE_NAME },
    define: { "process.env.NODE_ENV": '"production"' },
  });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
