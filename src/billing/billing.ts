import { mkdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { Changes } from "../../db/changes.ts";
import { storedHoldName } from "../../db/schema/wallet/ledger.ts";
import { DEADLINES_MS, withDeadline } from "../../db/server/deadlines.ts";
import type { Database } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import type { Logger } from "../lib/runtime/log.ts";
import { createSerial } from "../lib/runtime/serial.ts";
import { endOfTurn } from "../lib/runtime/tick.ts";
import { boundCharge } from "./bounds/bounds.ts";
import { boundRecord } from "./bounds/record-bounds.ts";
import type { Billing } from "./contract.ts";
import { applyBatch, withoutWritten } from "./journal/apply/apply-batch.ts";
import { boundedText, recordText, tryReadRecord } from "./journal/apply/record-text.ts";
import { JournalCopy } from "./journal/copy/journal-copy.ts";
import { readDatabaseId } from "./journal/copy/stream.ts";
import { JournalCopies } from "./journal/copy/take-copies.ts";
import { Journal } from "./journal/journal.ts";
import { RejectedRecords } from "./journal/rejected/rejected.ts";
import { adoptOrphans, makeClaimedDirectory } from "./journal/segments/adopt-orphans.ts";
import { createSinks } from "./journal/sinks.ts";
import { JournalWriter } from "./journal/writer.ts";
import { LedgerAvailability } from "./ledger/availability.ts";
import { LedgerUnavailable } from "./ledger/errors.ts";
import type { Hold } from "./ledger/holds.ts";
import type { ReserveRequest } from "./ledger/ledger.ts";
import { openLedger } from "./ledger/open-ledger.ts";
import { forgetLostJournal, type LostJournal, LostProcesses } from "./ledger/processes/lost-processes.ts";
import { Registration, releaseDeadProcesses } from "./ledger/processes/registration.ts";
import { moveQuota } from "./ledger/transfer.ts";
import type { UsageRecord } from "./types.ts";

export type { Billing, BillingStatus, StoredHold } from "./contract.ts";

const FLUSH_WITHIN_MS = 30_000;
/** A database that takes no record for so long at the end gets none. */
const LAST_PROGRESS_MS = 5000;
/** What a statement that is under way at the end still gets. */
const LAST_STATEMENT_MS = 1000;
const SWEEP_MS = 2000;
const ADOPT_MS = 60_000;

const ENDED_TWICE = "a hold was ended twice";

type Parts = Readonly<{
  database: Pick<Database, "sql" | "kind">;
  changes: Pick<Changes, "subscribe" | "publish" | "onGap" | "confirmAs">;
  /** The journal lives in its folder `journal`. */
  dataDir: string;
  /** Unique for each start of a process. */
  processId: string;
  log: Logger;
  /** Called with the API keys that have used up their quota: their status has changed in the database. */
  onExhausted?: (tokenIds: number[]) => void;
  /** Called with subscriptions whose windows charges have opened. */
  onWindowsOpened?: (subscriptionIds: readonly number[]) => void;
  /** No other process works on this database, so balances are kept in memory alone; by default the embedded engine's. */
  sole?: boolean;
  /** Where the journal is kept too, for when this machine is lost; with a database server only. */
  redisUrl?: string | null;
  /** 0 to 1: what this process may spend of its share of a free balance while the database is away; by default all. */
  outageSpendRatio?: number;
  /** The log is in a database of its own: its rows are left for delivery there. */
  logElsewhere?: boolean;
}>;

/**
 * Opens the ledger and the journal. First brings what earlier processes left in `dataDir` into the database.
 * Rejects when the database or the directory fails.
 */
export async function createBilling(parts: Parts): Promise<Billing> {
  const { database, changes, dataDir, processId, log, logElsewhere = false } = parts;
  const { sql } = database;
  const sole = parts.sole ?? database.kind === "embedded";
  const root = join(dataDir, "journal");
  await mkdir(root, { recursive: true, mode: 0o700 });

  const serial = createSerial();
  const availability = new LedgerAvailability();
  // Calls may wait for any of them.
  const inTurn = <Result>(statement: () => Promise<Result>): Promise<Result> =>
    serial(() => availability.watchStatement(() => withDeadline(DEADLINES_MS.call, statement)));
  let registration: Registration | undefined;
  const shared = openLedger({
    ...{ sql, kind: database.kind, processId, sole, inTurn, changes, log },
    spendRatio: parts.outageSpendRatio ?? 1,
    registration: () => registration,
    unansweredMs: () => availability.unansweredMs,
    onFailure: (error) => availability.statementFailed(error),
  });
  const { ledger } = shared;
  const rejected = new RejectedRecords(root);
  const noteOpened = (ids: readonly number[]) => {
    if (ids.length > 0) parts.onWindowsOpened?.(ids);
  };
  const apply = async (payer: string, records: readonly string[], areNew = false) => {
    const { accounts, openedWindows } = await applyBatch(sql, payer, records, { areNew, logElsewhere });
    noteOpened(openedWindows);
    const exhausted = accounts.filter(({ subject, quota }) => subject === "token" && quota === 0);
    if (exhausted.length > 0) parts.onExhausted?.(exhausted.map(({ id }) => id));
    return accounts;
  };
  const sinks = createSinks({
    ...{ sql, root, processId, rejected, log },
    inTurn: (statement) => serial(() => availability.watchStatement(statement)),
    applyOwn: (records, areNew) =>
      serial(() => availability.watchStatement(async () => ledger.absorb(await apply(processId, records, areNew)))),
    forgetCharge: (record) => ledger.forgetCharge(record),
    windowsOpened: noteOpened,
  });
  const sinkFor = sinks.ofProcess;
  const adopt = () =>
    adoptOrphans({
      root,
      log,
      sinkFor,
      async done(dead) {
        await releaseDeadProcesses(sql, { ids: [dead] });
        await forgetLostJournal(sql, dead);
        await ledger.refreshAll();
      },
    });

  const redis = !sole && parts.redisUrl ? { url: parts.redisUrl, database: await readDatabaseId(sql) } : null;
  const copies = redis && new JournalCopies(redis);
  let onLost = (_: LostJournal) => {};
  const lostProcesses = new LostProcesses({
    ...{ sql, processId, copies, sinkFor, log },
    adoptDirectories: adopt,
    onChanged: () => ledger.refreshAll(),
    onLost(lost) {
      log.error({ ...lost }, "a process died with charges that nobody has: bring its DATA_DIR back");
      onLost(lost);
    },
  });

  await adopt().catch(async (error) => {
    // A database that is away is waited for before anything is served; one that takes charges is not at fault.
    if (!(await sinks.takesOthers())) throw error;
    log.error({ error }, "charges of an earlier process can't be written yet and are tried again later");
  });
  let charges = 0;
  const location = `${hostname()}:${resolve(dataDir)}`;
  registration = new Registration({
    ...{ sql, processId, sole, log },
    onLost: () => ledger.reacquire(),
    findDead: () => void lostProcesses.search(),
    readJournal() {
      if (!opened) return { location, unwritten: 0, unwrittenSince: null, recentCharges: 0, journalCopy: "none" };
      const { journal, copy } = opened;
      const before = charges;
      charges = journal.appendedRecords;
      const age = secondsSince(journal.oldest());
      return {
        location,
        unwritten: journal.pendingRecords,
        unwrittenSince: age === null ? null : nowSeconds() - age,
        recentCharges: charges - before,
        journalCopy: copy?.state ?? "none",
      };
    },
  });
  let opened: { journal: Journal; copy: JournalCopy | null } | null = null;
  const absent = await registration.start();
  const claim = makeClaimedDirectory(root, processId);
  const directory = join(root, processId);
  const journal = new Journal(directory, log);
  const copy = redis && new JournalCopy({ ...redis, processId, journal, log });
  opened = { journal, copy };
  const writer = new JournalWriter(journal, sinks.own, log);
  journal.others = {
    copied: copy && (() => copy.reached),
    // A database that is away is tried again by itself.
    hurry: () => void writer.flush(FLUSH_WITHIN_MS).catch(() => {}),
  };
  if (!sole) await lostProcesses.refresh();

  await shared.join(absent);
  await copy?.started();

  const failed = (error: unknown) => log.warn({ error }, "upkeep of the ledger failed");
  const timers = [
    setInterval(() => void shared.sweep().catch(failed), SWEEP_MS),
    setInterval(() => void adopt().catch(failed), ADOPT_MS),
  ];
  for (const timer of timers) timer.unref();
  const settle = (hold: Hold | null, input: UsageRecord): Promise<void> => {
    const record = boundRecord(input);
    const text = boundedText(record);
    if (hold && !ledger.end(hold, "settled")) {
      log.error({ state: "settled", was: hold.state }, ENDED_TWICE);
      return endOfTurn();
    }
    const survives = journal.append(text);
    ledger.expectCharge(record);
    writer.wake();
    return survives;
  };
  const refund = (hold: Hold): void => {
    if (!ledger.end(hold, "refunded")) log.error({ state: "refunded", was: hold.state }, ENDED_TWICE);
  };
  const reserve = async (requested: ReserveRequest): Promise<Hold> => {
    try {
      if (journal.isExposed) throw new LedgerUnavailable("the disk refuses charges, and nothing else takes them");
      const request = { ...requested, amount: boundCharge(requested.amount) };
      const hold = ledger.reserveNow(request) ?? (await ledger.reserveSlowly(request));
      availability.refusingSince = null;
      return hold;
    } catch (error) {
      availability.reservationFailed(error);
      throw error;
    }
  };
  return {
    reserve,
    async transfer(db, transfer, work) {
      const { from, to, amount } = transfer;
      const hold = await reserve({ userId: from, token: null, amount });
      try {
        await db.transaction(async (tx) => {
          await moveQuota(tx, processId, transfer);
          await work(tx);
        });
      } finally {
        // Before the hold ends: memory must not offer what was moved.
        await ledger
          .refresh("user", to === null ? [from] : [from, to])
          .catch((error) => log.warn({ error }, "balances could not be read after a transfer"));
        refund(hold);
      }
    },
    settle,
    refund,
    async keepHold(hold, name) {
      if (!(await ledger.keep(hold, name)))
        throw new Error(`the balance does not cover what is to be kept for ${name}`);
    },
    async settleStored({ name, userId, tokenId, budgets = [] }, records) {
      const id = storedHoldName(name);
      await inTurn(async () => {
        const unwritten = await withoutWritten(sql, records.map(recordText));
        if (unwritten.length > 0) await apply(id, unwritten);
        await releaseDeadProcesses(sql, { ids: [id] });
      });
      await ledger.refresh("user", [userId]);
      await ledger.refresh("token", [tokenId]);
      await ledger.refresh("budget", [...new Set(budgets)]);
    },
    record: (record) => settle(null, record),
    available: (userId) => ledger.available(userId),
    balances: (subject) => ledger.accounts.balances(subject),
    flush: () => writer.flush(FLUSH_WITHIN_MS),
    status() {
      journal.write();
      return {
        pendingRecords: journal.pendingRecords,
        writtenRecords: journal.committedRecords,
        writtenUpTo: { process: processId, ...journal.writtenUpTo },
        journalBytes: journal.bytes,
        oldestSeconds: secondsSince(journal.oldest()),
        databaseDown: writer.databaseDown,
        ledgerUnansweredMs: availability.unansweredMs,
        refusingCallsMs: availability.refusingMs,
        balancesKnown: shared.knowsAllBalances(),
        liveProcesses: shared.liveProcesses(),
        holds: ledger.openHolds,
        heldUnits: ledger.heldUnits,
        diskRefused: !journal.onDisk,
        chargesExposed: journal.isExposed,
        rejectedRecords: rejected.count(),
        journalCopy: copy?.state ?? "none",
        lostJournals: lostProcesses.lost,
      };
    },
    liveProcesses: () => shared.liveProcesses(),
    searchLostProcesses: () => lostProcesses.search(),
    onLostJournal(onMessage) {
      onLost = onMessage;
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      await shared.stop();
      try {
        await writer.flushWhileMoving(FLUSH_WITHIN_MS, LAST_PROGRESS_MS);
        await writer.close();
        await inTurn(async () => registration?.end());
        await shared.leave();
        await copy?.close(true);
        await rm(directory, { recursive: true, force: true });
      } catch (error) {
        log.error({ error, pending: journal.pendingRecords }, "charges stay in the journal until the next start");
        // A batch that got no answer may still be carried out: the next start recognizes its records.
        await Promise.race([writer.close(), Bun.sleep(LAST_STATEMENT_MS)]);
        registration?.stop();
        await copy?.close(false);
      }
      copies?.close();
      journal.close();
      claim.release();
    },
  };
}

/** How long ago the call of a record ended; null without one. */
function secondsSince(text: string | null): number | null {
  const record = text === null ? null : tryReadRecord(text);
  if (!record) return null;
  const { createdAt, elapsedMs } = record;
  return Math.max(0, nowSeconds() - createdAt - Math.round(elapsedMs / 1000));
}
