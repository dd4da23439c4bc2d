import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

export type Count = Readonly<{ passed: number; failed: number }>;

/** Far above what a run needs: it ends a run that hangs. */
const RUN_TIMEOUT_MS = 10 * 60_000;

/**
 * Runs `bun test` on the given files or folders and counts. A run that dies, hangs or has an error outside of its tests
 * counts as at least one failure. `signal` ends it, with every process it started.
 */
export async function runBunTest(
  targets: readonly string[],
  options: Readonly<{ env?: Record<string, string>; timeoutMs: number; signal: AbortSignal; quiet?: boolean }>,
): Promise<Count> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-test-"));
  // A database server that a test starts runs as another user than root and must get at its own folder in it.
  await chmod(folder, 0o711);
  const report = path.join(folder, "report.xml");
  const flags = [
    "--only-failures",
    `--timeout=${options.timeoutMs}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ];
  // A process group of its own, so that the servers and browsers that tests start can be ended with it.
  const child = Bun.spawn([process.execPath, "test", ...flags, ...targets], {
    // Whatever tests leave in the temporary folder goes with it, also when they are killed.
    env: { ...process.env, TMPDIR: folder, ...options.env },
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
  const counted = (await file.exists()) ? countTests(await file.text()) : { passed: 0, failed: 0 };
  await rm(folder, { recursive: true, force: true });
  return code === 0 || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

/** Reads the totals from a JUnit report; skipped tests count as neither. */
export function countTests(report: string): Count {
  const head = report.match(/<testsuites\b[^>]*>/)?.[0] ?? "";
  const total = (name: string) => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = total("failures");
  return { passed: total("tests") - failed - total("skipped"), failed };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
