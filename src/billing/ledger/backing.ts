import type { Sql } from "../../../db/types.ts";
import type { Logger } from "../../lib/log.ts";
import type { Account } from "./account.ts";
import { acquireHolds } from "./acquire-holds.ts";
import { LedgerUnavailable } from "./errors.ts";
import type { Hold } from "./hold.ts";
import { keepHold } from "./keep-hold.ts";
import { readBalances } from "./read-balances.ts";
import { releaseHolds } from "./release-holds.ts";
import { renewLease } from "./renew-lease.ts";
import { type Balance, SUBJECTS, type Subject } from "./subject.ts";

/** After so long without a call the whole allotment is given back. */
const IDLE_MS = 20_000;

export type BackingParts = Readonly<{
  sql: Sql;
  processId: string;
  /** No other process works on this database, so memory alone decides. */
  sole: boolean;
  /** Runs this process's ledger statements one after the other: what they answer is then never out of order. */
  inTurn<T>(statement: () => Promise<T>): Promise<T>;
  /** Hears of statements that failed and are made up for here. */
  onFailure(error: unknown): void;
  log: Logger;
}>;

/**
 * Moves accounts' allotments between memory and the database. Wishes that come before a statement goes out share it.
 */
export class Backing {
  #wanting = new Set<Account>();
  #surplus = new Set<Account>();
  #answering = true;

  constructor(
    private readonly parts: BackingParts,
    /** Others took this process for dead and released its holds. */
    private readonly onLost: () => Promise<void>,
  ) {}

  /** The database answered the last time. */
  get isAnswering(): boolean {
    return this.#answering;
  }

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
    if (account.surplus(isIdle(account, now)) === 0) return;
    this.#surplus.add(account);
    if (this.#surplus.size > 1) return;
    void this.parts.inTurn(async () => {
      const accounts = [...this.#surplus];
      this.#surplus = new Set();
      for (const subject of SUBJECTS) await this.#giveBack(accounts.filter((a) => a.subject === subject));
    });
  }

  /** Reads these accounts of one subject again. Rejects when the database does not answer. */
  async read(subject: Subject, accounts: readonly Account[]): Promise<void> {
    if (accounts.length > 0) await this.parts.inTurn(() => this.#read(subject, accounts));
  }

  /**
   * Makes a hold outlive this process, and reads its accounts before anything else is done with them. Answers whether the
   * database could. Rejects when it does not answer.
   */
  async keep(name: string, { amount, user, token }: Hold): Promise<boolean> {
    const { sql, processId } = this.parts;
    return this.parts.inTurn(async () => {
      const done = await keepHold(sql, { processId, name, amount, userId: user.id, tokenId: token?.id ?? null });
      await this.#read("user", [user]);
      if (token) await this.#read("token", [token]);
      return done;
    });
  }

  async #back(subject: Subject, accounts: readonly Account[]): Promise<void> {
    if (accounts.length === 0) return;
    try {
      if (this.parts.sole) await this.#read(subject, accounts);
      else await this.#acquire(subject, accounts);
      for (const account of accounts) {
        if (account.answer()) this.want(account);
        this.trim(account);
      }
      this.#answering = true;
    } catch (error) {
      this.#answering = false;
      this.parts.onFailure(error);
      this.parts.log.warn({ error }, "the ledger can't reach the database");
      for (const account of accounts) {
        // Whether the database took the hold is not known: what it has is read again before it is given back.
        account.readAt = Number.NEGATIVE_INFINITY;
        account.answerAlone(new LedgerUnavailable("the database does not answer", { cause: error }));
      }
    }
  }

  async #acquire(subject: Subject, accounts: readonly Account[]): Promise<void> {
    const { sql, processId, log } = this.parts;
    const acquire = async () => {
      const asks = accounts.map((account) => ({ id: account.id, need: account.need }));
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
      if (lost) void this.onLost().catch((reason: unknown) => log.warn({ error: reason }, "the ledger waits"));
    }
  }

  async #giveBack(accounts: readonly Account[]): Promise<void> {
    const now = performance.now();
    const parts = accounts
      .map((account) => ({ account, id: account.id, amount: account.surplus(isIdle(account, now)) }))
      .filter(({ amount }) => amount > 0);
    const subject = parts[0]?.account.subject;
    if (!subject) return;
    for (const { account, amount } of parts) account.giveBack(amount);
    const givers = parts.map(({ account }) => account);
    try {
      absorb(givers, await releaseHolds(this.parts.sql, this.parts.processId, subject, parts));
    } catch (error) {
      this.parts.onFailure(error);
      this.parts.log.warn({ error }, "the ledger can't give back what it holds");
      for (const account of givers) account.readAt = Number.NEGATIVE_INFINITY;
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

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The process's row is gone, so others took it for dead: foreign_key_violation. */
const isUnregistered = (error: unknown): boolean => codeOf(error) === "23503";

/** Somebody else's statement was in the way: deadlock, serialisation failure. */
const isTransient = (error: unknown): boolean => codeOf(error).startsWith("40");
