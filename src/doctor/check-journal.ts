import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Finding, fine, trouble } from "./finding.ts";
import type { Patient } from "./patient.ts";

const MANY_RECORDS = 5000;
const OLD_SECONDS = 30;
const SLOW_FLUSH_MS = 2000;

/** Charges that are not in the database yet: how many, how old, and how long writing them takes. */
export async function checkJournal({ config, running }: Pick<Patient, "config" | "running">): Promise<Finding[]> {
  const { dataDir } = config;
  if (!running) {
    const bytes = await bytesUnder(join(dataDir, "journal"));
    if (bytes === 0) return [fine("doctor_journal_empty")];
    return [trouble("warn", ["doctor_journal_left", { kb: Math.ceil(bytes / 1024) }], ["doctor_fix_journal_left"])];
  }
  const { billing } = running;
  const { pendingRecords, oldestSeconds, databaseDown, diskRefused } = billing.status();
  const findings: Finding[] = [];
  if (diskRefused) findings.push(trouble("fail", ["doctor_journal_refused"], ["doctor_fix_journal_refused"]));
  if (databaseDown) {
    const said = ["doctor_journal_waits", { count: pendingRecords, seconds: oldestSeconds ?? 0 }] as const;
    return [...findings, trouble("fail", said, ["doctor_fix_journal_waits"])];
  }
  findings.push(judgeDepth(pendingRecords, oldestSeconds ?? 0));
  const start = performance.now();
  const ms = await billing.flush().then(
    () => performance.now() - start,
    () => null,
  );
  if (ms === null) return [...findings, trouble("fail", ["doctor_journal_stuck"], ["doctor_fix_journal_waits"])];
  const said = ["doctor_journal_flush", { ms: ms.toFixed(0) }] as const;
  findings.push(ms > SLOW_FLUSH_MS ? trouble("warn", said, ["doctor_fix_database_slow"]) : fine(...said));
  return findings;
}

export function judgeDepth(count: number, seconds: number): Finding {
  if (count === 0) return fine("doctor_journal_empty");
  const said = ["doctor_journal_depth", { count, seconds }] as const;
  return count > MANY_RECORDS || seconds > OLD_SECONDS
    ? trouble("warn", said, ["doctor_fix_journal_waits"])
    : fine(...said);
}

/** What segments of the journal hold; a directory that is not there holds nothing. */
async function bytesUnder(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.filter((name) => !name.endsWith("rejected.jsonl")).map((name) => fileSize(join(directory, name))),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const fileSize = async (path: string): Promise<number> => {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : 0;
};
