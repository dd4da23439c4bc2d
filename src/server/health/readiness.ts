import type { Reads } from "../../../db/server/replica.ts";
import type { Billing } from "../../billing/billing.ts";
import { describeLostJournal } from "../../billing/ledger/processes/lost-processes.ts";
import type { SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { Readiness } from "./routes.ts";

/** Charges are written within seconds; older ones mean that the database does not take them. */
const OLD_CHARGE_S = 30;
const LEDGER_SILENT_MS = 5000;
/** Another replica may do better once this one could not answer a single call for so long. */
const REFUSING_MS = 10_000;

type Sources = Readonly<{
  database: Readonly<{ health(): Promise<unknown> }>;
  reads: Pick<Reads, "replica">;
  billing: Pick<Billing, "status">;
  sharedLimits: SharedLimits | null;
}>;

/** Says whether the process takes calls, and everything that is wrong with it. `draining`: it is shutting down. */
export function createReadiness(sources: Sources, draining: () => boolean): () => Promise<Readiness> {
  const databaseAnswers = createDatabaseProbe(() => sources.database.health());
  return async () => describe(sources, draining(), await databaseAnswers());
}

function describe({ reads, billing, sharedLimits }: Sources, isDraining: boolean, databaseAnswers: boolean): Readiness {
  const { databaseDown, diskRefused, pendingRecords, rejectedRecords, lostJournals, journalCopy, ...status } =
    billing.status();
  const { oldestSeconds, ledgerUnansweredMs, refusingCallsMs } = status;
  const degraded: string[] = [];
  if (!databaseAnswers) degraded.push("database: does not answer");
  const replica = reads.replica();
  if (replica?.isUsed === false) {
    const why = replica.lagSeconds === null ? "does not answer" : `is ${replica.lagSeconds} s behind`;
    degraded.push(`database replica: ${why}, lists are read from the primary`);
  }
  if (databaseDown) degraded.push(`journal: ${pendingRecords} charges wait for the database`);
  else if ((oldestSeconds ?? 0) > OLD_CHARGE_S) {
    degraded.push(`journal: ${pendingRecords} charges wait for the database, the oldest for ${oldestSeconds} s`);
  }
  if (ledgerUnansweredMs > LEDGER_SILENT_MS) {
    degraded.push(`ledger: the database has not answered for ${Math.round(ledgerUnansweredMs / 1000)} s`);
  }
  const isRefusing = refusingCallsMs > REFUSING_MS;
  if (isRefusing) degraded.push("ledger: calls are refused, their balances can't be checked");
  if (diskRefused) degraded.push("journal: the disk refuses it, charges are in memory only");
  if (journalCopy === "behind")
    degraded.push("journal: redis has no complete copy, unwritten charges are on this disk alone");
  if (rejectedRecords > 0) degraded.push(`journal: ${rejectedRecords} rejected charges, see sluice journal inspect`);
  for (const lost of lostJournals) degraded.push(`journal: ${describeLostJournal(lost)}`);
  if (sharedLimits && !sharedLimits.isAnswering()) degraded.push("redis: does not answer, limits are per process");
  if (isDraining) degraded.push("shutting down");
  return { ready: !isDraining && !diskRefused && !isRefusing, degraded };
}

/** Load balancers give up on a probe within half a second; calls are served while the database is silent. */
const PROMPT_MS = 200;
/** A database that does not answer within this is not there. */
const SILENT_AFTER_MS = 2000;

/**
 * Whether the database answers, decided within 200 ms: of one that takes longer, what is known of it until it has been silent for
 * 2 s. Never rejects. One question is under way at a time.
 */
export function createDatabaseProbe(ask: () => Promise<unknown>): () => Promise<boolean> {
  let answers = true;
  let asking: Promise<boolean> | null = null;

  const probe = async (): Promise<boolean> => {
    const silent = setTimeout(() => {
      answers = false;
    }, SILENT_AFTER_MS);
    answers = await ask().then(
      () => true,
      () => false,
    );
    clearTimeout(silent);
    asking = null;
    return answers;
  };
  return () => {
    asking ??= probe();
    return Promise.race([asking, Bun.sleep(PROMPT_MS).then(() => answers)]);
  };
}
