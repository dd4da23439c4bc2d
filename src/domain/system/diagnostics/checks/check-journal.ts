import { join } from "node:path";
import { inspectJournal } from "../../../../billing/journal/inspect-journal.ts";
import { RejectedRecords } from "../../../../billing/journal/rejected/rejected.ts";
import { type LostJournal, listLostJournals } from "../../../../billing/ledger/processes/lost-processes.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";
import { type Finding, fine, trouble } from "../diagnostics-context.ts";

const MANY_RECORDS = 5000;
const OLD_SECONDS = 30;
const SLOW_FLUSH_MS = 2000;

/**
 * Charges that are not in the database yet: how many, how old, and how long writing them takes; those that could not be made;
 * and processes that died with some.
 */
export async function checkJournal(
  context: Pick<DiagnosticsContext, "config" | "database" | "running">,
): Promise<Finding[]> {
  const { config, database, running } = context;
  const root = join(config.dataDir, "journal");
  const rejected = new RejectedRecords(root);
  const lost = running ? running.billing.status().lostJournals : await listLostJournals(database.sql);
  return [
    ...(running ? await checkRunning(running) : await checkFiles(context, root)),
    ...judgeRejected(rejected.count(), rejected.path),
    ...lost.map(judgeLost),
  ];
}

/** What the journal files of ended processes and of other running ones contain. */
async function checkFiles({ database }: Pick<DiagnosticsContext, "database">, root: string): Promise<Finding[]> {
  const journals = await inspectJournal(database.sql, root);
  const countOf = (inUse: boolean) =>
    journals.filter((journal) => journal.inUse === inUse).reduce((sum, { unwritten }) => sum + (unwritten ?? 0), 0);
  const left = countOf(false);
  const oldest = Math.min(...journals.filter(({ inUse }) => inUse).map((own) => own.oldestUnwrittenAt ?? nowSeconds()));
  const waiting = countOf(true);
  const findings = left > 0 && waiting === 0 ? [] : [judgeDepth(waiting, waiting > 0 ? nowSeconds() - oldest : 0)];
  if (left === 0) return findings;
  return [...findings, trouble("warn", ["doctor_journal_left", { count: left }], ["doctor_fix_journal_left"])];
}

async function checkRunning({ billing }: NonNullable<DiagnosticsContext["running"]>): Promise<Finding[]> {
  const { pendingRecords, oldestSeconds, databaseDown, diskRefused, journalCopy } = billing.status();
  const findings: Finding[] = [];
  if (diskRefused) findings.push(trouble("fail", ["doctor_journal_refused"], ["doctor_fix_journal_refused"]));
  if (journalCopy === "behind") {
    findings.push(trouble("warn", ["doctor_journal_copy_behind"], ["doctor_fix_journal_copy_behind"]));
  }
  if (databaseDown) {
    const message = ["doctor_journal_waits", { count: pendingRecords, seconds: oldestSeconds ?? 0 }] as const;
    return [...findings, trouble("fail", message, ["doctor_fix_journal_waits"])];
  }
  findings.push(judgeDepth(pendingRecords, oldestSeconds ?? 0));
  const start = performance.now();
  const ms = await billing.flush().then(
    () => performance.now() - start,
    () => null,
  );
  if (ms === null) return [...findings, trouble("fail", ["doctor_journal_not_draining"], ["doctor_fix_journal_waits"])];
  const message = ["doctor_journal_flush", { ms: ms.toFixed(0) }] as const;
  findings.push(ms > SLOW_FLUSH_MS ? trouble("warn", message, ["doctor_fix_database_slow"]) : fine(...message));
  return findings;
}

/** Whether too many charges wait in the journal, or for too long: their count and the age of the oldest in seconds. */
export function judgeDepth(count: number, seconds: number): Finding {
  if (count === 0) return fine("doctor_journal_empty");
  const message = ["doctor_journal_depth", { count, seconds }] as const;
  return count > MANY_RECORDS || seconds > OLD_SECONDS
    ? trouble("warn", message, ["doctor_fix_journal_waits"])
    : fine(...message);
}

function judgeRejected(count: number, path: string): Finding[] {
  if (count === 0) return [];
  return [trouble("fail", ["doctor_journal_rejected", { count, path }], ["doctor_fix_journal_rejected"])];
}

function judgeLost({ processId, location, lastSeenAt, unwritten }: LostJournal): Finding {
  const seen = new Date(lastSeenAt * 1000).toISOString();
  return trouble(
    "fail",
    ["doctor_journal_lost", { process: processId, location, seen, count: unwritten }],
    ["doctor_fix_journal_lost", { process: processId }],
  );
}
