import { enlarged } from "../../../lib/values/tables/text-column.ts";
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

const FEWEST = 1024;

/**
 * The last known balances of accounts that no call of this process uses, by id: 20 bytes each, since there may be millions.
 * Ids are kept in ascending order; new accounts have the highest, so they are appended.
 */
class BalanceTable {
  #ids = new Int32Array(FEWEST);
  #quotas = new Float64Array(FEWEST);
  #held = new Float64Array(FEWEST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): Readonly<{ quota: number; held: number }> | undefined {
    const at = this.#placeOf(id);
    if (at === this.#size || this.#ids[at] !== id) return undefined;
    return { quota: this.#quotas[at] as number, held: this.#held[at] as number };
  }

  /** `quota` and what all processes have set aside of it, whole quota units. */
  put(id: number, quota: number, held: number): void {
    const at = this.#placeOf(id);
    if (at === this.#size || this.#ids[at] !== id) this.#insert(at, id);
    this.#quotas[at] = quota;
    this.#held[at] = held;
  }

  *all(): Generator<Readonly<{ id: number; quota: number; held: number }>> {
    for (let at = 0; at < this.#size; at += 1) {
      yield { id: this.#ids[at] as number, quota: this.#quotas[at] as number, held: this.#held[at] as number };
    }
  }

  /** The first place whose id is not lower. */
  #placeOf(id: number): number {
    let low = 0;
    let high = this.#size;
    if (high > 0 && (this.#ids[high - 1] as number) < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(at: number, id: number): void {
    if (this.#size === this.#ids.length) this.#grow();
    for (const column of [this.#ids, this.#quotas, this.#held]) column.copyWithin(at + 1, at, this.#size);
    this.#ids[at] = id;
    this.#size += 1;
  }

  #grow(): void {
    const capacity = this.#ids.length * 2;
    this.#ids = enlarged(this.#ids, new Int32Array(capacity));
    this.#quotas = enlarged(this.#quotas, new Float64Array(capacity));
    this.#held = enlarged(this.#held, new Float64Array(capacity));
  }
}
