/** A call that waits for the database to say whether the account covers an amount. */
type Waiter = Readonly<{ amount: number; since: number; resolve(covered: boolean): void; reject(reason: Error): void }>;

/** The calls that wait for one account, first come first served. Amounts are whole quota units. */
export class WaitingCalls {
  #waiters: Waiter[] = [];

  get count(): number {
    return this.#waiters.length;
  }

  /** What all of them need together. */
  get total(): number {
    return this.#waiters.reduce((sum, { amount }) => sum + amount, 0);
  }

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
    this.#waiters.push({ amount, since: performance.now(), resolve, reject });
    return promise;
  }

  /** Lets a call that was taken wait on. */
  putBack(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** Takes all of them, to be answered or put back. */
  takeAll(): Waiter[] {
    return this.#waiters.splice(0);
  }
}
