import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { createSerial } from "../lib/serial.ts";
import { endOfTurn } from "../lib/turn.ts";
import { adoptOrphans } from "./journal/adopt-orphans.ts";
import { applyBatch } from "./journal/apply-batch.ts";
import { makeClaimedDirectory } from "./journal/claim.ts";
import { Journal } from "./journal/journal.ts";
import type { RecordSink } from "./journal/pump.ts";
import { readRecord, recordText, saneCharge } from "./journal/record-text.ts";
import { keepRejected } from "./journal/rejected.ts";
import { withoutWritten } from "./journal/without-written.ts";
import { JournalWriter } from "./journal/writer.ts";
import type { Hold } from "./ledger/hold.ts";
import { keptName } from "./ledger/kept-name.ts";
import { Ledger, type ReserveRequest } from "./ledger/ledger.ts";
import { Registration } from "./ledger/registration.ts";
import { releaseDeadProcesses } from "./ledger/release-dead-processes.ts";
import type { UsageRecord } from "./types.ts";

const FLUSH_WITHIN_MS = 30_000;
/** What a database that was down gets at the end. */
const LAST_FLUSH_WITHIN_MS = 3000;
const SWEEP_MS = 2000;
const ADOPT_MS = 60_000;

type Parts = Readonly<{
  database: Pick<Database, "sql" | "kind">;
  changes: Pick<Changes, "subscribe">;
  /** The journal lives in its folder `journal`. */
  dataDir: string;
  /** Unique for each start of a process. */
  processId: string;
  log: Logger;
  /** No other process works on this database, so balances are kept in memory alone; by default the embedded engine's. */
  sole?: boolean;
}>;

export type BillingStatus = Readonly<{
  pendingRecords: number;
  journalBytes: number;
  /** Seconds since the call ended whose record waits longest; null: none waits. */
  oldestSeconds: number | null;
  /** The last try to write charges failed. */
  databaseDown: boolean;
  /** The disk refuses the journal: charges are in memory only. */
  diskRefused: boolean;
}>;

/** What was kept by `keepHold`, and whose it is; `tokenId` 0: no API key's. */
export type KeptHold = Readonly<{ name: string; userId: number; tokenId: number }>;

export type Billing = Readonly<{
  /**
   * Sets `amount` quota units aside for a call, on the user and on a limited key, or on neither; at once where memory
   * suffices. Throws or rejects InsufficientQuota (403 for the caller) or LedgerUnavailable (503).
   */
  reserve(request: ReserveRequest): Hold | Promise<Hold>;
  /**
   * Ends the hold and charges `record.quota`; resolves when the record survives the process, which is when this turn of the
   * event loop is over. A second end changes nothing. Never rejects.
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
  settleKept(kept: KeptHold, records: readonly UsageRecord[]): Promise<void>;
  /** Keeps a record without a hold, as `settle` does: a call that failed. */
  record(record: UsageRecord): Promise<void>;
  /** Quota units the user may still spend, as far as this process knows; undefined: never looked at. */
  available(userId: number): number | undefined;
  /** Resolves when all charges so far are in the database; rejects after 30 s. */
  flush(): Promise<void>;
  /** Writes what waits, gives back all holds and ends; what the database does not take stays for the next start. */
  close(): Promise<void>;
  status(): BillingStatus;
}>;

/**
 * Opens the ledger and the journal. First brings what earlier processes left in `dataDir` into the database.
 * Rejects when the database or the directory fails.
 */
export async function createBilling(parts: Parts): Promise<Billing> {
  const { database, changes, dataDir, processId, log } = parts;
  const { sql } = database;
  const sole = parts.sole ?? database.kind === "embedded";
  const root = join(dataDir, "journal");
  await mkdir(root, { recursive: true, mode: 0o700 });

  const inTurn = createSerial();
  const ledger = new Ledger({ sql, processId, sole, inTurn, log });
  const registration = new Registration({ sql, processId, sole, log, onLost: () => ledger.reacquire() });

  const reject = async (record: string | null, reason: string) => {
    log.error({ reason }, "the database refuses a record; it is kept in journal/rejected.jsonl");
    await keepRejected(root, record, reason);
  };
  const own: RecordSink = {
    apply: (records, areNew) =>
      inTurn(async () => ledger.absorb(await applyBatch(sql, processId, records, { areNew }))),
    async reject(record, reason) {
      await reject(record, reason);
      if (record !== null) ledger.forgetCharge(readRecord(record));
    },
  };
  const adopt = () =>
    adoptOrphans({
      root,
      log,
      sinkFor: (dead) => ({
        reject,
        async apply(records) {
          const unwritten = await withoutWritten(sql, records);
          if (unwritten.length > 0) await applyBatch(sql, dead, unwritten);
        },
      }),
      async done(dead) {
        await releaseDeadProcesses(sql, { ids: [dead] });
        await ledger.refreshAll();
      },
    });

  await adopt();
  await registration.start();
  const claim = makeClaimedDirectory(root, processId);
  const directory = join(root, processId);
  const journal = new Journal(directory, log);
  const writer = new JournalWriter(journal, own, log);

  const failed = (error: unknown) => log.warn({ error }, "upkeep of the ledger failed");
  const timers = [
    setInterval(() => void ledger.sweep().catch(failed), SWEEP_MS),
    setInterval(() => void adopt().catch(failed), ADOPT_MS),
  ];
  for (const timer of timers) timer.unref();
  const subscriptions = [
    changes.subscribe("users", (ids) => ledger.refresh("user", ids.map(Number))),
    changes.subscribe("tokens", (ids) => ledger.refresh("token", ids.map(Number))),
  ];

  const keep = (record: UsageRecord, text: string): Promise<void> => {
    journal.append(text);
    ledger.expectCharge(record);
    writer.wake();
    return endOfTurn();
  };
  const end = (hold: Hold, state: "settled" | "refunded"): boolean => {
    const ended = ledger.end(hold, state);
    if (!ended) log.error({ state, was: hold.state }, "a hold was ended twice");
    return ended;
  };
  return {
    reserve: ({ userId, token, amount }) => ledger.reserve({ userId, token, amount: saneCharge(amount) }),
    settle(hold, record) {
      const text = recordText(record);
      return end(hold, "settled") ? keep(record, text) : endOfTurn();
    },
    refund: (hold) => void end(hold, "refunded"),
    async keepHold(hold, name) {
      if (!(await ledger.keep(hold, name)))
        throw new Error(`the balance does not cover what is to be kept for ${name}`);
    },
    async settleKept({ name, userId, tokenId }, records) {
      const id = keptName(name);
      await inTurn(async () => {
        const unwritten = await withoutWritten(sql, records.map(recordText));
        if (unwritten.length > 0) await applyBatch(sql, id, unwritten);
        await releaseDeadProcesses(sql, { ids: [id] });
      });
      await ledger.refresh("user", [userId]);
      await ledger.refresh("token", [tokenId]);
    },
    record: (record) => keep(record, recordText(record)),
    available: (userId) => ledger.available(userId),
    flush: () => writer.flush(FLUSH_WITHIN_MS),
    status() {
      journal.write();
      return {
        pendingRecords: journal.pendingRecords,
        journalBytes: journal.bytes,
        oldestSeconds: secondsSince(journal.oldest()),
        databaseDown: writer.databaseDown,
        diskRefused: !journal.onDisk,
      };
    },
    async close() {
      for (const unsubscribe of subscriptions) unsubscribe();
      for (const timer of timers) clearInterval(timer);
      try {
        await writer.flush(writer.databaseDown ? LAST_FLUSH_WITHIN_MS : FLUSH_WITHIN_MS);
        await writer.close();
        await inTurn(() => registration.end());
        await rm(directory, { recursive: true, force: true });
      } catch (error) {
        log.error({ error, pending: journal.pendingRecords }, "charges stay in the journal until the next start");
        await writer.close();
        registration.stop();
      }
      journal.close();
      claim.release();
    },
  };
}

/** How long ago the call of a record ended; null without one. */
function secondsSince(text: string | null): number | null {
  if (text === null) return null;
  const { createdAt, elapsedMs } = readRecord(text);
  return Math.max(0, nowSeconds() - createdAt - Math.round(elapsedMs / 1000));
}
