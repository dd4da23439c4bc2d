import { cp, mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { version } from "../../package.json";
import { UNPACK_MODULES } from "./packed/modules.ts";

const ROOT = path.resolve(import.meta.dir, "../..");

/** The worker is a second entry point: the executable can only start workers that the build names. */
const ENTRYPOINTS = ["src/main.ts", "db/embedded/worker.ts"];
/** Embedded under their last name: the server reads them at /$bunfs/root/dist, /docs, /sbom, /packed, /migrations and /translations. */
const ASSETS = ["ui/dist", "dist/docs", "dist/sbom", "dist/packed", "src/lib/messages/translations"];
const MIGRATIONS = "db/migrations";
/** What a migration is made from, 13 MiB; the server needs only what is applied, and in which order. */
const SNAPSHOT = /_snapshot\.json$/;

/**
 * Compiles the server with the console, the migrations and the embedded database into one file.
 * `target` is a Bun compile target such as bun-linux-arm64; undefined: this machine.
 * Returns the path relative to the project and the size in bytes. Throws AggregateError when the bundle fails.
 */
export async function buildExecutable(target?: string): Promise<{ path: string; bytes: number }> {
  const name = target ? `sluice-${target.replace(/^bun-/, "")}` : "sluice";
  const file = `dist/${name}${target?.includes("windows") ? ".exe" : ""}`;
  // The file's own name is in it: only the folder's differs from build to build.
  const folder = `dist/.${process.pid}`;
  const staging = `${folder}/${path.basename(file)}`;
  const migrations = path.join(folder, path.basename(MIGRATIONS));
  await mkdir(path.join(ROOT, folder), { recursive: true });
  try {
    await cp(path.join(ROOT, MIGRATIONS), path.join(ROOT, migrations), {
      recursive: true,
      filter: (source) => !SNAPSHOT.test(source),
    });
    await compile(staging, [...ASSETS, migrations], target);
    // Renamed into place: overwriting a program that runs is refused, replacing it is not.
    await rename(path.join(ROOT, staging), path.join(ROOT, file));
  } finally {
    await rm(path.join(ROOT, folder), { recursive: true, force: true });
  }
  return { path: file, bytes: (await stat(path.join(ROOT, file))).size };
}

function compile(outfile: string, assets: readonly string[], target: string | undefined) {
  return Bun.build({
    entrypoints: ENTRYPOINTS.map((entry) => path.join(ROOT, entry)),
    root: ROOT,
    target: "bun",
    format: "esm",
    minify: true,
    plugins: [UNPACK_MODULES],
    bytecode: true,
    // Chunks that are not loaded take no memory: 12 MiB of an idle process, and a third of its start.
    splitting: true,
    compile: {
      outfile: path.join(ROOT, outfile),
      assets: assets.map((asset) => path.join(ROOT, asset)),
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target ? { target: target as Bun.Build.CompileTarget } : {}),
    },
    define: {
      // The bundler would write the folder of the build into the file, so that builds in two folders differ.
      __dirname: '"/$bunfs/root"',
      "process.env.NODE_ENV": '"production"',
      SLUICE_VERSION: JSON.stringify(version),
      SLUICE_COMMIT: JSON.stringify(readCommit()),
    },
  });
}

/** The commit that is built, as SOURCE_COMMIT names it, or git; "unknown" without either. */
function readCommit(): string {
  if (process.env.SOURCE_COMMIT) return process.env.SOURCE_COMMIT;
  const git =
    Bun.which("git") && Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { cwd: ROOT, stderr: "ignore" });
  return (git && git.exitCode === 0 && git.stdout.toString().trim()) || "unknown";
}
