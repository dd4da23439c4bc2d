import type { Db, Tx } from "../../db/types.ts";
import type { CopyState } from "./journal/copy/journal-copy.ts";
import type { WrittenUpTo } from "./journal/journal.ts";
import type { Hold } from "./ledger/holds.ts";
import type { ReserveRequest } from "./ledger/ledger.ts";
import type { LostJournal } from "./ledger/processes/lost-processes.ts";
import type { Transfer } from "./ledger/transfer.ts";
import type { Balance, Subject } from "./subject.ts";
import type { UsageRecord } from "./types.ts";

export type BillingStatus = Readonly<{
  pendingRecords: number;
  /** Charges of this process that the database has taken. */
  writtenRecords: number;
  /** Where its others begin: the balances it knows are those after all charges before. */
  writtenUpTo: WrittenUpTo;
  journalBytes: number;
  /** Seconds since the call ended whose record waits longest; null: none waits. */
  oldestSeconds: number | null;
  /** The last try to write charges failed. */
  databaseDown: boolean;
  /** Milliseconds that the database has left a statement of the ledger without an answer. */
  ledgerUnansweredMs: number;
  /** Milliseconds for which every call was refused because its balance could not be checked. */
  refusingCallsMs: number;
  /** This process knows the balance of every user and key, so that calls of all go on should the database go away. */
  balancesKnown: boolean;
  /** Processes on this database, this one included, as last registered. */
  liveProcesses: number;
  /** Holds of calls that are under way, and the quota units that they set aside. */
  holds: number;
  heldUnits: number;
  /** The disk refuses the journal: charges go to Redis and the database at once. */
  diskRefused: boolean;
  /** These do not take them either: calls are refused. */
  chargesExposed: boolean;
  /** Charges in `rejected.jsonl`: damaged lines, and records that the database refused. */
  rejectedRecords: number;
  /** Whether Redis has what is not in the database yet. */
  journalCopy: CopyState;
  /** Processes that died with charges that nobody has written, or maybe with some. */
  lostJournals: readonly LostJournal[];
}>;

/** What was kept by `keepHold`, and whose it is; `tokenId` 0: no API key's. */
export type StoredHold = Readonly<{ name: string; userId: number; tokenId: number; budgets?: readonly number[] }>;

export type Billing = Readonly<{
  /**
   * Sets `amount` quota units aside for a call, on the user, on a limited key and on budgets, or on none of them. Rejects
   * InsufficientQuota (403 for the caller) or LedgerUnavailable (503).
   */
  reserve(request: ReserveRequest): Promise<Hold>;
  /**
   * Ends the hold and charges `record.quota`; resolves when the record survives the process, which is when this turn of the
   * event loop is over, or when Redis or the database has it while the disk refuses. A second end changes nothing. Never rejects.
   */
  settle(hold: Hold, record: UsageRecord): Promise<void>;
  /** Ends the hold without a charge. A second end changes nothing. */
  refund(hold: Hold): void;
  /**
   * Lets a hold outlive this process, under a name that is used once, until it is settled by that. Rejects when the database
   * does not answer or the balance is gone after all: then nothing is held any more.
   */
  keepHold(hold: Hold, name: string): Promise<void>;
  /**
   * Charges records at once, each once however often it is tried, first out of what is kept under the name; gives back the
   * rest of that. Rejects when the database does not answer.
   */
  settleStored(retained: StoredHold, records: readonly UsageRecord[]): Promise<void>;
  /**
   * Moves quota between two users' balances, never more than is neither held nor spent, in one transaction with `work`, which
   * runs with both rows locked. Rejects InsufficientQuota, LedgerUnavailable, or as `work` does: then nothing has moved.
   */
  transfer(db: Db, transfer: Transfer, work: (tx: Tx) => Promise<void>): Promise<void>;
  /** Keeps a record without a hold, as `settle` does: a call that failed. */
  record(record: UsageRecord): Promise<void>;
  /** Quota units the user may still spend, as far as this process knows; undefined: never looked at. */
  available(userId: number): number | undefined;
  /** The last known balances of all users, of all limited API keys, or of all hard budgets. */
  balances(subject: Subject): Iterable<Balance>;
  /** Resolves when all charges so far are in the database; rejects after 30 s. */
  flush(): Promise<void>;
  /** Writes what waits, gives back all holds and ends; what the database does not take stays for the next start. */
  close(): Promise<void>;
  status(): BillingStatus;
  /** Processes on this database, this one included, as last registered. */
  liveProcesses(): number;
  /** Looks for processes that died, as happens every 10 s by itself, and charges what they left where it can be found. */
  searchLostProcesses(): Promise<void>;
  /** Called for a process that died with charges that nobody has, in the one process that found it. */
  onLostJournal(onMessage: (lost: LostJournal) => void): void;
}>;
