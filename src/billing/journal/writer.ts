import type { Logger } from "../../lib/log.ts";
import type { Journal } from "./journal.ts";
import { BATCH_RECORDS, Pump, type RecordSink } from "./pump.ts";

/** The first record after a pause waits this long for company. */
const GATHER_MS = 10;
/**
 * A batch keeps the next one away for so long per record: single calls are written at once, from 20 a second on
 * batches grow until they start a second apart, since each costs the database milliseconds beside its records.
 */
const PACE_PER_RECORD_MS = 50;
const SLOWEST_PACE_MS = 1000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;

type Watcher = Readonly<{ target: number; resolve(): void }>;

/** Moves the journal into the database for as long as the process lives, and longer if the database is away. */
export class JournalWriter {
  readonly #pump: Pump;
  #timer: Timer | null = null;
  /** When the next batch may start, unless it is full (`performance.now`). */
  #nextAt = 0;
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
    else if (!this.#timer) this.#startIn(Math.max(GATHER_MS, this.#nextAt - performance.now()));
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

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#running || this.#closed) return;
    const startedAt = performance.now();
    const before = this.journal.committedRecords;
    this.#running = this.#step().finally(() => {
      this.#running = null;
      const moved = this.journal.committedRecords - before;
      this.#nextAt = startedAt + Math.min(SLOWEST_PACE_MS, moved * PACE_PER_RECORD_MS);
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
