import { expect, test } from "bun:test";
import path from "node:path";
import { ROOT } from "../../checks/source.ts";
import type { TraceTotals } from "./report.ts";

/**
 * What the simplest chat call runs at most, so that it stays as readable as it is. A change that needs more joins or leaves out
 * something else; one that needs less lowers these.
 */
const MOST = {
  response: { functions: 219, files: 64, switches: 156 },
  stream: { functions: 250, files: 74, switches: 187 },
} as const;

const TIMEOUT_MS = 180_000;

test(
  "the simplest call runs no more functions, files and changes of file than before",
  async () => {
    const script = path.join(ROOT, "scripts/measure/trace/trace-call.ts");
    const running = Bun.spawn([process.execPath, script, "--json"], { cwd: ROOT, stderr: "inherit" });
    const traced: Record<keyof typeof MOST, TraceTotals> = await new Response(running.stdout).json();
    expect(await running.exited).toBe(0);
    for (const kind of ["response", "stream"] as const) {
      for (const name of ["functions", "files", "switches"] as const) {
        expect(traced[kind][name], `${name} of a ${kind}`).toBeLessThanOrEqual(MOST[kind][name]);
        expect(traced[kind][name], `${name} of a ${kind}`).toBeGreaterThan(MOST[kind][name] / 2);
      }
    }
  },
  TIMEOUT_MS,
);
