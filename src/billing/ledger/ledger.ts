import type { SettledAccount } from "../journal/apply-batch.ts";
import { saneCharge } from "../journal/record-text.ts";
import type { UsageRecord } from "../types.ts";
import { Account } from "./account.ts";
import { Backing, type BackingParts } from "./backing.ts";
import { InsufficientQuota, LedgerUnavailable } from "./errors.ts";
import type { Hold } from "./hold.ts";
import { SUBJECTS, type Subject } from "./subject.ts";

/** A balance read longer ago says nothing about what other processes have left of it. */
const FRESH_MS = 4000;
const REREAD_AFTER_MS = 1500;
const KEEP_FRESH_MS = 60_000;
/** A sole process hears of every change; before it refuses it looks all the same, but not for each call. */
const REREAD_SOLE_AFTER_MS = 1000;
const FORGET_AFTER_MS = 600_000;
/** How long a call waits for the database before it is answered from memory or turned away. */
const ANSWER_WITHIN_MS = 5000;

export type ReserveRequest = Readonly<{
  userId: number;
  token: Readonly<{ id: number; limited: boolean }> | null;
  /** Quota units, a whole number ≥ 0. */
  amount: number;
}>;

/** The balances of users and limited keys as this process may spend them, and the holds on them. */
export class Ledger {
  readonly #accounts: Record<Subject, Map<number, Account>> = { user: new Map(), token: new Map() };
  readonly #backing: Backing;
  readonly #sole: boolean;
  #sweeping = false;

  constructor(parts: BackingParts) {
    this.#sole = parts.sole;
    this.#backing = new Backing(parts, () => this.reacquire());
  }

  /**
   * Sets `amount` aside for a call, on the user and on a limited key, or on neither. Answers at once where memory
   * suffices. Throws or rejects InsufficientQuota, LedgerUnavailable.
   */
  reserve({ userId, token, amount }: ReserveRequest): Hold | Promise<Hold> {
    const now = performance.now();
    const user = this.#account("user", userId);
    const key = token?.limited ? this.#account("token", token.id) : null;
    user.usedAt = now;
    if (key) key.usedAt = now;
    if (!this.#coversNow(user, amount, now) || (key && !this.#coversNow(key, amount, now))) {
      return this.#reserveSlowly(user, key, amount);
    }
    this.#hold(user, amount);
    if (key) this.#hold(key, amount);
    return { state: "held", amount, user, token: key };
  }

  /** Ends a hold. Answers false, and does nothing, when it has ended before. */
  end(hold: Hold, state: "settled" | "refunded"): boolean {
    if (hold.state !== "held") return false;
    hold.state = state;
    this.#release(hold.user, hold.amount);
    if (hold.token) this.#release(hold.token, hold.amount);
    return true;
  }

  /**
   * Ends a hold by keeping it in the database under a name, where it outlives this process. Answers false where the balance
   * was too little after all; the hold has ended then too. Rejects when the database does not answer.
   */
  async keep(hold: Hold, name: string): Promise<boolean> {
    if (hold.state !== "held") return false;
    try {
      return await this.#backing.keep(name, hold);
    } finally {
      this.end(hold, "refunded");
    }
  }

  /** The record is in the journal: its charge counts as spent. */
  expectCharge(record: UsageRecord): void {
    for (const account of this.#payers(record)) account.expect(saneCharge(record.quota));
  }

  /** The record has left the journal without being charged. */
  forgetCharge(record: UsageRecord): void {
    for (const account of this.#payers(record)) account.settled(saneCharge(record.quota));
  }

  /** Takes over the balances after a batch of this process's records. */
  absorb(accounts: readonly SettledAccount[]): void {
    const now = performance.now();
    for (const { subject, id, asked, quota, held, own } of accounts) {
      const account = this.#account(subject, id);
      account.settled(asked);
      if (quota === null || held === null || own === null) account.readAt = Number.NEGATIVE_INFINITY;
      else account.absorb({ quota, held, own }, now);
      this.#backing.trim(account, now);
    }
  }

  /** Quota units that a user may still spend; undefined when the balance was never read. */
  available(userId: number): number | undefined {
    const account = this.#accounts.user.get(userId);
    return account?.isRead ? account.available : undefined;
  }

  /** Re-reads those of these accounts that are known here. Rejects when the database does not answer. */
  async refresh(subject: Subject, ids: readonly number[]): Promise<void> {
    const accounts = ids.map((id) => this.#accounts[subject].get(id)).filter((account) => account !== undefined);
    await this.#backing.read(subject, accounts);
  }

  /** Re-reads all accounts known here. Rejects when the database does not answer. */
  async refreshAll(): Promise<void> {
    for (const subject of SUBJECTS) await this.#backing.read(subject, [...this.#accounts[subject].values()]);
  }

  /** This process's holds are gone from the database: finds out what can be held again. */
  async reacquire(): Promise<void> {
    await this.refreshAll();
    for (const subject of SUBJECTS) {
      for (const account of this.#accounts[subject].values()) if (account.shortage > 0) this.#backing.want(account);
    }
  }

  /**
   * Upkeep, every second or two: ends long waits, gives back what is idle, keeps balances fresh, forgets accounts. Waits are
   * ended even while an earlier sweep is still reading: a database that went silent may never answer that read.
   */
  async sweep(): Promise<void> {
    this.#answerOverdue(performance.now());
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      for (const subject of SUBJECTS) await this.#backing.read(subject, this.#upkeep(subject));
    } finally {
      this.#sweeping = false;
    }
  }

  /** Answers calls that waited too long for the database by what memory allows. */
  #answerOverdue(now: number): void {
    for (const subject of SUBJECTS) {
      for (const account of this.#accounts[subject].values()) {
        if (account.waitedFor(now) > ANSWER_WITHIN_MS) account.answerAlone(new LedgerUnavailable("no answer in time"));
      }
    }
  }

  /** Answers the accounts that are to be read again. */
  #upkeep(subject: Subject): Account[] {
    const now = performance.now();
    const stale: Account[] = [];
    for (const account of this.#accounts[subject].values()) {
      const unusedMs = now - account.usedAt;
      if (!this.#sole && account.shortage > 0) this.#backing.want(account);
      this.#backing.trim(account, now);
      const old = !this.#sole && now - account.readAt > REREAD_AFTER_MS && unusedMs < KEEP_FRESH_MS;
      if (old || !account.isRead) stale.push(account);
      else if (account.isForgettable && unusedMs > FORGET_AFTER_MS) this.#accounts[subject].delete(account.id);
    }
    return stale;
  }

  #account(subject: Subject, id: number): Account {
    const known = this.#accounts[subject].get(id);
    if (known) return known;
    const account = new Account(subject, id, this.#sole);
    this.#accounts[subject].set(id, account);
    return account;
  }

  #payers(record: UsageRecord): Account[] {
    const user = this.#account("user", record.userId);
    return record.tokenLimited ? [user, this.#account("token", record.tokenId)] : [user];
  }

  #coversNow(account: Account, amount: number, now: number): boolean {
    if (account.covers(amount)) return true;
    const mayLend = this.#backing.isAnswering ? account.isAmple && now - account.readAt < FRESH_MS : true;
    return mayLend && account.canLend(amount);
  }

  async #reserveSlowly(user: Account, token: Account | null, amount: number): Promise<Hold> {
    const accounts = token ? [user, token] : [user];
    const covered = await Promise.allSettled(accounts.map((account) => this.#cover(account, amount)));
    const failed = covered.findIndex((outcome) => !isTrue(outcome));
    const refusing = accounts[failed];
    if (!refusing) return { state: "held", amount, user, token };
    for (const [index, account] of accounts.entries()) if (isTrue(covered[index])) this.#release(account, amount);
    const outcome = covered[failed];
    throw outcome?.status === "rejected" ? outcome.reason : new InsufficientQuota(refusing.subject, refusing.available);
  }

  async #cover(account: Account, amount: number): Promise<boolean> {
    const now = performance.now();
    if (this.#coversNow(account, amount, now)) {
      this.#hold(account, amount);
      return true;
    }
    if (this.#sole && now - account.readAt < REREAD_SOLE_AFTER_MS) return false;
    const answer = account.wait(amount);
    this.#backing.want(account);
    return answer;
  }

  #hold(account: Account, amount: number): void {
    account.hold(amount);
    if (account.shortage > 0 || account.isLow(amount)) this.#backing.want(account);
  }

  #release(account: Account, amount: number): void {
    account.release(amount);
    this.#backing.trim(account);
  }
}

const isTrue = (result: PromiseSettledResult<boolean> | undefined): boolean =>
  result?.status === "fulfilled" && result.value;
