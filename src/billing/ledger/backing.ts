import type { Sql } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { type Balance, SUBJECTS, type Subject } from "../subject.ts";
import type { Account } from "./balances/account.ts";
import { readBalances } from "./balances/load-balances.ts";
import { codeOf, LedgerUnavailable } from "./errors.ts";
import { acquireHolds, type Hold, keepHold, releaseHolds } from "./holds.ts";
import type { Outage } from "./outage.ts";
import type { AccountKey } from "./processes/peers.ts";
import { renewLease } from "./processes/registration.ts";

/** After so long without a call the whole allotment is given back. */
const IDLE_MS = 20_000;

export type BackingParts = Readonly<{
  sql: Sql;
  processId: string;
  /** No other process works on this database, so memory alone decides. */
  sole: boolean;
  /** Runs this process's ledger statements one after the other: what they answer is then never out of order. */
  inTurn<T>(statement: () => Promise<T>): Promise<T>;
  /** Milliseconds that the database has left a statement without an answer; 0: none is under way. */
  unansweredMs(): number;
  /** Called for statements that failed and are retried here. */
  onFailure(error: unknown): void;
  outage: Outage;
  /** The other processes of this database. */
  others: Readonly<{
    hasOthers: boolean;
    /** Asks them to give back what they don't use. Resolves when they have, or after a moment. */
    collect(accounts: readonly AccountKey[]): Promise<void>;
  }>;
  log: Logger;
}>;

/** What the ledger does when the database's answers say so. */
type Events = Readonly<{
  /** Others took this process for dead and released its holds. */
  onLost(): Promise<void>;
  /** An outage has ended: what was spent in it is to be set aside, and again after the recovery (ms), if there is one. */
  onReturn(recoveryMs: number): void;
}>;

/**
 * Moves accounts' allotments between memory and the database. Wishes that come before a statement goes out share it.
 */
export class Backing {
  #wanting = new Set<Account>();
  #surplus = new Set<Account>();
  /** Asked for again by other processes, whether or not calls wait here. */
  #released = new Set<Account>();
  #collecting = new Set<Account>();
  #missing = new Set<Account>();

  constructor(
    private readonly parts: BackingParts,
    private readonly events: Events,
  ) {}

  /** Asks the database to back what the account lacks, and answers those who wait for it. */
  want(account: Account): void {
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

  /** Gives back what the account holds beyond its needs: all of it when it is idle. */
  trim(account: Account, now = performance.now()): void {
    // What an outage finds set aside is what can be spent for certain.
    if (!this.parts.outage.isOver || account.surplus(isIdle(account, now)) === 0) return;
    this.#surplus.add(account);
    if (this.#surplus.size > 1) return;
    void this.parts.inTurn(async () => {
      const accounts = [...this.#surplus];
      this.#surplus = new Set();
      const now = performance.now();
      for (const subject of SUBJECTS) {
        await this.#release(
          accounts.filter((a) => a.subject === subject),
          (account) => account.surplus(isIdle(account, now)),
        );
      }
    });
  }

  /** Another process needs these accounts: gives back all that no call uses. Resolves when the database has it. */
  async giveBack(accounts: readonly Account[]): Promise<void> {
    const now = performance.now();
    for (const account of accounts) {
      account.markScarce(now);
      this.#released.add(account);
    }
    await this.parts.inTurn(async () => {
      const released = [...this.#released];
      this.#released = new Set();
      for (const subject of SUBJECTS) {
        await this.#release(
          released.filter((a) => a.subject === subject),
          (account) => account.unused,
        );
      }
    });
  }

  /**
   * Reads these accounts of one subject, has the database set aside what is in use of them, and gives back what is not. Rejects
   * when the database does not answer.
   */
  async restore(subject: Subject, accounts: readonly Account[]): Promise<void> {
    if (accounts.length === 0) return;
    await this.parts.inTurn(async () => {
      if (this.parts.sole) return this.#read(subject, accounts);
      await this.#acquire(subject, accounts, true);
      const isReturned = await this.#release(accounts, (account) => account.unused);
      if (!isReturned) throw new LedgerUnavailable("what is not in use could not be given back");
    });
    this.#noteAnswer();
  }

  /** Reads these accounts of one subject again. Rejects when the database does not answer. */
  async read(subject: Subject, accounts: readonly Account[]): Promise<void> {
    if (accounts.length === 0) return;
    await this.parts.inTurn(() => this.#read(subject, accounts));
    this.#noteAnswer();
  }

  /** What this process knows of the database is that it does not answer. */
  noteSilence(): void {
    this.parts.outage.begin(performance.now());
  }

  /**
   * Makes a hold outlive this process, and reads its accounts before anything else is done with them. Answers whether the
   * database could. Rejects when it does not answer.
   */
  async keep(name: string, { amount, accounts }: Hold): Promise<boolean> {
    const [user] = accounts;
    if (user.subject !== "user") throw new Error("what a plan pays is not held beyond its call");
    const { sql, processId } = this.parts;
    const budgetIds = accounts.filter(({ subject }) => subject === "budget").map(({ id }) => id);
    const tokenId = accounts.find(({ subject }) => subject === "token")?.id ?? null;
    return this.parts.inTurn(async () => {
      const done = await keepHold(sql, { processId, name, amount, userId: user.id, tokenId, budgetIds });
      for (const subject of SUBJECTS) {
        const some = accounts.filter((account) => account.subject === subject);
        if (some.length > 0) await this.#read(subject, some);
      }
      return done;
    });
  }

  async #back(subject: Subject, accounts: readonly Account[]): Promise<void> {
    if (accounts.length === 0) return;
    const { outage, others } = this.parts;
    try {
      if (this.parts.sole) await this.#read(subject, accounts);
      else await this.#acquire(subject, accounts);
      this.#noteAnswer();
      const context = { outage, hasOthers: others.hasOthers, now: performance.now() };
      for (const account of accounts) {
        const missing = account.answer(context);
        if (missing === "again") this.want(account);
        else if (missing === "others") this.#collect(account);
        this.trim(account);
      }
    } catch (error) {
      this.parts.onFailure(error);
      outage.begin(performance.now());
      this.parts.log.warn({ error }, "the ledger can't reach the database");
      for (const account of accounts) {
        // Whether the database took the hold is not known: what it has is read again before it is given back.
        account.readAt = Number.NEGATIVE_INFINITY;
        account.answerAlone(new LedgerUnavailable("the database does not answer", { cause: error }), outage);
      }
    }
  }

  /** A statement has succeeded. */
  #noteAnswer(): void {
    const recoveryMs = this.parts.outage.end(performance.now());
    if (recoveryMs !== null) this.events.onReturn(recoveryMs);
  }

  /** Has the other processes give back what they don't use of an account, then asks the database once more. */
  #collect(account: Account): void {
    if (this.#collecting.has(account)) return;
    this.#collecting.add(account);
    account.markScarce(performance.now());
    this.#missing.add(account);
    if (this.#missing.size > 1) return;
    queueMicrotask(() => {
      const accounts = [...this.#missing];
      this.#missing = new Set();
      void this.#collectFrom(accounts);
    });
  }

  async #collectFrom(accounts: readonly Account[]): Promise<void> {
    const since = performance.now();
    await this.parts.others.collect(accounts.map(({ subject, id }) => ({ subject, id })));
    for (const account of accounts) {
      this.#collecting.delete(account);
      account.collected(since);
      this.want(account);
    }
  }

  /** `isUsedOnly`: nothing for calls that are still to come. */
  async #acquire(subject: Subject, accounts: readonly Account[], isUsedOnly = false): Promise<void> {
    const { sql, processId, outage, log } = this.parts;
    const acquire = async () => {
      const isCautious = isUsedOnly || outage.isCautious(performance.now());
      const asks = accounts.map((account) => account.ask(isCautious));
      absorb(accounts, await acquireHolds(sql, processId, subject, asks));
    };
    try {
      await acquire();
    } catch (error) {
      const lost = isUnregistered(error);
      if (!lost && !isTransient(error)) throw error;
      if (lost) await renewLease(sql, processId);
      await this.#read(subject, accounts);
      await acquire();
      if (lost) void this.events.onLost().catch((reason: unknown) => log.warn({ error: reason }, "the ledger waits"));
    }
  }

  /** Answers false where the database did not take it back: then the accounts are read again before they are used. */
  async #release(accounts: readonly Account[], amountOf: (account: Account) => number): Promise<boolean> {
    const parts = accounts
      .map((account) => ({ account, id: account.id, amount: amountOf(account) }))
      .filter(({ amount }) => amount > 0);
    const subject = parts[0]?.account.subject;
    if (!subject) return true;
    for (const { account, amount } of parts) account.giveBack(amount);
    const givers = parts.map(({ account }) => account);
    try {
      absorb(givers, await releaseHolds(this.parts.sql, this.parts.processId, subject, parts));
      return true;
    } catch (error) {
      this.parts.onFailure(error);
      this.parts.log.warn({ error }, "the ledger can't give back what it holds");
      for (const account of givers) account.readAt = Number.NEGATIVE_INFINITY;
      return false;
    }
  }

  async #read(subject: Subject, accounts: readonly Account[]): Promise<void> {
    const { sql, processId } = this.parts;
    const ids = accounts.map((account) => account.id);
    absorb(accounts, await readBalances(sql, processId, subject, ids));
  }
}

const isIdle = (account: Account, now: number): boolean => account.isIdle && now - account.usedAt > IDLE_MS;

function absorb(accounts: readonly Account[], balances: readonly Balance[]): void {
  const now = performance.now();
  const found = new Map(balances.map((balance) => [balance.id, balance]));
  for (const account of accounts) account.absorb(found.get(account.id), now);
}

/** The process's row is gone, so others took it for dead: foreign_key_violation. */
const isUnregistered = (error: unknown): boolean => codeOf(error) === "23503";

/** Somebody else's statement was in the way: deadlock, serialization failure. */
const isTransient = (error: unknown): boolean => codeOf(error).startsWith("40");
