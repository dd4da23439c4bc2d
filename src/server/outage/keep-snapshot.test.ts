import { afterEach, expect, test } from "bun:test";
import pino from "pino";
import { temporaryDirectory } from "../../../test/support/billing/start-billing.ts";
import { until } from "../../../test/support/lib/until.ts";
import { createVault } from "../../lib/security/crypto.ts";
import type { Services } from "../services.ts";
import { keepSnapshot, type SnapshotKeeper, type SnapshotTimes } from "./keep-snapshot.ts";

const directory = await temporaryDirectory();
const keepers: SnapshotKeeper[] = [];
afterEach(async () => {
  for (const keeper of keepers.splice(0)) await keeper.close();
  await directory.remove();
});

const TIMES: SnapshotTimes = { every: 500, look: 10, takeOver: 100 };
const vault = createVault({ encryptionKey: "a-key-of-many-characters" });
const empty = { all: () => [], rows: () => [], isComplete: () => true };

/** A worker of the host; `count` says how many snapshots it has written. */
function start(worker: number) {
  const state = { writes: 0, databaseDown: false };
  const status = () => ({
    ...{ balancesKnown: true, liveProcesses: 2, writtenRecords: 0, ledgerUnansweredMs: 0 },
    ...{ writtenUpTo: null, databaseDown: state.databaseDown },
  });
  const balances = (subject: string) => {
    if (subject === "user") state.writes += 1;
    return [];
  };
  const services = {
    ...{
      users: empty,
      tokens: empty,
      channels: empty,
      budgets: empty,
      policies: empty,
      planTerms: empty,
      mcpServers: empty,
      vault,
    },
    settings: { storedTexts: () => [] },
    config: { databaseUrl: "postgres://u:p@db/sluice", dataDir: directory.path },
    billing: { status, balances },
    log: pino({ level: "silent" }),
  };
  // The rest is not used.
  const keeper = keepSnapshot(services as unknown as Services, worker, TIMES);
  keepers.push(keeper);
  return { state, keeper };
}

test("one worker of a host writes; the next takes over where it ends, and each writes when the database goes away", async () => {
  const [first, second] = [start(1), start(2)];
  await until(() => first.state.writes >= 3);
  expect(second.state.writes).toBe(0);

  first.state.databaseDown = true;
  second.state.databaseDown = true;
  await until(() => second.state.writes === 1);
  first.state.databaseDown = false;
  second.state.databaseDown = false;

  await first.keeper.close();
  await until(() => second.state.writes >= 3);
}, 60_000);
