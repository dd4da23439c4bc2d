import { type Balance, SUBJECTS, type Subject } from "../subject.ts";
import { Account } from "./account.ts";
import { BalanceTable } from "./balance-table.ts";

/** A balance heard from another process is older than one read here within this time. */
const READ_IS_NEWER_MS = 4000;

/** The balances that this process knows: accounts that calls use as objects, all others as numbers in a table. */
export class Accounts {
  readonly #used: Record<Subject, Map<number, Account>> = { user: new Map(), token: new Map() };
  readonly #unused: Record<Subject, BalanceTable> = { user: new BalanceTable(), token: new BalanceTable() };

  constructor(private readonly sole: boolean) {}

  /** The account; made of its last known balance when no call has used it lately. */
  get(subject: Subject, id: number): Account {
    const used = this.#used[subject].get(id);
    if (used) return used;
    const account = new Account(subject, id, this.sole);
    const known = this.#unused[subject].get(id);
    if (known) account.learn(known.quota, known.held);
    this.#used[subject].set(id, account);
    return account;
  }

  /** The account, if calls have used it lately. */
  find(subject: Subject, id: number): Account | undefined {
    return this.#used[subject].get(id);
  }

  /** The accounts that calls have used lately. */
  used(subject: Subject): IterableIterator<Account> {
    return this.#used[subject].values();
  }

  *allUsed(): Generator<Account> {
    for (const subject of SUBJECTS) yield* this.#used[subject].values();
  }

  /** The last known balances of all accounts. */
  *balances(subject: Subject): Generator<Balance> {
    const used = this.#used[subject];
    for (const { id, lastKnown, own } of used.values()) if (lastKnown) yield { id, ...lastKnown, own };
    for (const balance of this.#unused[subject].all()) if (!used.has(balance.id)) yield { ...balance, own: 0 };
  }

  /** Keeps of an account only its balance. */
  forget(account: Account): void {
    const known = account.lastKnown;
    if (known) this.#unused[account.subject].put(account.id, known.quota, known.held);
    this.#used[account.subject].delete(account.id);
  }

  /** Takes over a balance that was read or heard; `isNow`: it was just read. */
  learn(subject: Subject, id: number, quota: number, held: number, isNow: boolean): void {
    const account = this.#used[subject].get(id);
    if (!account) this.#unused[subject].put(id, quota, held);
    else if (!isNow && performance.now() - account.readAt > READ_IS_NEWER_MS) account.learn(quota, held);
  }
}
