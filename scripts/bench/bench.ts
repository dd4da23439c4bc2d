/**
 * Measures dist/sluice against a minimal proxy, in one run, and checks its books afterwards.
 *   --rounds=N           interleaved rounds (default 16): many short ones, so that a busy host troubles all alike
 *   --seconds=N          length of a phase of load (default 0.5)
 *   --quick              one round of one second: does it work at all
 *   --engine=NAME        embedded or postgres; default both
 *   --database-url=URL   an empty Postgres database; default a temporary server
 *   --json=PATH          also write everything as JSON
 *   --choosing           only what choosing a channel costs, with 10 and with 10,000 of them
 * Exit code 1 when a target is missed (but for --quick) or the books are wrong.
 */
import { parseArgs } from "node:util";
import { choosingTable, measureChoosing } from "./report/choosing.ts";
import { markdown } from "./report/report.ts";
import { runBench } from "./run.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "16" },
    seconds: { type: "string", default: "0.5" },
    quick: { type: "boolean", default: false },
    engine: { type: "string" },
    "database-url": { type: "string" },
    json: { type: "string" },
    choosing: { type: "boolean", default: false },
  },
});

if (flags.choosing) {
  const rows = [10, 10_000].map(measureChoosing);
  process.stdout.write(`${choosingTable(rows)}\n`);
  process.exit(0);
}

const report = await runBench({
  rounds: flags.quick ? 1 : Number(flags.rounds),
  seconds: flags.quick ? 1 : Number(flags.seconds),
  quick: flags.quick,
  engines: flags.engine === "embedded" || flags.engine === "postgres" ? [flags.engine] : ["embedded", "postgres"],
  databaseUrl: flags["database-url"] ?? null,
  say: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${markdown(report)}\n`);
if (flags.json) await Bun.write(flags.json, `${JSON.stringify(report, null, 2)}\n`);

const booksRight = report.gateways.every(({ books }) => books.every(({ right }) => right));
const meetsTargets = report.gateways.every(({ verdicts }) => verdicts.every(({ passed }) => passed));
process.exit(booksRight && (meetsTargets || flags.quick) ? 0 : 1);
