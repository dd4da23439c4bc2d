import { join } from "node:path";
import type { Changes } from "../../../db/changes.ts";
import type { Database } from "../../../db/types.ts";
import { inspectJournal, type ProcessJournal } from "../../billing/journal/inspect-journal.ts";
import {
  acknowledgeRejected,
  listRejected,
  type NumberedEntry,
  type ReplayResult,
  replayRejected,
} from "../../billing/journal/rejected/replay-rejected.ts";
import {
  forgetLostJournal,
  type LostJournal,
  listLostJournals,
} from "../../billing/ledger/processes/lost-processes.ts";

export type JournalAction =
  | Readonly<{ action: "inspect" }>
  | Readonly<{ action: "replay"; force: boolean }>
  /** `what`: the id of a process, or "rejected". */
  | Readonly<{ action: "acknowledge"; what: string }>;

export type JournalReport = Readonly<{
  directory: string;
  processes: readonly ProcessJournal[];
  rejected: readonly NumberedEntry[];
  /** Null: the database can't be asked. */
  lost: readonly LostJournal[] | null;
}>;

export type AcknowledgeResult = Readonly<{ what: string; acknowledged: number }>;

type Deps = Readonly<{ database: Pick<Database, "sql">; changes: Pick<Changes, "publish">; dataDir: string }>;

/** What a data directory's journal holds. `database` null: it can't be opened, so its part is left out. */
export async function inspect(database: Pick<Database, "sql"> | null, dataDir: string): Promise<JournalReport> {
  const directory = join(dataDir, "journal");
  return {
    directory,
    processes: await inspectJournal(database?.sql ?? null, directory),
    rejected: await listRejected(directory),
    lost: database && (await listLostJournals(database.sql)),
  };
}

/** Charges rejected records, and notifies the processes that keep the balances in memory. */
export async function replay({ database, changes, dataDir }: Deps, force: boolean): Promise<ReplayResult> {
  const result = await replayRejected(database.sql, join(dataDir, "journal"), { force });
  await changes.publish("users", [...new Set(result.charged.map(({ userId }) => userId))]);
  await changes.publish("tokens", [...new Set(result.charged.map(({ tokenId }) => tokenId).filter((id) => id > 0))]);
  return result;
}

/** Ends the alarm about a lost process, or about the rejected charges. */
export async function acknowledge({ database, dataDir }: Deps, what: string): Promise<AcknowledgeResult> {
  if (what === "rejected") return { what, acknowledged: await acknowledgeRejected(join(dataDir, "journal")) };
  return { what, acknowledged: (await forgetLostJournal(database.sql, what)) ? 1 : 0 };
}

/** Does what the command line asked of a running gateway. */
export function runJournalAction(deps: Deps, action: JournalAction) {
  if (action.action === "inspect") return inspect(deps.database, deps.dataDir);
  if (action.action === "replay") return replay(deps, action.force);
  return acknowledge(deps, action.what);
}

/** Reads an action as `JSON.stringify` wrote it. Throws when it is none. */
export function readJournalAction(text: string): JournalAction {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "action" in value) {
    if (value.action === "inspect") return { action: "inspect" };
    if (value.action === "replay") return { action: "replay", force: "force" in value && value.force === true };
    if (value.action === "acknowledge" && "what" in value && typeof value.what === "string") {
      return { action: "acknowledge", what: value.what };
    }
  }
  throw new Error("unknown action");
}
