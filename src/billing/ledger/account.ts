import { CHUNK_DIVISOR } from "./acquire-holds.ts";
import type { Balance, Subject } from "./subject.ts";

/** What a process may lend from memory before the database has confirmed it, as part of what was free there. */
const LENT_DIVISOR = 64;

/** Less than this (10 USD) could be gone by the time the database confirms: then it is asked first. */
const AMPLE_UNITS = 5_000_000;

/** Who waits for the database to say whether the account covers an amount. */
type Waiter = Readonly<{ amount: number; since: number; resolve(covered: boolean): void; reject(reason: Error): void }>;

/**
 * One balance as this process sees it. `allotted` is what it may spend without asking: its share in the database or, when
 * no other process exists, all of the balance but for holds that outlive processes. Amounts are whole quota units.
 */
export class Account {
  /** Last known balance, and what all processes have set aside of it. */
  #quota = 0;
  #held = 0;
  #allotted = 0;
  /** Holds of calls under way. */
  #holds = 0;
  /** Charges in the journal that the database does not have yet. */
  #pending = 0;
  /** Monotonic milliseconds; −Infinity: never. */
  readAt = Number.NEGATIVE_INFINITY;
  usedAt = 0;
  #waiters: Waiter[] = [];

  constructor(
    readonly subject: Subject,
    readonly id: number,
    private readonly sole: boolean,
  ) {}

  get isRead(): boolean {
    return this.readAt > Number.NEGATIVE_INFINITY;
  }

  /** What is neither held for a call nor waiting to be charged, as far as this process knows. */
  get available(): number {
    return Math.max(0, this.#unheld + this.#free);
  }

  get isIdle(): boolean {
    return this.#holds === 0 && this.#pending === 0 && this.#waiters.length === 0;
  }

  /** Nothing would be lost with it that can't be read again. */
  get isForgettable(): boolean {
    return this.isIdle && this.isRead && (this.sole || this.#allotted === 0);
  }

  /** What is in use, or waited for, beyond the allotment. */
  get shortage(): number {
    const wanted = this.#waiters.reduce((sum, waiter) => sum + waiter.amount, 0);
    return Math.max(0, wanted - this.#free);
  }

  /** What to ask the database for: a unit more brings a whole chunk, where there is one. */
  get need(): number {
    return Math.max(this.shortage, this.isLow(0) ? 1 : 0);
  }

  /** What can be given back: all when idle, else what exceeds twice the usual chunk. */
  surplus(idle: boolean): number {
    if (this.sole || this.#free <= 0) return 0;
    if (idle) return this.#free;
    const chunk = Math.floor(this.available / CHUNK_DIVISOR);
    return this.#free > 2 * chunk ? this.#free - chunk : 0;
  }

  /** The allotment covers the amount; a call that costs nothing needs a balance all the same (behaviour 3.2). */
  covers(amount: number): boolean {
    return amount === 0 ? this.#quota > this.#pending : amount <= this.#free;
  }

  /** What the allotment lacks is so small a part of the free balance that the database can be asked afterwards. */
  canLend(amount: number): boolean {
    return amount > 0 && amount - this.#free <= this.#unheld / LENT_DIVISOR;
  }

  get isAmple(): boolean {
    return this.#unheld >= AMPLE_UNITS;
  }

  /** More should be set aside ahead of calls like the last one, so that they need not wait. */
  isLow(amount: number): boolean {
    const chunk = this.#unheld / CHUNK_DIVISOR;
    return this.#free < chunk / 2 && amount < chunk / 2;
  }

  hold(amount: number): void {
    this.#holds += amount;
  }

  release(amount: number): void {
    this.#holds -= amount;
  }

  /** A charge is in the journal. */
  expect(charge: number): void {
    this.#pending += charge;
  }

  /** A charge has left the journal. */
  settled(charge: number): void {
    this.#pending -= charge;
  }

  /** Before part of the allotment is given back. */
  giveBack(amount: number): void {
    this.#allotted -= amount;
  }

  /** Resolves once the database was asked: true with the amount held, false when it is not covered. */
  wait(amount: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiters.push({ amount, since: performance.now(), resolve, reject });
    return promise;
  }

  /** Milliseconds that the longest waiting has waited. */
  waitedFor(now: number): number {
    return now - (this.#waiters[0]?.since ?? now);
  }

  /** Takes over what the database has; `undefined`: the account does not exist there. */
  absorb(balance: Omit<Balance, "id"> | undefined, now: number): void {
    this.#quota = balance?.quota ?? 0;
    const held = balance?.held ?? 0;
    // No other process: what is held there outlives processes, and all the rest is this one's.
    this.#allotted = this.sole ? this.#quota - held : (balance?.own ?? 0);
    this.#held = this.sole ? this.#quota : held;
    this.readAt = now;
  }

  /**
   * Answers those who wait, first come first served. Answers whether somebody goes on waiting: who came while the database
   * was being asked, or whose share went to a call that did not have to wait, is refused only when nothing is left to ask for.
   */
  answer(): boolean {
    for (const waiter of this.#takeWaiters()) {
      if (this.covers(waiter.amount)) {
        this.hold(waiter.amount);
        waiter.resolve(true);
      } else if (waiter.amount > 0 && waiter.amount <= this.available) this.#waiters.push(waiter);
      else waiter.resolve(false);
    }
    return this.#waiters.length > 0;
  }

  /** The database did not answer: lends what can be lent, turns the others away with `reason`. */
  answerAlone(reason: Error): void {
    for (const waiter of this.#takeWaiters()) {
      if (!this.canLend(waiter.amount)) {
        waiter.reject(reason);
        continue;
      }
      this.hold(waiter.amount);
      waiter.resolve(true);
    }
  }

  get #free(): number {
    return this.#allotted - this.#holds - this.#pending;
  }

  get #unheld(): number {
    return Math.max(0, this.#quota - this.#held);
  }

  #takeWaiters(): Waiter[] {
    return this.#waiters.splice(0);
  }
}
