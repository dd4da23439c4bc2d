import type { Sql } from "../../../db/types.ts";
import type { Logger } from "../../lib/log.ts";
import type { SettledAccount } from "../journal/apply-batch.ts";
import { saneCharge } from "../journal/record-text.ts";
import type { UsageRecord } from "../types.ts";
import { Account } from "./account.ts";
import { acquireHolds } from "./acquire-holds.ts";
import { InsufficientQuota, LedgerUnavailable } from "./errors.ts";
import type { Hold } from "./hold.ts";
import { readBalances } from "./read-balances.ts";
import { releaseHolds } from "./release-holds.ts";
import { renewLease } from "./renew-lease.ts";
import type { Balance, Subject } from "./subject.ts";

/** A balance read longer ago says nothing about what other processes have left of it. */
const FRESH_MS = 4000;
const REREAD_AFTER_MS = 1500;
/** A sole process hears of every change; before it refuses it looks all the same, but not for each call. */
const REREAD_SOLE_AFTER_MS = 1000;
const KEEP_FRESH_MS = 60_000;
const IDLE_MS = 20_000;
const FORGET_AFTER_MS = 600_000;
const ANSWER_WITHIN_MS = 10_000;

const SUBJECTS: readonly Subject[] = ["user", "token"];

type Parts = Readonly<{
  sql: Sql;
  processId: string;
  /** No other process works on this database, so memory alone decides. */
  sole: boolean;
  /** Runs this process's ledger statements one after the other: what they answer is then never out of order. */
  inTurn<T>(statement: () => Promise<T>): Promise<T>;
  log: Logger;
}>;

export type ReserveRequest = Readonly<{
  userId: number;
  token: Readonly<{ id: number; limited: boolean }> | null;
  /** Quota units, a whole number ≥ 0. */
  amount: number;
}>;

/** The balances of users and limited keys as this process may spend them, and the holds on them. */
export class Ledger {
  readonly #accounts: Record<Subject, Map<number, Account>> = { user: new Map(), token: new Map() };
  #wanting = new Set<Account>();
  #surplus = new Set<Account>();
  #answering = true;
  #sweeping = false;

  constructor(private readonly parts: Parts) {}

  account(subject: Subject, id: number): Account {
    const known = this.#accounts[subject].get(id);
    if (known) return known;
    const account = new Account(subject, id, this.parts.sole);
    this.#accounts[subject].set(id, account);
    return account;
  }

  /**
   * Sets `amount` aside for a call, on the user and on a limited key, or on neither. Answers at once where memory
   * suffices. Throws or rejects InsufficientQuota, LedgerUnavailable.
   */
  reserve({ userId, token, amount }: ReserveRequest): Hold | Promise<Hold> {
    const now = performance.now();
    const user = this.account("user", userId);
    const key = token?.limited ? this.account("token", token.id) : null;
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
      const account = this.account(subject, id);
      account.settled(asked);
      if (quota === null || held === null || own === null) account.readAt = Number.NEGATIVE_INFINITY;
      else account.absorb({ quota, held, own }, now);
      this.#trim(account);
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
    if (accounts.length > 0) await this.parts.inTurn(() => this.#read(subject, accounts));
  }

  /** Re-reads all accounts known here. Rejects when the database does not answer. */
  async refreshAll(): Promise<void> {
    for (const subject of SUBJECTS) await this.refresh(subject, [...this.#accounts[subject].keys()]);
  }

  /** This process's holds are gone from the database: finds out what can be held again. */
  async reacquire(): Promise<void> {
    await this.refreshAll();
    for (const subject of SUBJECTS) {
      for (const account of this.#accounts[subject].values()) if (account.shortage > 0) this.#want(account);
    }
  }

  /** Upkeep, every second or two: gives back what is idle, keeps balances fresh, forgets accounts, ends long waits. */
  async sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      for (const subject of SUBJECTS) await this.refresh(subject, this.#upkeep(subject));
    } finally {
      this.#sweeping = false;
    }
  }

  /** Answers the ids of accounts that are to be read again. */
  #upkeep(subject: Subject): number[] {
    const now = performance.now();
    const stale: number[] = [];
    for (const account of this.#accounts[subject].values()) {
      const idleMs = now - account.usedAt;
      if (account.waitedFor(now) > ANSWER_WITHIN_MS) account.answerAlone(new LedgerUnavailable("no answer in time"));
      if (!this.parts.sole && account.shortage > 0) this.#want(account);
      this.#trim(account, account.isIdle && idleMs > IDLE_MS);
      const old = !this.parts.sole && now - account.readAt > REREAD_AFTER_MS && idleMs < KEEP_FRESH_MS;
      if (old || !account.isRead) stale.push(account.id);
      else if (account.isForgettable && idleMs > FORGET_AFTER_MS) this.#accounts[subject].delete(account.id);
    }
    return stale;
  }

  #payers(record: UsageRecord): Account[] {
    const user = this.account("user", record.userId);
    return record.tokenLimited ? [user, this.account("token", record.tokenId)] : [user];
  }

  #coversNow(account: Account, amount: number, now: number): boolean {
    if (account.covers(amount)) return true;
    return (now - account.readAt < FRESH_MS || !this.#answering) && account.canLend(amount);
  }

  async #reserveSlowly(user: Account, token: Account | null, amount: number): Promise<Hold> {
    const accounts = token ? [user, token] : [user];
    const covered = await Promise.allSettled(accounts.map((account) => this.#cover(account, amount)));
    const failed = accounts.findIndex((_, index) => covered[index]?.status === "rejected" || !isTrue(covered[index]));
    const refusing = accounts[failed];
    if (!refusing) return { state: "held", amount, user, token };
    for (const [index, account] of accounts.entries()) if (isTrue(covered[index])) this.#release(account, amount);
    const outcome = covered[failed];
    throw outcome?.status === "rejected" ? outcome.reason : new InsufficientQuota(refusing.subject, refusing.available);
  }

  async #cover(account: Account, amount: number): Promise<boolean> {
    if (this.#coversNow(account, amount, performance.now())) {
      this.#hold(account, amount);
      return true;
    }
    if (this.parts.sole && performance.now() - account.readAt < REREAD_SOLE_AFTER_MS) return false;
    const answer = account.wait(amount);
    this.#want(account);
    return answer;
  }

  #hold(account: Account, amount: number): void {
    account.hold(amount);
    if (account.shortage > 0) this.#want(account);
  }

  #release(account: Account, amount: number): void {
    account.release(amount);
    this.#trim(account);
  }

  /** Asks the database to back what the account lacks, together with all that come before the statement goes out. */
  #want(account: Account): void {
    this.#wanting.add(account);
    if (this.#wanting.size > 1) return;
    void this.parts.inTurn(async () => {
      const wanting = [...this.#wanting];
      this.#wanting = new Set();
      await Promise.all(
        SUBJECTS.map((subject) =>
          this.#back(
            subject,
            wanting.filter((a) => a.subject === subject),
          ),
        ),
      );
    });
  }

  async #back(subject: Subject, accounts: readonly Account[]): Promise<void> {
    if (accounts.length === 0) return;
    const { sole, log } = this.parts;
    try {
      if (sole) await this.#read(subject, accounts);
      else await this.#acquire(subject, accounts);
      for (const account of accounts) {
        account.answer();
        this.#trim(account);
      }
      this.#answering = true;
    } catch (error) {
      this.#answering = false;
      log.warn({ error }, "the ledger can't reach the database");
      for (const account of accounts) {
        // Whether the database took the hold is not known: what it has is read again before it is given back.
        account.readAt = Number.NEGATIVE_INFINITY;
        account.answerAlone(new LedgerUnavailable("the database does not answer", { cause: error }));
      }
    }
  }

  async #acquire(subject: Subject, accounts: readonly Account[]): Promise<void> {
    const { sql, processId } = this.parts;
    const acquire = async () => {
      const asks = accounts.map((account) => ({ id: account.id, need: account.shortage }));
      this.#absorb(accounts, await acquireHolds(sql, processId, subject, asks));
    };
    try {
      await acquire();
    } catch (error) {
      if (!isUnregistered(error)) throw error;
      await renewLease(sql, processId);
      await this.#read(subject, accounts);
      await acquire();
      void this.reacquire();
    }
  }

  /** Gives back what the account holds beyond its needs, together with others. */
  #trim(account: Account, idle = false): void {
    if (account.surplus(idle) === 0) return;
    this.#surplus.add(account);
    if (this.#surplus.size > 1) return;
    void this.parts.inTurn(async () => {
      const accounts = [...this.#surplus];
      this.#surplus = new Set();
      for (const subject of SUBJECTS) await this.#giveBack(accounts.filter((a) => a.subject === subject));
    });
  }

  async #giveBack(accounts: readonly Account[]): Promise<void> {
    const now = performance.now();
    const parts = accounts
      .map((account) => ({ account, amount: account.surplus(account.isIdle && now - account.usedAt > IDLE_MS) }))
      .filter(({ amount }) => amount > 0);
    const subject = parts[0]?.account.subject;
    if (!subject) return;
    for (const { account, amount } of parts) account.giveBack(amount);
    const surplus = parts.map(({ account, amount }) => ({ id: account.id, amount }));
    try {
      const balances = await releaseHolds(this.parts.sql, this.parts.processId, subject, surplus);
      this.#absorb(
        parts.map(({ account }) => account),
        balances,
      );
    } catch (error) {
      this.parts.log.warn({ error }, "the ledger can't give back what it holds");
      for (const { account } of parts) account.readAt = Number.NEGATIVE_INFINITY;
    }
  }

  async #read(subject: Subject, accounts: readonly Account[]): Promise<void> {
    const { sql, processId } = this.parts;
    const ids = accounts.map((account) => account.id);
    this.#absorb(accounts, await readBalances(sql, processId, subject, ids));
  }

  #absorb(accounts: readonly Account[], balances: readonly Balance[]): void {
    const now = performance.now();
    const found = new Map(balances.map((balance) => [balance.id, balance]));
    for (const account of accounts) account.absorb(found.get(account.id), now);
  }
}

/** The process's row is gone, so others took it for dead: foreign_key_violation. */
const isUnregistered = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "23503";

const isTrue = (result: PromiseSettledResult<boolean> | undefined): boolean =>
  result?.status === "fulfilled" && result.value;
