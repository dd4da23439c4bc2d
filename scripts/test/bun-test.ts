import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Count, readReport } from "./report.ts";

/** Far above what a run needs: it ends a run that hangs. */
const RUN_TIMEOUT_MS = 45 * 60_000;
/** How long each file took, in milliseconds: the longest are begun first, so that no worker waits for the other's last. */
export const TIMINGS = "test/timings.json";
/** More files than this with failures mean that something is broken, not that the machine was busy. */
const MAX_SECOND_CHANCES = 10;

export type RunOptions = Readonly<{
  env?: Record<string, string>;
  /** For each test and hook. */
  timeoutMs: number;
  /** Files that run at the same time; by default 1. */
  workers?: number;
  /** The files that a worker runs share one global object and its modules; otherwise each of several workers' files has its own. */
  isShared?: boolean;
  /** Ends the run, with every process it started. */
  signal: AbortSignal;
  quiet?: boolean;
}>;

/**
 * Runs tests, and the files in which some failed a second time, alone: a busy machine fails a test now and then, a fault
 * fails it again. Those that passed alone are named in the output.
 */
export async function runTests(targets: readonly string[], options: RunOptions): Promise<Count> {
  const first = await runBunTest(targets, options);
  const files = [...new Set(first.failures.map(({ file }) => file))];
  const isFewFailures = first.failures.length === first.failed && files.length <= MAX_SECOND_CHANCES;
  if (first.failed === 0 || !isFewFailures || options.signal.aborted) return first;
  const second = await runBunTest(
    files.map((file) => path.resolve(file)),
    // Browser tests keep a trace now: it was not worth its time in the first run.
    { ...options, workers: 1, env: { ...options.env, SLUICE_TRACE_PAGES: "1" } },
  );
  const names = new Set(second.failures.map(({ name }) => name));
  const unsteady = first.failures.filter(({ name }) => !names.has(name));
  if (!options.quiet) {
    for (const { file, name } of unsteady) process.stdout.write(`unsteady (passed alone): ${file}: ${name}\n`);
  }
  return { ...second, passed: first.passed + Math.max(0, first.failed - second.failed), files: first.files };
}

/** Runs `bun test` once. A run that dies, hangs or has an error outside of its tests counts as at least one failure. */
async function runBunTest(targets: readonly string[], options: RunOptions): Promise<Count> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-test-"));
  // A database server that a test starts runs as another user than root and must get at its own folder in it.
  await chmod(folder, 0o711);
  const report = path.join(folder, "report.xml");
  const { workers = 1 } = options;
  const flags = [
    "--only-failures",
    `--timeout=${options.timeoutMs}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...(workers > 1 ? [`--parallel=${workers}`, `--timings=${TIMINGS}`] : []),
    ...(options.isShared ? ["--no-isolate"] : []),
  ];
  // A process group of its own, so that the servers and browsers that tests start can be ended with it.
  const child = Bun.spawn([process.execPath, "test", ...flags, ...targets], {
    // Whatever tests leave in the temporary folder goes with it, also when they are killed.
    env: { ...process.env, TMPDIR: folder, SLUICE_RUN_FOLDER: folder, ...options.env },
    stdio: options.quiet ? ["ignore", "ignore", "ignore"] : ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const end = () => killGroup(child.pid);
  const timer = setTimeout(end, RUN_TIMEOUT_MS);
  options.signal.addEventListener("abort", end, { once: true });
  const code = await child.exited;
  clearTimeout(timer);
  options.signal.removeEventListener("abort", end);
  end();
  const file = Bun.file(report);
  const counted = (await file.exists()) ? readReport(await file.text()) : NOTHING;
  await rm(folder, { recursive: true, force: true });
  return code === 0 || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

const NOTHING: Count = { passed: 0, failed: 0, failures: [], files: [] };

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
