import { PagedColumn } from "../../../lib/values/tables/paged-column.ts";
import { type Balance, SUBJECTS, type Subject } from "../../subject.ts";
import { Account } from "./account.ts";

/** A balance received from another process is older than one read here within this time. */
const READ_IS_NEWER_MS = 4000;

/** The balances that this process knows: accounts that calls use as objects, all others as numbers in a table. */
export class Accounts {
  readonly #used: Record<Subject, Map<number, Account>> = { user: new Map(), token: new Map(), budget: new Map() };
  readonly #unused: Record<Subject, BalanceTable> = {
    user: new BalanceTable(),
    token: new BalanceTable(),
    budget: new BalanceTable(),
  };

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

  /** Takes over a balance that was read or received; `isNow`: it was just read. */
  learn(subject: Subject, id: number, quota: number, held: number, isNow: boolean): void {
    const account = this.#used[subject].get(id);
    if (!account) this.#unused[subject].put(id, quota, held);
    else if (!isNow && performance.now() - account.readAt > READ_IS_NEWER_MS) account.learn(quota, held);
  }
}

/** The last known balances of accounts that no call of this process uses, by id: 8 bytes each, since there may be millions. */
class BalanceTable {
  /** One more than what there is, because 0 is an account that is not known. */
  readonly #quotas = new PagedColumn((rows) => new Float64Array(rows));
  /** Of what processes have set aside something of, which are few. */
  readonly #held = new Map<number, number>();

  get(id: number): Readonly<{ quota: number; held: number }> | undefined {
    const quota = this.#quotas.get(id) - 1;
    return quota === -1 ? undefined : { quota, held: this.#held.get(id) ?? 0 };
  }

  /** `quota` and what all processes have set aside of it, whole quota units. */
  put(id: number, quota: number, held: number): void {
    this.#quotas.set(id, quota + 1);
    if (held === 0) this.#held.delete(id);
    else this.#held.set(id, held);
  }

  *all(): Generator<Readonly<{ id: number; quota: number; held: number }>> {
    for (const id of this.#quotas.rows()) {
      yield { id, quota: this.#quotas.get(id) - 1, held: this.#held.get(id) ?? 0 };
    }
  }
}
