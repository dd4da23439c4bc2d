import { StatementTimeout, withDeadline } from "../../../db/server/deadlines.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Journal } from "./journal.ts";
import { BATCH_RECORDS, Pump, type RecordSink } from "./pump.ts";

/** While records keep coming they gather for so long: a batch costs the database milliseconds on top of its records. */
const PACE_MS = 1000;
/** When no other came for this long they are written at once. */
const QUIET_MS = 50;
/** The first one after a pause waits only this long for another. */
const ALONE_MS = 10;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;
/** A batch without an answer is given up with its connection and tried again: it may have been lost on the way. */
const FIRST_DEADLINE_MS = 10_000;
/** A database that is only slow gets twice as long each time. */
const LAST_DEADLINE_MS = 60_000;

type Watcher = Readonly<{ target: number; resolve(): void }>;

/** Moves the journal into the database for as long as the process lives, and longer if the database is away. */
export class JournalWriter {
  readonly #pump: Pump;
  #timer: Timer | null = null;
  /** When records began to gather (`performance.now`). */
  #gathersSince = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  #failures = 0;
  /** Batches since the last success that got no answer. */
  #timeouts = 0;
  #closed = false;
  #watchers: Watcher[] = [];

  constructor(
    private readonly journal: Journal,
    sink: RecordSink,
    private readonly log: Logger,
  ) {
    this.#pump = new Pump(journal, sink);
  }

  /** The last try to write to the database failed. */
  get databaseDown(): boolean {
    return this.#failures > 0;
  }

  /** To be called after each append. */
  wake(): void {
    if (this.#running || this.#failures > 0) return;
    if (this.journal.pendingRecords >= BATCH_RECORDS) this.#start();
    else if (!this.#timer) {
      const now = performance.now();
      const isFirst = now - this.#gathersSince >= PACE_MS;
      if (isFirst) this.#gathersSince = now;
      this.#lookIn(isFirst ? ALONE_MS : QUIET_MS);
    }
  }

  /** Resolves when all records appended so far are in the database; rejects after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    const target = this.journal.appendedRecords;
    if (this.journal.committedRecords >= target) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const watcher = { target, resolve };
    const late = setTimeout(() => reject(new Error(`${this.journal.pendingRecords} charges wait`)), timeoutMs);
    this.#watchers.push(watcher);
    this.#start();
    try {
      await promise;
    } finally {
      clearTimeout(late);
      this.#watchers = this.#watchers.filter((other) => other !== watcher);
    }
  }

  /**
   * As `flush`, for the end of the process: rejects too when the database took no record for `progressMs`. One that is away
   * or silent must not keep the process from ending.
   */
  async flushWhileMoving(timeoutMs: number, progressMs: number): Promise<void> {
    for (const until = performance.now() + timeoutMs; ; ) {
      const before = this.journal.committedRecords;
      try {
        return await this.flush(progressMs);
      } catch (error) {
        if (this.journal.committedRecords === before || performance.now() >= until) throw error;
      }
    }
  }

  /** Ends after the batch under way. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  #startIn(delayMs: number): void {
    this.#timer = setTimeout(() => this.#start(), delayMs);
  }

  /** Starts a batch when its time has come or nothing more does; looks again until then. */
  #lookIn(delayMs: number): void {
    const seen = this.journal.appendedRecords;
    this.#timer = setTimeout(() => {
      const leftMs = this.#gathersSince + PACE_MS - performance.now();
      if (leftMs <= 0 || seen === this.journal.appendedRecords) this.#start();
      else this.#lookIn(Math.min(QUIET_MS, leftMs));
    }, delayMs);
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#running || this.#closed) return;
    this.#gathersSince = performance.now();
    this.#running = this.#step().finally(() => {
      this.#running = null;
      this.#goOn();
    });
  }

  async #step(): Promise<void> {
    try {
      const deadlineMs = Math.min(LAST_DEADLINE_MS, FIRST_DEADLINE_MS * 2 ** this.#timeouts);
      await withDeadline(deadlineMs, () => this.#pump.step());
      if (this.#failures > 0) this.log.info("the database answers again: charges are being written");
      this.#failures = 0;
      this.#timeouts = 0;
    } catch (error) {
      this.#failures++;
      if (error instanceof StatementTimeout) this.#timeouts++;
      this.log.error(
        { error, pending: this.journal.pendingRecords },
        "charges can't be written and wait in the journal",
      );
    }
    const done = this.journal.committedRecords;
    for (const watcher of this.#watchers) if (watcher.target <= done) watcher.resolve();
  }

  #goOn(): void {
    if (this.#closed || this.journal.pendingRecords === 0) return;
    if (this.#failures > 0) this.#startIn(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
    else if (this.#watchers.length > 0) this.#start();
    else this.wake();
  }
}
