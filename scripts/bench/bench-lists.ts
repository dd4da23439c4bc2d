/**
 * How long lists, searches and charts take over the API of a gateway whose database is full: starts one, seeds it, asks.
 *   --channels=N --users=N --tokens=N --logs=N   as scripts/seed/run-seed.ts
 *   --engine=postgres|embedded                   default postgres
 *   --database-url=URL --data-dir=PATH           a database that was seeded by an earlier run; default: a temporary one
 *   --rounds=N                                   how often each is asked (default 7); the first is shown besides the median
 *   --workers=N                                  default 1
 *   --only=TEXT                                  only what has the text in its name
 *   --relay                                      also relay calls: with an empty database, with the full one, and while
 *                                                somebody opens lists of it
 * Exit code 1 when a target is missed.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "../../db/connect.ts";
import { createVault } from "../../src/lib/security/crypto.ts";
import { loadSecrets } from "../../src/lib/security/secrets.ts";
import { login, ROOT_NAME, ROOT_PASSWORD, setUp } from "../../test/support/e2e/console-client.ts";
import { startGateway } from "../../test/support/processes/gateway.ts";
import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { FULL_SIZE, seed } from "../seed/seed.ts";
import { measureList } from "./lists/list-times.ts";
import { listProbes } from "./lists/lists.ts";
import { measureDuringLists } from "./lists/relay-during-lists.ts";
import { becomesQuiet, familyOf } from "./process-stats.ts";
import { table } from "./report/report.ts";

const size = (name: keyof typeof FULL_SIZE) => ({ type: "string", default: String(FULL_SIZE[name]) }) as const;
const { values: flags } = parseArgs({
  options: {
    channels: size("channels"),
    users: size("users"),
    tokens: size("tokens"),
    logs: size("logs"),
    engine: { type: "string", default: "postgres" },
    "database-url": { type: "string" },
    "data-dir": { type: "string" },
    rounds: { type: "string", default: "7" },
    workers: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    relay: { type: "boolean", default: false },
  },
});
const BACKGROUND_MS = 60_000;
const say = (line: string) => process.stderr.write(`${line}\n`);
const isEmbedded = flags.engine === "embedded";
const isSeeded = flags["data-dir"] !== undefined;
const dataDir = flags["data-dir"] ?? (await mkdtemp(path.join(tmpdir(), "sluice-lists-")));
const server = isEmbedded || flags["database-url"] ? null : await startTemporaryPostgres({ durable: true });
const databaseUrl = isEmbedded ? null : (flags["database-url"] ?? server?.url ?? null);
const start = () =>
  startGateway({
    dataDir,
    env: { LOG_LEVEL: "warn", WORKERS: flags.workers, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
  });

if (!isSeeded) {
  const empty = await start();
  await setUp(empty);
  await empty.stop();
  const vault = createVault(await loadSecrets({ dataDir, encryptionKey: null, sessionSecret: null }));
  const database = await openDatabase({ databaseUrl, dataDir });
  const { channels, users, tokens, logs } = flags;
  await seed(
    { database, vault, say },
    { channels: Number(channels), users: Number(users), tokens: Number(tokens), logs: Number(logs) },
  );
  await database.close();
  say(`seeded: ${dataDir}`);
}
const gateway = await start();
say(`started in ${gateway.startMs.toFixed(0)} ms`);
// Users and keys are read in the background.
for (const pid of familyOf(gateway.pid)) await becomesQuiet(pid, BACKGROUND_MS);
/** The slowest hundredth of relayed calls may take so much longer than with an empty database. */
const MOST_ADDED_MS = 2;
const RELAY_ROUNDS = 5;
let missed = 0;
try {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  const rows: string[][] = [];
  const probes = (await listProbes(gateway, root, isEmbedded)).filter(({ name }) => name.includes(flags.only));
  for (const probe of probes) {
    const { firstMs, medianMs, loopMs } = await measureList(probe, Number(flags.rounds), familyOf(gateway.pid));
    if (medianMs > probe.limitMs) missed += 1;
    const verdict = medianMs > probe.limitMs ? "**missed**" : "kept";
    rows.push([probe.name, `≤ ${probe.limitMs}`, medianMs.toFixed(0), firstMs.toFixed(0), loopMs.toFixed(1), verdict]);
    say(
      `${probe.name}: ${medianMs.toFixed(0)} ms (first ${firstMs.toFixed(0)}, event loop ${loopMs.toFixed(1)})${medianMs > probe.limitMs ? " MISSED" : ""}`,
    );
  }
  if (flags.relay) {
    const emptyServer = isEmbedded ? null : await startTemporaryPostgres({ durable: true });
    const empty = await startGateway({
      env: { LOG_LEVEL: "warn", ...(emptyServer && { DATABASE_URL: emptyServer.url }) },
    });
    try {
      await setUp(empty);
      const sites = {
        full: { gateway, root },
        empty: { gateway: empty, root: await login(empty, ROOT_NAME, ROOT_PASSWORD) },
      };
      const relayed = await measureDuringLists(sites, probes, RELAY_ROUNDS);
      for (const name of ["empty", "alone", "lists"] as const) {
        const { p50Ms, p99Ms } = relayed[name];
        const what = { empty: "empty database", alone: "full database", lists: `during ${relayed.listsRead} lists` };
        say(`relayed calls, ${what[name]}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
        const added = p99Ms - relayed.empty.p99Ms;
        const isMissed = name !== "empty" && added > MOST_ADDED_MS;
        if (isMissed) missed += 1;
        rows.push([
          `relayed calls, p99 added, ${what[name]}`,
          name === "empty" ? "" : `≤ ${MOST_ADDED_MS}`,
          added.toFixed(1),
          "",
          "",
          isMissed ? "**missed**" : "kept",
        ]);
      }
    } finally {
      await empty.stop();
      await emptyServer?.stop();
    }
  }
  process.stdout.write(`${table(["opened", "limit ms", "median ms", "first ms", "event loop ms", ""], rows)}\n`);
} finally {
  await gateway.stop();
  await server?.stop();
}
process.exit(missed === 0 ? 0 : 1);
