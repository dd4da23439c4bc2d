/** A call that waits for the database to say whether the account covers an amount. */
type Waiter = Readonly<{ amount: number; since: number; resolve(covered: boolean): void; reject(reason: Error): void }>;

/** The calls that wait for one account, first come first served. Amounts are whole quota units. */
export class WaitingCalls {
  #waiters: Waiter[] = [];
  /** How many they are, and what all of them need together; changed only here. */
  count = 0;
  total = 0;

  /** The least that one of them needs; Infinity: nobody waits. */
  get smallest(): number {
    return this.#waiters.reduce((least, { amount }) => Math.min(least, amount), Number.POSITIVE_INFINITY);
  }

  /** Milliseconds that the longest waiting has waited. */
  waitedFor(now: number): number {
    return now - (this.#waiters[0]?.since ?? now);
  }

  /** Adds a call; resolves or rejects when it is answered. */
  add(amount: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.putBack({ amount, since: performance.now(), resolve, reject });
    return promise;
  }

  /** Lets a call that was taken wait on. */
  putBack(waiter: Waiter): void {
    this.#waiters.push(waiter);
    this.count += 1;
    this.total += waiter.amount;
  }

  /** Takes all of them, to be answered or put back. */
  takeAll(): Waiter[] {
    const all = this.#waiters;
    this.#waiters = [];
    this.count = 0;
    this.total = 0;
    return all;
  }
}
