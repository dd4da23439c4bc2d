import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../../checks/source.ts";

/** What a test file executes, and how long it takes. */
export type TestCoverage = Readonly<{
  test: string;
  durationMs: number;
  lines: ReadonlyMap<string, ReadonlySet<number>>;
}>;

/** Runs a test file with coverage. Throws when it fails: then its mutants would count as killed. */
export async function measureCoverage(test: string): Promise<TestCoverage> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-coverage-"));
  try {
    const flags = ["--timeout=90000", "--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
    const start = performance.now();
    const child = Bun.spawn([process.execPath, "test", ...flags, `./${test}`], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "ignore"],
    });
    if ((await child.exited) !== 0) throw new Error(`${test} fails without a mutant`);
    const durationMs = performance.now() - start;
    return { test, durationMs, lines: readLcov(await Bun.file(path.join(folder, "lcov.info")).text()) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the lines that were executed, by file, from a report in lcov's format (geninfo(1), "FILES"). */
export function readLcov(report: string): Map<string, Set<number>> {
  const lines = new Map<string, Set<number>>();
  let current = new Set<number>();
  for (const row of report.split("\n")) {
    if (row.startsWith("SF:")) {
      current = new Set();
      lines.set(row.slice(3), current);
    }
    const [, line, hits] = row.match(/^DA:(\d+),(\d+)/) ?? [];
    if (line && Number(hits) > 0) current.add(Number(line));
  }
  return lines;
}
