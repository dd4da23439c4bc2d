import { recentEntries } from "../values/tables/recent-entries.ts";
import type { Limit } from "./rate-limiter.ts";
import { SLICES, type Slice, SlidingCount } from "./sliding-count.ts";

const MOST_KEYS = 50_000;

/** A key's count as one process knows it. Times are epoch milliseconds, by the clock of the shared count. */
type Carried = {
  /** The last shared count that was known before this process went on by itself. */
  base: readonly Slice[];
  /** The last shared count that is known. */
  shared: readonly Slice[];
  /** What this process has counted since then; null: nothing. */
  own: SlidingCount | null;
  /** Of that, what the shared count does not have yet. */
  unsent: SlidingCount | null;
  isSyncing: boolean;
};

/** What was counted here for a request of which nobody knows yet whether the shared count has it. */
export type Doubt = { amount: number };

/** What the shared count is sent: what it had, in case it has lost it, and what was counted without it. */
export type Catchup = Readonly<{ shared: readonly Slice[]; unsent: readonly Slice[] }>;

/**
 * A limit while its shared count does not answer: each process goes on from the last count it knows, and admits its part of
 * what that leaves, rounded down but at least one, as long as no later answer says that nothing is left. So all together admit the
 * limit or one for each process, as far as each was up to date.
 */
export class CarriedCounts {
  readonly #counts = recentEntries<string, Carried>(MOST_KEYS);
  readonly #unsentKeys = new Set<string>();

  /** `replicas`: processes that count together now, this one included. */
  constructor(
    private readonly limit: Limit,
    private readonly now: () => number,
    private readonly replicas: () => number,
  ) {}

  /** Keys of which the shared count lacks something. */
  get unsentKeys(): readonly string[] {
    return [...this.#unsentKeys];
  }

  /** Seconds until the key may be counted; 0: now. */
  check(key: string): number {
    const count = this.#counts.get(key);
    return count ? this.#wait(count, this.now()) : 0;
  }

  /** Counts one, if it may be; the same answer. `doubt`: of a request that the shared count may have counted. */
  take(key: string, doubt: Doubt | null): number {
    const wait = this.check(key);
    if (wait === 0) this.add(key, 1, doubt);
    return wait;
  }

  add(key: string, amount: number, doubt: Doubt | null): void {
    const count = this.#use(key);
    count.own = this.#added(count.own, amount);
    if (doubt) doubt.amount += amount;
    else this.addUnsent(key, amount);
  }

  /** The shared count does not have so many of those that were counted here. */
  addUnsent(key: string, amount: number): void {
    if (amount === 0) return;
    const count = this.#use(key);
    count.unsent = this.#added(count.unsent, amount);
    this.#unsentKeys.add(key);
  }

  giveBack(key: string): void {
    const count = this.#counts.get(key);
    count?.own?.takeBack();
    count?.unsent?.takeBack();
  }

  forget(key: string): void {
    this.#counts.delete(key);
    this.#unsentKeys.delete(key);
  }

  /** The shared count has answered. `isShared`: it counts for all again, so that nothing is carried any more. */
  learn(key: string, shared: readonly Slice[], isShared: boolean): void {
    const count = this.#use(key);
    count.shared = shared;
    if (!isShared) return;
    count.base = shared;
    count.own = null;
  }

  /** What to send to the shared count, taken out until `endSync`; null: it is under way. */
  beginSync(key: string): Catchup | null {
    const count = this.#use(key);
    if (count.isSyncing) return null;
    const time = this.now();
    count.unsent?.advance(time);
    const unsent = count.unsent?.slices() ?? [];
    count.unsent = null;
    count.isSyncing = true;
    this.#unsentKeys.delete(key);
    const first = this.#firstIndex(time);
    return { shared: count.shared.filter(({ index }) => index >= first), unsent };
  }

  /** `isSent`: the shared count has it; else it is sent again later. */
  endSync(key: string, { unsent }: Catchup, isSent: boolean): void {
    const count = this.#counts.get(key);
    if (!count) return;
    count.isSyncing = false;
    if (!isSent) for (const slice of unsent) this.addUnsent(key, slice.count);
  }

  #added(count: SlidingCount | null, amount: number): SlidingCount {
    const sum = count ?? new SlidingCount(this.limit.windowMs);
    sum.advance(this.now());
    sum.add(amount);
    return sum;
  }

  #use(key: string): Carried {
    const known = this.#counts.get(key);
    if (known) return known;
    const count: Carried = { base: [], shared: [], own: null, unsent: null, isSyncing: false };
    this.#counts.set(key, count);
    return count;
  }

  #firstIndex(time: number): number {
    return Math.floor(time / (this.limit.windowMs / SLICES)) - SLICES;
  }

  /** There is room when the first slice leaves without which there is some. */
  #wait({ base, shared, own, unsent }: Carried, time: number): number {
    own?.advance(time);
    unsent?.advance(time);
    const [ownSlices, unsentSlices] = [own?.slices() ?? [], unsent?.slices() ?? []];
    const hasRoom = (first: number): boolean => {
      const left = Math.max(0, this.limit.count - sumFrom(base, first));
      const part = Math.min(left, Math.max(1, Math.floor(left / this.replicas())));
      const isLeft = sumFrom(shared, first) + sumFrom(unsentSlices, first) < this.limit.count;
      return isLeft && sumFrom(ownSlices, first) < part;
    };
    const first = this.#firstIndex(time);
    if (hasRoom(first)) return 0;
    const leaving = [...base, ...shared, ...ownSlices].map(({ index }) => index).sort((a, b) => a - b);
    const last = leaving.find((index) => index >= first && hasRoom(index + 1)) ?? first + SLICES;
    const sliceMs = this.limit.windowMs / SLICES;
    return Math.max(1, Math.ceil(((last + SLICES + 1) * sliceMs - time) / 1000));
  }
}

const sumFrom = (slices: readonly Slice[], first: number): number =>
  slices.reduce((sum, { index, count }) => (index >= first ? sum + count : sum), 0);
