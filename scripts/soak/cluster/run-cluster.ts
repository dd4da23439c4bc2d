/**
 * Runs a real cluster on this machine, breaks its parts one after the other under load, and re-adds the books.
 *   --keep             only starts it, prints its address, and keeps it until Ctrl-C
 *   --rate=N           calls a second, 60 by default
 *   --only=TEXT        only scenarios that have the text in their name
 *   --executable=PATH  the version to test, dist/sluice by default; it is built when it is missing
 *   --old=PATH         an older version for the upgrade; by default the commit before the newest migration is built
 *   --write            writes the figures into docs/contributing/cluster.md
 * Exit code 1 when a figure misses its target.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT_NAME, ROOT_PASSWORD } from "../../../test/support/e2e/console-client.ts";
import { auditEnd, auditScenario, prepareScenario } from "./audit-cluster.ts";
import { buildOlder } from "./build-older.ts";
import { startCluster } from "./cluster.ts";
import { startLoad } from "./load.ts";
import { renderReport, type ScenarioResult, writeReport } from "./report.ts";
import { SCENARIOS } from "./scenarios.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const QUIET_MS = 5000;

const { values: flags } = parseArgs({
  options: {
    keep: { type: "boolean", default: false },
    rate: { type: "string", default: "60" },
    only: { type: "string", default: "" },
    executable: { type: "string", default: path.join(ROOT, "dist/sluice") },
    old: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
if (!existsSync(flags.executable)) {
  say("building the executable");
  await Bun.$`${process.execPath} scripts/build/build.ts`.cwd(ROOT).quiet();
}
const scenarios = SCENARIOS.filter(({ name }) => name.includes(flags.only));
const isUpgrading = scenarios[0] === SCENARIOS[0] && !flags.keep;
const older = isUpgrading ? (flags.old ?? (await buildOlder(ROOT, say))) : null;

const abort = new AbortController();
let isStarting = true;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    if (isStarting) process.exit(1);
    abort.abort();
  });
}
const cluster = await startCluster(older ?? flags.executable, say);
isStarting = false;
let code = 0;
try {
  if (flags.keep) {
    say(`${cluster.gatewayUrl} (sign in as ${ROOT_NAME} with ${ROOT_PASSWORD}); logs: ${cluster.folder}`);
    await new Promise<void>((resolve) => abort.signal.addEventListener("abort", () => resolve()));
  } else {
    const results: ScenarioResult[] = [];
    for (const scenario of scenarios) {
      if (abort.signal.aborted) break;
      say(`== ${scenario.name}`);
      const before = await prepareScenario(cluster);
      const load = startLoad(cluster.gatewayUrl, before.key, Number(flags.rate));
      await Bun.sleep(QUIET_MS);
      const seen = await scenario
        .strike(cluster, older ? flags.executable : null)
        .catch((error: unknown) => `FAILED: ${error instanceof Error ? error.message : error}`);
      await Bun.sleep(QUIET_MS);
      const traffic = await load.stop();
      const result = { scenario, seen, traffic, ...(await auditScenario(cluster, before, traffic)) };
      results.push(result);
      say(renderReport([result], []));
    }
    const findings = await auditEnd(cluster);
    const report = renderReport(results, findings);
    process.stdout.write(report);
    if (report.includes("**missed**")) code = 1;
    if (flags.write) await writeReport(path.join(ROOT, "docs/contributing/cluster.md"), report);
  }
} finally {
  await cluster.close();
}
process.exit(code);
