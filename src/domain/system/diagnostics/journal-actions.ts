import { join } from "node:path";
import type { Changes } from "../../../../db/changes.ts";
import type { Database } from "../../../../db/types.ts";
import { inspectJournal, type ProcessJournal } from "../../../billing/journal/inspect-journal.ts";
import { listPending, type PendingRecord, setPendingAside } from "../../../billing/journal/pending/pending-records.ts";
import {
  acknowledgeRejected,
  editRejected,
  listRejected,
  type NumberedEntry,
  type ReplayResult,
  replayRejected,
  type Which,
} from "../../../billing/journal/rejected/replay-rejected.ts";
import {
  forgetLostJournal,
  type LostJournal,
  listLostJournals,
} from "../../../billing/ledger/processes/lost-processes.ts";
import type { UsageRecord } from "../../../billing/types.ts";

export type JournalAction =
  | Readonly<{ action: "inspect" }>
  | Readonly<{ action: "list" }>
  | Readonly<{ action: "replay"; which: Which; force: boolean }>
  /** `what`: the request id of a pending record. */
  | Readonly<{ action: "set-aside"; what: string }>
  /** `what`: the number or request id of a rejected record, or the request id of a pending one. */
  | Readonly<{ action: "edit"; what: string; field: string; value: string }>
  /** `what`: the id of a process, or "rejected". */
  | Readonly<{ action: "acknowledge"; what: string }>;

export type JournalReport = Readonly<{
  directory: string;
  processes: readonly ProcessJournal[];
  rejected: readonly NumberedEntry[];
  /** Null: the database can't be asked. */
  lost: readonly LostJournal[] | null;
}>;

export type PendingReport = Readonly<{ pending: readonly PendingRecord[] }>;
export type SetAsideResult = Readonly<{ what: string; setAside: boolean }>;
/** `edited`: the record as it is then; null: `problem` says why not. */
export type EditResult = Readonly<{ what: string; edited: UsageRecord | null; problem: string | null }>;
export type AcknowledgeResult = Readonly<{ what: string; acknowledged: number }>;

type Deps = Readonly<{ database: Pick<Database, "sql">; changes: Pick<Changes, "publish">; dataDir: string }>;

const directoryIn = (dataDir: string): string => join(dataDir, "journal");

/** What a data directory's journal holds. `database` null: it can't be opened, so its part is left out. */
export async function inspect(database: Pick<Database, "sql"> | null, dataDir: string): Promise<JournalReport> {
  const directory = directoryIn(dataDir);
  return {
    directory,
    processes: await inspectJournal(database?.sql ?? null, directory),
    rejected: await listRejected(directory),
    lost: database && (await listLostJournals(database.sql)),
  };
}

/** The records that are not in the database; without it all that are in the files. */
export const list = async (database: Pick<Database, "sql"> | null, dataDir: string): Promise<PendingReport> => ({
  pending: await listPending(database?.sql ?? null, directoryIn(dataDir)),
});

/** The charges that were put aside. */
export const listRejectedIn = (dataDir: string): Promise<NumberedEntry[]> => listRejected(directoryIn(dataDir));

/** Charges rejected records, and notifies the processes that keep the balances in memory. */
export async function replay(
  { database, changes, dataDir }: Deps,
  options: Readonly<{ force: boolean; which: Which }>,
): Promise<ReplayResult> {
  const result = await replayRejected(database.sql, directoryIn(dataDir), options);
  await changes.publish("users", [...new Set(result.charged.map(({ userId }) => userId))]);
  await changes.publish("tokens", [...new Set(result.charged.map(({ tokenId }) => tokenId).filter((id) => id > 0))]);
  return result;
}

/** Puts a pending record aside, among the rejected ones. */
export const setAside = async (dataDir: string, what: string): Promise<SetAsideResult> => ({
  what,
  setAside: await setPendingAside(directoryIn(dataDir), what),
});

/** Changes a field of a rejected record; a pending one is put aside for that. */
export async function edit(dataDir: string, what: string, field: string, value: string): Promise<EditResult> {
  const directory = directoryIn(dataDir);
  const result =
    (await editRejected(directory, what, field, value)) ??
    ((await setPendingAside(directory, what)) ? await editRejected(directory, what, field, value) : null);
  return { what, edited: result?.record ?? null, problem: result ? result.problem : "there is no such record" };
}

/** Ends the alarm about a lost process, or about the rejected charges. */
export async function acknowledge(
  { database, dataDir }: Pick<Deps, "database" | "dataDir">,
  what: string,
): Promise<AcknowledgeResult> {
  if (what === "rejected") return { what, acknowledged: await acknowledgeRejected(directoryIn(dataDir)) };
  return { what, acknowledged: (await forgetLostJournal(database.sql, what)) ? 1 : 0 };
}

/** Does what the command line asked of a running gateway. */
export function runJournalAction(deps: Deps, action: JournalAction) {
  switch (action.action) {
    case "inspect":
      return inspect(deps.database, deps.dataDir);
    case "list":
      return list(deps.database, deps.dataDir);
    case "replay":
      return replay(deps, action);
    case "set-aside":
      return setAside(deps.dataDir, action.what);
    case "edit":
      return edit(deps.dataDir, action.what, action.field, action.value);
    case "acknowledge":
      return acknowledge(deps, action.what);
  }
}

/** Reads an action as `JSON.stringify` wrote it. Throws when it is none. */
export function readJournalAction(text: string): JournalAction {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "action" in value) {
    const what = "what" in value && typeof value.what === "string" ? value.what : null;
    if (value.action === "inspect" || value.action === "list") return { action: value.action };
    if (value.action === "replay") {
      const which = "which" in value && typeof value.which === "string" ? value.which : null;
      return { action: "replay", which, force: "force" in value && value.force === true };
    }
    if ((value.action === "acknowledge" || value.action === "set-aside") && what !== null) {
      return { action: value.action, what };
    }
    if (value.action === "edit" && what !== null && "field" in value && "value" in value) {
      const [field, text] = [value.field, value.value];
      if (typeof field === "string" && typeof text === "string") return { action: "edit", what, field, value: text };
    }
  }
  throw new Error("unknown action");
}
