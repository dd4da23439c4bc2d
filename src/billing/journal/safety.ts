import { endOfTurn } from "../../lib/runtime/tick.ts";
import type { Journal } from "./journal.ts";

/** A call that ends while nothing takes its charge waits for so long. */
const WAIT_MS = 5000;
const LOOK_MS = 10;
/** No further call is taken once a charge has been in memory alone for so long. */
const REFUSE_AFTER_MS = 1000;

type Parts = Readonly<{
  journal: Pick<Journal, "appendedRecords" | "filedRecords">;
  /** The number of the last record that another place has confirmed. */
  copied?(): number;
  /** Brings records into the database at once. */
  hurry?(): void;
}>;

/**
 * Sees to it that no charge lives in this process's memory alone: each is in the journal's file, in Redis or in the database
 * before its call ends. While the disk refuses, calls wait for one of the others; where none takes charges, no more calls
 * are taken.
 */
export class Safety {
  #turn: Promise<void> | null = null;
  /** Since when a record has been in memory alone (`performance.now`); null: none is. */
  #exposedSince: number | null = null;

  constructor(private readonly parts: Parts) {}

  /** Resolves when all that was appended in this turn survives the process; after a few seconds in any case. */
  untilSafe(): Promise<void> {
    this.#turn ??= endOfTurn().then(() => {
      this.#turn = null;
      if (!this.#isSafe(this.parts.journal.appendedRecords)) return this.#wait(this.parts.journal.appendedRecords);
    });
    return this.#turn;
  }

  /** Whether calls are to be refused, because nothing would take their charges: one has been in memory alone for too long. */
  get isRefusing(): boolean {
    if (this.#exposedSince === null) return false;
    if (!this.#isSafe(this.parts.journal.appendedRecords)) {
      return performance.now() - this.#exposedSince > REFUSE_AFTER_MS;
    }
    this.#exposedSince = null;
    return false;
  }

  #isSafe(number: number): boolean {
    return Math.max(this.parts.journal.filedRecords, this.parts.copied?.() ?? 0) >= number;
  }

  async #wait(number: number): Promise<void> {
    this.#exposedSince ??= performance.now();
    this.parts.hurry?.();
    for (const until = performance.now() + WAIT_MS; performance.now() < until; ) {
      await Bun.sleep(LOOK_MS);
      if (this.#isSafe(number)) return;
    }
  }
}
