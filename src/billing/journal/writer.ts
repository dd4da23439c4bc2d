import type { Logger } from "../../lib/log.ts";
import type { Journal } from "./journal.ts";
import { BATCH_RECORDS, Pump, type RecordSink } from "./pump.ts";

/** The first record after a pause waits this long for company. */
const GATHER_MS = 10;
/** While records keep coming batches start this far apart: each costs the database milliseconds beside its records. */
const PACE_MS = 1000;
/** When none came for this long the pace is not waited for. */
const QUIET_MS = 50;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;

type Watcher = Readonly<{ target: number; resolve(): void }>;

/** Moves the journal into the database for as long as the process lives, and longer if the database is away. */
export class JournalWriter {
  readonly #pump: Pump;
  #timer: Timer | null = null;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** How many records had been appended when the timer was set. */
  #seen = 0;
  #running: Promise<void> | null = null;
  #failures = 0;
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
    else if (!this.#timer) this.#lookIn(Math.max(GATHER_MS, Math.min(QUIET_MS, this.#paceLeftMs)));
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

  /** Ends after the batch under way. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  #startIn(delayMs: number): void {
    this.#timer = setTimeout(() => this.#start(), delayMs);
  }

  /** What is left of the time between two batches. */
  get #paceLeftMs(): number {
    return this.#startedAt + PACE_MS - performance.now();
  }

  /** Starts a batch when its time has come or nothing more does; looks again until then. */
  #lookIn(delayMs: number): void {
    this.#seen = this.journal.appendedRecords;
    this.#timer = setTimeout(() => {
      const leftMs = this.#paceLeftMs;
      if (leftMs <= 0 || this.#seen === this.journal.appendedRecords) this.#start();
      else this.#lookIn(Math.min(QUIET_MS, leftMs));
    }, delayMs);
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#running || this.#closed) return;
    this.#startedAt = performance.now();
    this.#running = this.#step().finally(() => {
      this.#running = null;
      this.#goOn();
    });
  }

  async #step(): Promise<void> {
    try {
      await this.#pump.step();
      if (this.#failures > 0) this.log.info("the database answers again: charges are being written");
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
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
