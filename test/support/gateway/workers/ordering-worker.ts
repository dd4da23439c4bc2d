import { openDatabase } from "../../../../db/connect.ts";
import { createBilling } from "../../../../src/billing/billing.ts";
import { pollTasks } from "../../../../src/domain/tasks/polling/poll-tasks.ts";
import { midjourney } from "../../../../src/providers/media/midjourney.ts";
import { NO_CHANGES } from "../../billing/no-changes.ts";
import { silentLog } from "../../billing/start-billing.ts";
import { startRelay } from "../start-gateway.ts";
import { taskDeps } from "../start-tasks.ts";

/**
 * For the crash test: a process that orders one drawing, or asks how drawings stand, and kills itself at a given moment.
 * Argument: JSON of `Ordering`.
 */
export type Ordering = Readonly<{
  dataDir: string;
  upstreamUrl: string;
  userId: number;
  tokenId: number;
  work: "order" | "poll";
  /**
   * When it dies: with the row stored and the upstream asked; before the charge is in the journal; after it, the row not
   * yet taken; after the row is taken; before the end of a task is committed; after that, before anybody was notified.
   */
  dies: "asked" | "before_charge" | "after_charge" | "taken" | "before_commit" | "after_commit";
}>;

const ordering = JSON.parse(process.argv[2] ?? "") as Ordering;
const { dataDir, upstreamUrl, userId, tokenId, work, dies } = ordering;
const die = (): never => {
  process.kill(process.pid, "SIGKILL");
  throw new Error("a killed process goes on");
};

const database = await openDatabase({ databaseUrl: null, dataDir });
const billing = await createBilling({
  database,
  changes: NO_CHANGES,
  dataDir,
  processId: Bun.randomUUIDv7(),
  log: silentLog,
});
const channel = { type: 2, baseUrl: upstreamUrl, keys: ["mj-secret"], models: midjourney.models };
const changes = { publish: async () => (dies === "after_commit" ? die() : undefined) };
const deps = taskDeps(database, changes, { channels: [channel] });

if (work === "poll") {
  if (dies === "before_commit") {
    const transact = database.db.transaction.bind(database.db);
    database.db.transaction = (run, config) =>
      transact(async (tx) => {
        await run(tx);
        return die();
      }, config);
  }
  await pollTasks(deps);
} else {
  const relay = startRelay({
    channels: [channel],
    user: { id: userId },
    tokens: { test: { id: tokenId, userId, unlimitedQuota: false } },
    billing: {
      ...billing,
      async settle(hold, record) {
        if (dies === "before_charge") die();
        await billing.settle(hold as Parameters<typeof billing.settle>[0], record);
        if (dies === "after_charge") die();
      },
      refund: (hold) => billing.refund(hold as Parameters<typeof billing.refund>[0]),
      keepHold: (hold, name) => billing.keepHold(hold as Parameters<typeof billing.refund>[0], name),
    },
    tasks: deps,
  });
  await relay.post("/mj/submit/imagine", { prompt: "a cat" });
  if (dies === "taken") die();
}
await billing.close();
await database.close();
process.exit(0);
