import { createChanges } from "../../../../db/changes.ts";
import { openDatabase } from "../../../../db/connect.ts";
import { createBilling } from "../../../../src/billing/billing.ts";
import { InsufficientQuota } from "../../../../src/billing/ledger/errors.ts";
import { until } from "../../lib/until.ts";
import { chargeFor, silentLog } from "../start-billing.ts";

/**
 * For the test of the last affordable call: a gateway's billing in a process of its own. It reads rounds from its standard
 * input, a line of JSON each, makes the calls of a round at once, and answers with a line: how many were covered.
 */
export type Round = Readonly<{
  userId: number;
  token: Readonly<{ id: number; limited: boolean }>;
  budgets?: readonly number[];
  /** Quota units of one call, and how many calls. */
  amount: number;
  calls: number;
  /** Milliseconds that each call takes before it is charged. */
  lastsMs: number;
}>;

const { databaseUrl, dataDir, processes } = JSON.parse(process.argv[2] ?? "") as {
  databaseUrl: string;
  dataDir: string;
  processes: number;
};
const database = await openDatabase({ databaseUrl, dataDir });
const changes = await createChanges(database, (error) => process.stderr.write(`${error}\n`));
const billing = await createBilling({
  database,
  changes,
  dataDir,
  processId: Bun.randomUUIDv7(),
  log: silentLog,
});
const say = (line: string) => process.stdout.write(`${line}\n`);
// Each must know of the others, as processes do that have run for some seconds.
await until(() => billing.status().liveProcesses >= processes);
say("ready");
for await (const line of console) {
  if (line === "") break;
  const { userId, token, budgets = [], amount, calls, lastsMs } = JSON.parse(line) as Round;
  const request = { userId, token, budgets, amount };
  const outcomes = await Promise.all(
    Array.from({ length: calls }, async () => {
      try {
        const hold = await billing.reserve(request);
        await Bun.sleep(lastsMs);
        await billing.settle(hold, chargeFor(request, amount));
        return 1;
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
        return 0;
      }
    }),
  );
  await billing.flush();
  say(String(outcomes.reduce<number>((sum, covered) => sum + covered, 0)));
}
await billing.close();
await changes.close();
await database.close();
