import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { writeCompressed } from "./compress.ts";

const ROOT = path.resolve(import.meta.dir, "../..");
const OUT = path.join(ROOT, "ui/dist");
const IMMUTABLE_NAME = "assets/[name]-[hash].[ext]";

/** Smaller files join one that is loaded whenever they are, where that changes nothing but their number. */
const MIN_CHUNK_BYTES = 16_384;

const SHARED = {
  target: "browser",
  minify: true,
  naming: { entry: "[name].[ext]", chunk: IMMUTABLE_NAME, asset: IMMUTABLE_NAME },
  define: { "process.env.NODE_ENV": '"production"' },
} as const;

export type ConsoleBuild = Readonly<{ files: number; rawBytes: number; brotliBytes: number }>;

/**
 * Bundles ui/index.html into ui/dist with content-hashed names under assets/, one chunk a lazily loaded page, and
 * compressed variants next to each file. The directory is replaced in one step, so that a server reading it
 * meanwhile never sees half of it. Throws AggregateError when the bundle fails.
 */
export async function buildConsole(): Promise<ConsoleBuild> {
  const staging = path.join(ROOT, `node_modules/.cache/console-${process.pid}`);
  const old = `${staging}-old`;
  try {
    const files = await bundle(staging);
    const sizes = await Promise.all(files.map(writeCompressed));
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

/** Returns the paths of what was written. */
async function bundle(outdir: string): Promise<string[]> {
  const [page, firstPaint] = await Promise.all([
    Bun.build({
      ...SHARED,
      entrypoints: [path.join(ROOT, "ui/index.html")],
      outdir,
      splitting: true,
      minChunkSize: MIN_CHUNK_BYTES,
      publicPath: "/",
    }),
    Bun.build({
      ...SHARED,
      entrypoints: [path.join(ROOT, "ui/first-paint.ts")],
      outdir,
      format: "iife",
      naming: { entry: IMMUTABLE_NAME },
    }),
  ]);
  const html = path.join(outdir, "index.html");
  const [script] = firstPaint.outputs;
  if (!script) throw new Error("ui/first-paint.ts was not built");
  await Bun.write(html, withFirstPaint(await Bun.file(html).text(), `/${path.relative(outdir, script.path)}`));
  return [...page.outputs, script].map(({ path: file }) => file);
}

/** The bundler makes modules of scripts, which run after the first paint: this one must run before. */
function withFirstPaint(html: string, address: string): string {
  return new HTMLRewriter()
    .on("head > title", { element: (title) => void title.after(`<script src="${address}"></script>`, { html: true }) })
    .transform(html);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
