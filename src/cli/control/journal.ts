import { createChanges } from "../../../db/changes.ts";
import { openDatabase, openExistingDatabase, requireDatabase } from "../../../db/connect.ts";
import { MOST_LISTED } from "../../billing/journal/pending/pending-records.ts";
import type { ReplayResult } from "../../billing/journal/rejected/replay-rejected.ts";
import {
  type AcknowledgeResult,
  acknowledge,
  type EditResult,
  edit,
  inspect,
  type JournalAction,
  type JournalReport,
  list,
  type PendingReport,
  replay,
  type SetAsideResult,
  setAside,
} from "../../domain/system/diagnostics/journal-actions.ts";
import type { Config } from "../../server/config.ts";
import { loadCommandConfig } from "./command-config.ts";
import { askGateway, textOf } from "./control-client.ts";

type Result = JournalReport | PendingReport | ReplayResult | SetAsideResult | EditResult | AcknowledgeResult;

/**
 * Shows the journal of charges, puts pending ones aside, edits and replays rejected ones or acknowledges losses, also while a
 * gateway runs: one with the embedded database is asked to do it, since it alone can. Returns the exit code: 1 when charges stay
 * rejected, or nothing was put aside, edited or acknowledged.
 */
export async function journal(action: JournalAction, asJson: boolean): Promise<number> {
  const { config } = await loadCommandConfig();
  const result = (await askServing(config, action)) ?? (await runDirectly(config, action));
  const print = asJson ? (value: Result) => `${JSON.stringify(value, null, 2)}\n` : describe;
  process.stdout.write(print(result));
  if ("left" in result) return result.left.length > 0 ? 1 : 0;
  if ("setAside" in result) return result.setAside ? 0 : 1;
  if ("edited" in result) return result.edited ? 0 : 1;
  return "acknowledged" in result && result.acknowledged === 0 ? 1 : 0;
}

async function askServing(config: Config, action: JournalAction): Promise<Result | null> {
  if (config.databaseUrl !== null) return null;
  const reply = await askGateway(config.dataDir, "journal", JSON.stringify(action));
  return reply && (JSON.parse(await textOf(reply)) as Result);
}

async function runDirectly(config: Config, action: JournalAction): Promise<Result> {
  if (action.action === "inspect") return withFiles(config, inspect);
  if (action.action === "list") return withFiles(config, list);
  if (action.action === "set-aside") return setAside(config.dataDir, action.what);
  if (action.action === "edit") return edit(config.dataDir, action.what, action.field, action.value);
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    const changes = await createChanges(database, (error) => {
      throw error;
    });
    const deps = { database, changes, dataDir: config.dataDir };
    try {
      return await (action.action === "replay" ? replay(deps, action) : acknowledge(deps, action.what));
    } finally {
      await changes.close();
    }
  } finally {
    await database.close();
  }
}

/** The files are worth a look too when the database does not answer. */
async function withFiles(config: Config, read: typeof inspect | typeof list): Promise<Result> {
  const database = await openExistingDatabase(config).catch((error: Error) => {
    process.stderr.write(`sluice: only the files are shown: ${error.message}\n`);
    return null;
  });
  try {
    return await read(database, config.dataDir);
  } finally {
    await database?.close();
  }
}

function describe(result: Result): string {
  if ("left" in result) return describeReplay(result);
  if ("pending" in result) return describePending(result);
  if ("setAside" in result) return describeSetAside(result);
  if ("edited" in result) return describeEdit(result);
  if ("acknowledged" in result) return describeAcknowledge(result);
  return describeReport(result);
}

function describeReplay({ charged, known, left }: ReplayResult): string {
  const lines = [`${charged.length} charged, ${known} charged already, ${left.length} still rejected`];
  for (const { number, reason } of left) lines.push(`  ${number}  ${reason}`);
  return `${lines.join("\n")}\n`;
}

function describePending({ pending }: PendingReport): string {
  const lines = [`${pending.length} pending charges${pending.length === MOST_LISTED ? ", and maybe more" : ""}`];
  for (const { inUse, requestId, createdAt, userId, username, modelName, quota } of pending) {
    const state = inUse ? "" : ", of a process that ended";
    lines.push(
      `  ${requestId}  user ${userId} (${username}), ${modelName}, ${quota} units, ${timeOf(createdAt)}${state}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

const describeSetAside = ({ what, setAside }: SetAsideResult): string =>
  setAside
    ? `set aside: ${what} (see sluice journal inspect)\n`
    : `not set aside: ${what} is not pending any more, or never was (see sluice journal list)\n`;

const describeEdit = ({ what, edited, problem }: EditResult): string =>
  edited ? `edited: ${what} (charge it: sluice journal replay ${what})\n` : `not edited: ${what}: ${problem}\n`;

const describeAcknowledge = ({ what, acknowledged }: AcknowledgeResult): string =>
  acknowledged > 0 ? `acknowledged: ${what}\n` : `nothing to acknowledge: ${what} (see sluice journal inspect)\n`;

function describeReport({ directory, processes, rejected, lost }: JournalReport): string {
  const lines = [`Journal in ${directory}`];
  if (processes.length === 0) lines.push("  empty");
  for (const { process, inUse, files, bytes, records, damaged, unwritten, oldestUnwrittenAt } of processes) {
    const state = inUse ? "its process runs" : "its process ended: the next start charges it";
    lines.push(`  ${process}: ${state}`);
    const since = oldestUnwrittenAt === null ? "" : `, the oldest from ${timeOf(oldestUnwrittenAt)}`;
    const waiting = unwritten === null ? "" : `, ${unwritten} not in the database${since}`;
    const broken = damaged > 0 ? `, ${damaged} damaged lines` : "";
    lines.push(`    ${files} files, ${Math.ceil(bytes / 1024)} KB, ${records} records${waiting}${broken}`);
  }
  lines.push(`Rejected charges: ${rejected.length}${rejected.length > 0 ? ` in ${directory}/rejected.jsonl` : ""}`);
  for (const { number, entry, problem } of rejected) {
    const state = entry?.charged ? "charged without its row in the log" : "can be replayed";
    lines.push(`  ${number}  ${entry?.at ?? ""} ${problem ?? `${state}: ${entry?.reason ?? ""}`}`);
    if (entry?.file) lines.push(`     at byte ${entry.offset} of ${entry.file}`);
    const record = entry?.record ?? entry?.readable;
    if (record) {
      const { userId, username, modelName, quota, createdAt, requestId } = record;
      const head = entry?.record ? "" : "reads as ";
      lines.push(
        `     ${head}user ${userId} (${username}), ${modelName}, ${quota} units, ${timeOf(createdAt)}, ${requestId}`,
      );
    }
    if (entry?.readable && !entry.record) {
      lines.push(
        `     if that is right: sluice journal edit ${number} quota ${record?.quota}, then: sluice journal replay ${number}`,
      );
    }
  }
  lines.push(`Lost processes: ${lost === null ? "unknown, the database does not answer" : lost.length}`);
  for (const { processId, location, lastSeenAt, unwritten, unwrittenSince } of lost ?? []) {
    const since = unwrittenSince === null ? "" : ` since ${timeOf(unwrittenSince)}`;
    lines.push(`  ${processId} at ${location}, last seen ${timeOf(lastSeenAt)}, ${unwritten} unwritten then${since}`);
    lines.push(`     bring its DATA_DIR back, or: sluice journal acknowledge ${processId}`);
  }
  return `${lines.join("\n")}\n`;
}

/** What stands in a damaged record may be no time. */
const timeOf = (seconds: unknown): string =>
  typeof seconds === "number" && seconds > 0 && seconds < 8e12
    ? new Date(seconds * 1000).toISOString().replace(".000", "")
    : String(seconds);
