import type { Reads } from "../../../db/server/replica.ts";
import type { Billing } from "../../billing/billing.ts";
import { describeLostJournal } from "../../billing/ledger/processes/lost-processes.ts";
import type { DeliveryStatus, LogDelivery } from "../../domain/logs/delivery/deliver-logs.ts";
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
  logDelivery: Pick<LogDelivery, "status"> | null;
  sharedLimits: SharedLimits | null;
}>;

/** Says whether the process takes calls, and everything that is wrong with it. `draining`: it is shutting down. */
export function createReadiness(sources: Sources, draining: () => boolean): () => Promise<Readiness> {
  const askDatabase = createDatabaseProbe(() => sources.database.health());
  return async () => describe(sources, draining(), await askDatabase());
}

function describe(
  { reads, billing, logDelivery, sharedLimits }: Sources,
  isDraining: boolean,
  database: DatabaseState,
): Readiness {
  const {
    databaseDown,
    diskRefused,
    chargesExposed,
    pendingRecords,
    rejectedRecords,
    lostJournals,
    journalCopy,
    ...status
  } = billing.status();
  const { oldestSeconds, ledgerUnansweredMs, refusingCallsMs } = status;
  const degraded: string[] = [];
  if (!database.answers) degraded.push("database: does not answer");
  else if (database.slowSeconds !== null) degraded.push(`database: is slow, an answer takes ${database.slowSeconds} s`);
  const replica = reads.replica();
  if (replica?.isUsed === false) {
    const why = replica.lagSeconds === null ? "does not answer" : `is ${replica.lagSeconds} s behind`;
    degraded.push(`database replica: ${why}, lists are read from the primary`);
  }
  if (logDelivery) degraded.push(...describeLog(logDelivery.status()));
  if (databaseDown) degraded.push(`journal: ${pendingRecords} charges wait for the database`);
  else if ((oldestSeconds ?? 0) > OLD_CHARGE_S) {
    degraded.push(`journal: ${pendingRecords} charges wait for the database, the oldest for ${oldestSeconds} s`);
  }
  if (ledgerUnansweredMs > LEDGER_SILENT_MS) {
    degraded.push(`ledger: the database has not answered for ${Math.round(ledgerUnansweredMs / 1000)} s`);
  }
  const isRefusing = refusingCallsMs > REFUSING_MS;
  if (isRefusing) degraded.push("ledger: calls are refused, their balances can't be checked");
  if (chargesExposed) degraded.push("journal: the disk refuses it, and nothing else takes charges: calls are refused");
  else if (diskRefused) degraded.push("journal: the disk refuses it, charges go to redis and the database at once");
  if (journalCopy === "behind")
    degraded.push("journal: redis has no complete copy, unwritten charges are on this disk alone");
  if (rejectedRecords > 0) degraded.push(`journal: ${rejectedRecords} rejected charges, see sluice journal inspect`);
  for (const lost of lostJournals) degraded.push(`journal: ${describeLostJournal(lost)}`);
  if (sharedLimits && !sharedLimits.isAnswering())
    degraded.push("redis: does not answer, each process admits its part of what limits leave");
  if (isDraining) degraded.push("shutting down");
  return { ready: !isDraining && !chargesExposed && !isRefusing, degraded };
}

function describeLog({ isAway, waitingRows, oldestSeconds, refused }: DeliveryStatus): string[] {
  const waiting = `${waitingRows} log rows wait in the main database`;
  const refusal = refused > 0 ? [`log database: refuses ${refused} log rows, log_deliveries.error says why`] : [];
  if (isAway) return [`log database: does not answer, ${waiting}`, ...refusal];
  if (oldestSeconds <= OLD_CHARGE_S || waitingRows <= refused) return refusal;
  return [`log database: ${waiting}, the oldest for ${oldestSeconds} s`, ...refusal];
}

/** What the database's latest answer says: it comes in time, late, or not at all. */
type DatabaseState = Readonly<{ answers: boolean; slowSeconds: number | null }>;

/** Load balancers give up on a probe within half a second; calls are served while the database is silent. */
const PROMPT_MS = 200;
/** A question that does almost nothing is answered within milliseconds. */
const SLOW_AFTER_MS = 1000;
/** A database that does not answer within this is not there. */
const SILENT_AFTER_MS = 3000;
/** It is requested so often by itself, so that slowness is known within 5 s, whoever looks how seldom. */
const EVERY_MS = 2000;

/**
 * Whether the database answers, and in time, decided within 200 ms: while a question is under way, what the last answer said
 * and how long this one has been waited for. Never rejects. One question is under way at a time.
 */
export function createDatabaseProbe(ask: () => Promise<unknown>): () => Promise<DatabaseState> {
  let known: DatabaseState = { answers: true, slowSeconds: null };
  let asking: Promise<void> | null = null;
  let requestedAt = 0;

  const slowness = (): number | null => {
    const tookMs = performance.now() - requestedAt;
    return tookMs >= SLOW_AFTER_MS ? Math.round(tookMs / 100) / 10 : null;
  };
  const probe = async (): Promise<void> => {
    requestedAt = performance.now();
    const answers = await ask().then(
      () => true,
      () => false,
    );
    known = { answers, slowSeconds: slowness() };
    asking = null;
  };
  const current = (): DatabaseState => {
    if (!asking) return known;
    if (performance.now() - requestedAt >= SILENT_AFTER_MS) return { answers: false, slowSeconds: null };
    return { answers: known.answers, slowSeconds: slowness() ?? known.slowSeconds };
  };
  const begin = (): Promise<void> => {
    asking ??= probe();
    return asking;
  };
  setInterval(begin, EVERY_MS).unref();
  return async () => {
    await Promise.race([begin(), Bun.sleep(PROMPT_MS)]);
    return current();
  };
}
