/**
 * Builds the console into ui/dist, the documentation into dist/docs, the bill of materials into dist/sbom and the executable with
 * all of them into dist/sluice.
 *   --ui-only          only the console
 *   --no-ui            only the executable, with the console built before
 *   --target=NAME      cross build, e.g. bun-linux-arm64 → dist/sluice-linux-arm64
 */
import { parseArgs } from "node:util";
import { buildConsole } from "./console/build-console.ts";
import { buildDocs } from "./docs.ts";
import { buildExecutable } from "./executable.ts";
import { packFiles } from "./packed/pack-files.ts";
import { writeSbom } from "./sbom.ts";
import { ensureSeed } from "./seed.ts";

async function timed<T>(label: string, work: () => Promise<T>, describe: (result: T) => string): Promise<T> {
  const start = performance.now();
  const result = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${label.padEnd(11)} ${seconds.padStart(5)} s  ${describe(result)}\n`);
  return result;
}

const { values: flags } = parseArgs({
  options: {
    "ui-only": { type: "boolean", default: false },
    "no-ui": { type: "boolean", default: false },
    target: { type: "string" },
  },
});

try {
  const seed = flags["ui-only"] ? null : timed("seed", ensureSeed, (made) => (made ? "rebuilt" : "up to date"));
  const sizes = (built: Awaited<ReturnType<typeof buildConsole>>) =>
    `${built.files} files, ${kilobytes(built.rawBytes)} → ${kilobytes(built.brotliBytes)} (br)`;
  const ui = flags["no-ui"] ? null : timed("console", buildConsole, sizes);
  const describeDocs = (built: Awaited<ReturnType<typeof buildDocs>>) =>
    built ? `${built.files} files, ${kilobytes(built.bytes)}` : "up to date";
  const docs = flags["ui-only"] ? null : timed("docs", buildDocs, describeDocs);
  const sbom = flags["ui-only"] ? null : timed("sbom", writeSbom, (components) => `${components} components`);
  const packed = flags["ui-only"] ? null : timed("packed", () => Promise.resolve(seed).then(packFiles), kilobytes);
  await Promise.all([seed, ui, docs, sbom, packed]);
  if (!flags["ui-only"]) {
    await timed(
      "executable",
      () => buildExecutable(flags.target),
      (built) => `${built.path}, ${kilobytes(built.bytes)}`,
    );
  }
} catch (error) {
  process.stderr.write(`build failed: ${describeError(error)}\n`);
  process.exit(1);
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1024).toLocaleString("en")} KB`;
}

/** Bundler errors arrive as an AggregateError whose own message says nothing. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((inner) => Bun.inspect(inner)).join("\n");
  return error instanceof Error ? error.message : String(error);
}
