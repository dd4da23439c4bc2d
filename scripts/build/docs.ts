import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { version } from "vitepress/package.json";
import { writeCompressed } from "./console/compress.ts";

const ROOT = path.resolve(import.meta.dir, "../..");
const OUT = path.join(ROOT, "dist/docs");
const STAMP = path.join(ROOT, "dist/docs.stamp");
const SOURCES = [
  "docs/**/*",
  "docs/.vitepress/**/*",
  "package.json",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "scripts/build/docs.ts",
  "ui/lib/docs/docs-pages.ts",
];
/** The best quality takes 50 times as long (12 s) and save a fifteenth of a page. */
const QUALITY = 9;

/**
 * Builds the documentation site into dist/docs, compressed, unless its sources are those of
 * the last build. The directory is replaced in one step. Returns the number of files and their size in bytes, null when it was up
 * to date. Throws with VitePress' output when the build fails, for example because of a dead link.
 */
export async function buildDocs(): Promise<Readonly<{ files: number; bytes: number }> | null> {
  const stamp = await hashSources();
  if ((await readStamp()) === stamp) return null;
  const staging = path.join(ROOT, `dist/.docs-${process.pid}`);
  try {
    await runVitePress(staging);
    const files = [...new Bun.Glob("**/*").scanSync({ cwd: staging, absolute: true })];
    const sizes = await Promise.all(files.map((file) => writeCompressed(file, QUALITY)));
    await rm(OUT, { recursive: true, force: true });
    await mkdir(path.dirname(OUT), { recursive: true });
    await rename(staging, OUT);
    await Bun.write(STAMP, stamp);
    return { files: files.length, bytes: sizes.reduce((sum, { raw }) => sum + raw, 0) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function runVitePress(outDir: string): Promise<void> {
  const command = [process.execPath, "--bun", path.join(ROOT, "node_modules/.bin/vitepress"), "build", "docs"];
  // Compiling its code for most speed takes a fifth of the work of a build, which is over before that pays.
  const env = { ...process.env, BUN_JSC_useFTLJIT: "0" };
  const child = Bun.spawn([...command, "--outDir", outDir], { cwd: ROOT, env, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    Bun.readableStreamToText(child.stdout),
    Bun.readableStreamToText(child.stderr),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`VitePress ended with ${code}\n${out}${err}`);
}

async function hashSources(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(version);
  const files = SOURCES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })]);
  for (const file of [...new Set(files)].sort()) {
    hash.update(`\0${file}\0`).update(await Bun.file(path.join(ROOT, file)).bytes());
  }
  return hash.digest("hex");
}

/** The sources of what is in dist/docs; empty: nothing is. */
async function readStamp(): Promise<string> {
  const isBuilt = await Bun.file(path.join(OUT, "index.html.br")).exists();
  return isBuilt
    ? Bun.file(STAMP)
        .text()
        .catch(() => "")
    : "";
}
