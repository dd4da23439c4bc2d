/**
 * Lets clients call gateways while upstreams, gateways, the database and Redis break, then re-adds the books. Before that it
 * follows a marker in each member of generated requests to every provider, and of generated answers to every client, from a seed
 * that it prints.
 *   --minutes=N        how long, 1 by default
 *   --engine=NAME      embedded, postgres or both (the default: half of the time each)
 *   --clients=N        calls at a time, 8 by default
 *   --rest=SECONDS     quiet between two faults, 4 by default
 * Exit code 1 when figures differ that must be equal, or a member is lost.
 */
import { parseArgs } from "node:util";
import * as answers from "../../test/contracts/markers/answers/find-losses.ts";
import * as requests from "../../test/contracts/markers/requests/find-losses.ts";
import { runSoak, type SoakOptions, type SoakResult } from "./run-soak.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    engine: { type: "string", default: "both" },
    clients: { type: "string", default: "8" },
    rest: { type: "string", default: "4" },
  },
});
const engines = (["embedded", "postgres"] as const).filter((name) => flags.engine === "both" || flags.engine === name);
const [minutes, clients, rest] = [Number(flags.minutes), Number(flags.clients), Number(flags.rest)];
if (engines.length === 0 || !(minutes > 0) || !(clients >= 1) || !(rest >= 0)) {
  process.stderr.write(
    "Usage: bun run soak --minutes N [--engine embedded|postgres|both] [--clients N] [--rest SECONDS]\n",
  );
  process.exit(2);
}

const seed = Math.floor(Math.random() * 1_000_000);
const [requested, answered] = [await requests.findLosses(seed, 1), answers.findLosses(seed)];
const lost = [...requests.describeLosses(requested), ...answers.describeLosses(answered)];
process.stdout.write(
  `requests with markers, seed ${seed}: ${requested.cases}, answers: ${answered.answers}, members lost: ${lost.length}\n`,
);
for (const line of lost) process.stdout.write(`  FAIL ${line}\n`);

let differs = lost.length > 0;
for (const engine of engines) {
  const options: SoakOptions = { engine, seconds: (minutes * 60) / engines.length, clients, restMs: rest * 1000 };
  const result = await runSoak(options);
  process.stdout.write(describe(engine, result));
  differs ||= result.findings.some(({ expected, found }) => expected !== found);
}
process.exit(differs ? 1 : 0);

function describe(engine: string, { traffic, tools, faults, lowered, guarded, findings }: SoakResult): string {
  const failures = [...traffic.failures].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${kind}: ${count}`);
  const lines = [
    `\n${engine}: ${traffic.calls} calls, ${traffic.delivered.length} delivered, ${traffic.aborted} left by their clients`,
    `  failed as they should or could: ${failures.join(", ") || "none"}`,
    `  calls of tools: ${[...tools]
      .sort()
      .map(([outcome, count]) => `${outcome} ×${count}`)
      .join(", ")}`,
    `  faults: ${[...faults].map(([name, count]) => `${name} ×${count}`).join(", ") || "none"}`,
    `  services of guardrails that fail: ${guarded}`,
    `  limits lowered, with calls right after: ${lowered}`,
    ...findings.map(({ name, expected, found }) => {
      const mark = expected === found ? "ok  " : "FAIL";
      return `  ${mark} ${name.padEnd(48)} ${String(expected).padStart(12)} ${String(found).padStart(12)}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}
