/** Runs types, format, lint and the project's own rules; exit code 1 when one of them fails. */
import { type CheckResult, runChecks } from "./index.ts";

const results = await runChecks(printCheck);
process.exit(results.every(({ ok }) => ok) ? 0 : 1);

function printCheck({ name, ok, ms, output }: CheckResult): void {
  process.stdout.write(`${ok ? "ok  " : "FAIL"} ${name.padEnd(36)} ${(ms / 1000).toFixed(1)} s\n`);
  if (output) process.stdout.write(`${output.replace(/^/gm, "     ")}\n`);
}
