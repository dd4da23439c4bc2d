/**
 * Kills a gateway with billing on at random moments under load, starts it again, and compares the answers that clients got with the
 * rows of its log and with what it has charged. `--help` lists the options; docs/contributing/kill-test.md says how to read it.
 * Exit code 1 when something is lost, doubled or booked otherwise than it is logged.
 */

import type { Adapter, Counted, Site, Target } from "./adapters/adapter.ts";
import { startClients } from "./clients.ts";
import { compare, isExact } from "./compare.ts";
import { countedUpstream } from "./counted-upstream.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { readOptions, USAGE } from "./options.ts";

/** A log that has not changed for so long is complete. */
const QUIET_MS = 5000;
const MOST_WAIT_MS = 180_000;
/** So long it may take a gateway to know what it was configured with. */
const FIRST_ANSWER_MS = 90_000;

const args = process.argv.slice(2);
if (args.includes("--help")) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const say = (line: string) => process.stderr.write(`${line}\n`);

const { start, adapter, kills, clients: count, least, most, upstreamPort, site: known } = readOptions(args);
const upstream = countedUpstream(upstreamPort);
const site: Site = { ...known, upstreamUrl: upstream.url };
const gateway = new GatewayProcess(start, site.url + adapter.readyPath);
process.on("exit", () => void gateway.kill());

let isExactRun = false;
try {
  say(`first start: ${Math.round(await gateway.start())} ms; the upstream is ${upstream.url}`);
  const target = await adapter.prepare(site);
  const clients = startClients(site.url, target, adapter.idOf, count);
  for (const until = performance.now() + FIRST_ANSWER_MS; clients.delivered.length === 0; await Bun.sleep(100))
    if (performance.now() > until) throw new Error(`no call was answered; the first got: ${clients.firstFailure()}`);
  const startsMs: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    await Bun.sleep(1000 * (least + Math.random() * (most - least)));
    await gateway.kill();
    startsMs.push(await gateway.start());
    say(`kill ${kill}: ${clients.delivered.length} answers so far, ready after ${Math.round(startsMs.at(-1) ?? 0)} ms`);
  }
  await Bun.sleep(1000 * least);
  await clients.stop();
  if (clients.firstFailure()) say(`the first call that failed got: ${clients.firstFailure()}`);
  const counted = await readSettled(adapter, site, target);
  const verdict = compare({ delivered: clients.delivered, upstreamCalls: upstream.calls() }, counted);
  isExactRun = isExact(verdict);
  const slowest = Math.round(Math.max(...startsMs));
  process.stdout.write(`${JSON.stringify({ kills, failed: clients.failed(), ...verdict, slowestStartMs: slowest })}\n`);
} finally {
  await gateway.kill();
  upstream.stop();
}
process.exit(isExactRun ? 0 : 1);

/** Reads until nothing has changed for a while. */
async function readSettled(from: Adapter, place: Site, target: Target): Promise<Counted> {
  let last = await from.count(place, target);
  let since = performance.now();
  for (const until = performance.now() + MOST_WAIT_MS; performance.now() < until; ) {
    await Bun.sleep(QUIET_MS / 5);
    const counted = await from.count(place, target);
    if (counted.rows !== last.rows || counted.charged !== last.charged || counted.spent !== last.spent) {
      since = performance.now();
      last = counted;
    } else if (performance.now() - since >= QUIET_MS) break;
  }
  return last;
}
