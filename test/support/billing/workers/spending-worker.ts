import { appendFileSync } from "node:fs";
import { openDatabase } from "../../../../db/connect.ts";
import { createBilling } from "../../../../src/billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../../../src/billing/ledger/errors.ts";
import { until } from "../../lib/until.ts";
import { NO_CHANGES } from "../no-changes.ts";
import { chargeFor, silentLog } from "../start-billing.ts";

/**
 * For the crash test: a process that spends users' balances as fast as it can, until it is killed. Each charge is noted in
 * a file after it was settled: what is noted there must never be lost. Argument: JSON of `Spender`.
 */
export type Spender = Readonly<{
  /** Null: the embedded engine in `dataDir`. */
  databaseUrl: string | null;
  /** Where the journal is kept too. */
  redisUrl?: string | null;
  dataDir: string;
  acknowledgements: string;
  userIds: readonly number[];
  token: Readonly<{ id: number; limited: boolean }>;
  /** Budgets of included calls, of some of the users. */
  included?: Readonly<Record<number, number>>;
  /** Part of its share that it spends while the database is away; by default all. */
  outageSpendRatio?: number;
}>;

const PARALLEL = 20;

const {
  databaseUrl,
  redisUrl = null,
  dataDir,
  acknowledgements,
  userIds,
  token,
  included = {},
  outageSpendRatio = 1,
} = JSON.parse(process.argv[2] ?? "") as Spender;
const database = await openDatabase({ databaseUrl, dataDir });
const billing = await createBilling({
  database,
  changes: NO_CHANGES,
  dataDir,
  processId: Bun.randomUUIDv7(),
  redisUrl,
  outageSpendRatio,
  log: silentLog,
});
if (redisUrl) await until(() => billing.status().journalCopy === "complete");
process.stdout.write("ready\n");
await Promise.all(Array.from({ length: PARALLEL }, (_, index) => spend(userIds[index % userIds.length] as number)));

async function spend(userId: number): Promise<void> {
  for (let call = 0; ; call++) {
    const budget = included[userId];
    if (budget !== undefined && call % 4 === 0) await spendCall(userId, budget, call);
    const request = { userId, token: call % 2 ? token : null, amount: 50 };
    try {
      const hold = await billing.reserve(request);
      if (call % 5 === 0) await Bun.sleep(1);
      if (call % 7 === 0) billing.refund(hold);
      else {
        const record = chargeFor(request, 1 + (call % 40));
        await billing.settle(hold, record);
        appendFileSync(acknowledgements, `${record.requestId} ${record.quota}\n`);
      }
    } catch (error) {
      if (!(error instanceof InsufficientQuota || error instanceof LedgerUnavailable)) throw error;
      await Bun.sleep(20);
    }
    if (call % 3 === 0) await Bun.sleep(0);
  }
}

/** One of the calls that a plan includes, while there are some; every third gives it back. */
async function spendCall(userId: number, budget: number, call: number): Promise<void> {
  try {
    const hold = await billing.reserve({ userId, token: null, plan: budget, amount: 1 });
    if (call % 12 === 0) return billing.refund(hold);
    const record = { ...chargeFor({ userId, token: null }, 0), included: budget };
    await billing.settle(hold, record);
    appendFileSync(acknowledgements, `${record.requestId} 0\n`);
  } catch (error) {
    if (!(error instanceof InsufficientQuota || error instanceof LedgerUnavailable)) throw error;
  }
}
