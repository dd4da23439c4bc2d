import type { Balance, Subject } from "../../subject.ts";
import { type Ask, CHUNK_DIVISOR } from "../holds.ts";
import type { Outage } from "../outage.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** What a process may lend from memory before the database has confirmed it, as part of what was free there. */
const LENT_DIVISOR = 64;

/** Less than this (10 USD) could be gone by the time the database confirms: then it is asked first. */
const AMPLE_UNITS = 5_000_000;

/** For so long after a refusal an account is scarce: processes keep nothing of it that no call needs. */
const SCARCE_MS = 5000;

/** After other processes were asked in vain for what they don't use, refusals come without asking again for so long. */
const HOPELESS_MS = 500;

type AnswerContext = Readonly<{
  outage: Outage;
  /** Other processes live that may hold shares. */
  hasOthers: boolean;
  now: number;
}>;

/**
 * One balance as this process sees it. `allotted` is what it may spend without asking: its share in the database or, when
 * no other process exists, all of the balance but for holds that outlive processes. Amounts are whole quota units.
 */
export class Account {
  /** Last known balance, and what all processes have set aside of it. */
  #quota = 0;
  #held = 0;
  /** What of it no process has set aside. */
  #unheld = 0;
  /** What is left of `allotted` for further calls; below 0: more is in use. */
  #free = 0;
  /** Holds of calls under way. */
  #holds = 0;
  /** Charges in the journal that the database does not have yet. */
  #pending = 0;
  /** Monotonic milliseconds; −Infinity: never. */
  readAt = Number.NEGATIVE_INFINITY;
  usedAt = 0;
  #waiters = new WaitingCalls();
  /** What a call will need that waits for another account first. */
  #soon = 0;
  /** The outage whose share is fixed, and what may be in use at most while it decides. */
  #outage = 0;
  #ceiling = 0;
  #isKnown = false;
  #isScarce = false;
  #scarceUntil = 0;
  #hopelessUntil = 0;
  /** When the last finished round began in which the other processes gave back what they don't use. */
  #collectedAt = Number.NEGATIVE_INFINITY;

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
    return this.#holds === 0 && this.#pending === 0 && this.#waiters.count === 0;
  }

  /** Nothing would be lost with it that can't be read again. */
  get isForgettable(): boolean {
    return this.isIdle && this.isRead && (this.sole || this.#allotted === 0);
  }

  /** What is in use, or waited for, beyond the allotment. */
  get shortage(): number {
    return Math.max(0, this.#waiters.total - this.#free);
  }

  /**
   * What to ask the database for: a unit more brings a whole chunk, where there is one. `isCautious`: only what is in use
   * already, since other processes may not have set aside yet what they spent in an outage.
   */
  ask(isCautious: boolean): Ask {
    const { id } = this;
    const owed = Math.max(0, -this.#free);
    if (isCautious) return { id, need: owed, least: owed, owed, inChunks: false };
    const soon = this.#isScarce || this.#soon === 0 ? 0 : this.#soon - this.#free;
    this.#soon = 0;
    const need = Math.max(this.shortage, soon, this.isLow(0) ? 1 : 0);
    // Less would serve nobody, and be missing elsewhere.
    const first = soon > 0 ? soon : Number.POSITIVE_INFINITY;
    const smallest = Math.min(first, this.#waiters.smallest - this.#free);
    const least = Math.max(1, Math.min(need, smallest));
    return { id, need, least, owed, inChunks: !this.#isScarce };
  }

  /** What can be given back: all when idle or scarce, else what exceeds twice the usual chunk. */
  surplus(idle: boolean): number {
    if (this.sole || this.#free <= 0) return 0;
    if (idle) return this.#free;
    if (this.#isScarce) return this.#waiters.count > 0 ? 0 : this.#free;
    const chunk = Math.floor(this.available / CHUNK_DIVISOR);
    return this.#free > 2 * chunk ? this.#free - chunk : 0;
  }

  /** The allotment covers the amount; a call that costs nothing needs none. */
  covers(amount: number): boolean {
    return amount === 0 || amount <= this.#free;
  }

  /**
   * The allotment and this process's share of what was free when the outage began cover the amount. Charges that were
   * written since count as spent.
   */
  coversInOutage(amount: number, { number, share }: Outage): boolean {
    if (amount === 0) return true;
    if (!this.#isKnown) return false;
    if (this.#outage !== number) {
      this.#outage = number;
      this.#ceiling = this.#allotted + Math.floor(this.#unheld * share);
    }
    return this.#holds + this.#pending + amount <= this.#ceiling;
  }

  /** Even if no other process used anything, the last known balance would not cover the amount. */
  isBeyond(amount: number): boolean {
    return this.#isKnown && amount > this.#reachable;
  }

  /** Other processes hold what would cover the amount, and were not asked for it in vain a moment ago. */
  canCollect(amount: number, now: number): boolean {
    return amount > 0 && amount <= this.#reachable && now >= this.#hopelessUntil;
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
    return this.#free < chunk / 2 && amount < chunk / 2 && !this.#isScarce;
  }

  /** A call was refused somewhere, or is about to be: for a while nothing is set aside that no call needs. */
  markScarce(now: number): void {
    this.#isScarce = true;
    this.#scarceUntil = now + SCARCE_MS;
  }

  /** To be called now and then. */
  endScarcity(now: number): void {
    if (this.#isScarce && now > this.#scarceUntil) this.#isScarce = false;
  }

  /** What no call uses, also where some wait for more than that. */
  get unused(): number {
    return this.sole ? 0 : Math.max(0, this.#free);
  }

  /** The other processes have given back what they don't use; they were asked at `since`. */
  collected(since: number): void {
    this.#collectedAt = since;
  }

  /** A call that waits for another account needs this amount next. */
  expectCall(amount: number): void {
    this.#soon = Math.max(this.#soon, amount);
  }

  /** Sets the amount aside for a call. Returns whether to ask the database for more: for this call, or ahead of others like it. */
  hold(amount: number): boolean {
    this.#holds += amount;
    this.#free -= amount;
    return this.#waiters.total > this.#free || this.isLow(amount);
  }

  /** A call needs the amount no more. Returns whether there is something to give back, of an account that was in use just now. */
  release(amount: number): boolean {
    this.#holds -= amount;
    this.#free += amount;
    return this.surplus(false) > 0;
  }

  /** A charge is in the journal. */
  expect(charge: number): void {
    this.#pending += charge;
    this.#free -= charge;
  }

  /** A charge has left the journal. */
  settled(charge: number): void {
    this.#pending -= charge;
    this.#free += charge;
    this.#ceiling -= charge;
  }

  /** Before part of the allotment is given back. */
  giveBack(amount: number): void {
    this.#free -= amount;
    this.#held -= amount;
    this.#unheld = Math.max(0, this.#quota - this.#held);
  }

  /** Resolves once the database was asked: true with the amount held, false when it is not covered. */
  wait(amount: number): Promise<boolean> {
    return this.#waiters.add(amount);
  }

  /** Milliseconds that the longest waiting has waited. */
  waitedFor(now: number): number {
    return this.#waiters.waitedFor(now);
  }

  /** Takes over what the database has; `undefined`: the account does not exist there. */
  absorb(balance: Omit<Balance, "id"> | undefined, now: number): void {
    this.#take(balance?.quota ?? 0, balance?.held ?? 0, balance?.own ?? 0);
    this.readAt = now;
  }

  /** Takes over what another process, or an earlier moment, knows of the balance. */
  learn(quota: number, held: number): void {
    this.#take(quota, held, this.#allotted);
  }

  /** The last known balance, and what all processes have set aside of it; null: it was never known. */
  get lastKnown(): Readonly<{ quota: number; held: number }> | null {
    if (!this.#isKnown) return null;
    return { quota: this.#quota, held: this.sole ? this.#quota - this.#allotted : this.#held };
  }

  /** Part of what all processes have set aside that is this process's. */
  get own(): number {
    return this.sole ? 0 : this.#allotted;
  }

  /**
   * Answers those who wait, first come first served. Who came while the database was being asked, or whose share went to a
   * call that did not have to wait, goes on waiting as long as something is left to ask for. Returns what those who wait on
   * need: that the database is asked again, that other processes are asked for what they don't use, or that the recovery
   * from an outage ends.
   */
  answer({ outage, hasOthers, now }: AnswerContext): "nothing" | "again" | "others" | "recovery" {
    const isRecovering = outage.isRecovering(now);
    let isAgain = false;
    for (const waiter of this.#waiters.takeAll()) {
      const { amount } = waiter;
      if (this.covers(amount) || (isRecovering && this.coversInOutage(amount, outage))) {
        this.hold(amount);
        waiter.resolve(true);
      } else if (isRecovering && !this.isBeyond(amount)) this.#waiters.putBack(waiter);
      else if (amount > 0 && amount <= this.available) {
        this.#waiters.putBack(waiter);
        isAgain = true;
      } else if (hasOthers && waiter.since >= this.#collectedAt && this.canCollect(amount, now))
        this.#waiters.putBack(waiter);
      else {
        if (waiter.since < this.#collectedAt) this.#hopelessUntil = now + HOPELESS_MS;
        waiter.resolve(false);
      }
    }
    if (this.#waiters.count === 0) return "nothing";
    if (isRecovering) return "recovery";
    return isAgain ? "again" : "others";
  }

  /**
   * The database did not answer: spends the share of the outage (null: there is none), turns the others away, with `reason` unless
   * they had too little.
   */
  answerAlone(reason: Error, outage: Outage | null): void {
    for (const waiter of this.#waiters.takeAll()) {
      if (this.covers(waiter.amount) || (outage && this.coversInOutage(waiter.amount, outage))) {
        this.hold(waiter.amount);
        waiter.resolve(true);
      } else if (this.isBeyond(waiter.amount)) waiter.resolve(false);
      else waiter.reject(reason);
    }
  }

  #take(quota: number, held: number, own: number): void {
    this.#quota = quota;
    // No other process: what is held there outlives processes, and all the rest is this one's.
    this.#held = this.sole ? quota : held;
    this.#unheld = Math.max(0, quota - this.#held);
    this.#free = (this.sole ? quota - held : own) - this.#holds - this.#pending;
    this.#isKnown = true;
  }

  /** What would be free if all processes gave back what they have set aside. */
  get #reachable(): number {
    return this.#quota - this.#holds - this.#pending;
  }

  get #allotted(): number {
    return this.#free + this.#holds + this.#pending;
  }
}
