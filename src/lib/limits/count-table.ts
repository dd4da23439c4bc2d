import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createRateLimiter, type Limit, type RateLimiter } from "./rate-limiter.ts";
import type { SharedLimits } from "./shared-limits.ts";
import { CELLS, SlidingCount, waitSeconds } from "./sliding-count.ts";

/**
 * The counts of rate limits in memory that the processes of one host share: a file that each of them maps. Who counts locks the
 * key's bucket for less than a microsecond and sends nothing, so limits are exact over all processes and nearly free.
 *
 * The file: a lock for each bucket, the seed of the hash, then the buckets. A bucket has places for some keys; of more, the one
 * that was counted longest ago is forgotten.
 */

const MEMORY_FOLDER = "/dev/shm";
const BUCKETS = 4096;
const PLACES = 16;
/** 64-bit words of a place: the key's hash, when it was last counted, and the cells of its count. */
const PLACE_WORDS = 32;
const [HASH, COUNTED_AT, COUNT] = [0, 1, 2];
/** Locks have 32 bits. */
const SEED = BUCKETS / 2;
const FIRST_BUCKET = SEED + 512;
const BYTES = 8 * (FIRST_BUCKET + BUCKETS * PLACES * PLACE_WORDS);
const SPINS = 200;
const NAP_MS = 0.1;
/** Whoever holds a lock for longer is stopped or dead, not just without a core: others count alone meanwhile. */
const MOST_WAIT_MS = 500;
/** How long after that nobody waits again. */
const ALONE_MS = 1000;

/** Where the processes with this `dataDir` may have their counts: in memory if the system has a folder for it. */
const placesOf = (dataDir: string): string[] =>
  [MEMORY_FOLDER, join(dataDir, "run")].map((folder) =>
    join(folder, `sluice-limits-${Bun.hash(resolve(dataDir)).toString(36)}`),
  );

/**
 * Makes an empty table for the processes with this `dataDir`; those that map an earlier one keep it. Throws when there is no
 * space for it.
 */
export function makeCountTable(dataDir: string): void {
  // Zeros are written, so that no page can be missing later: that would end the process.
  const table = new Uint8Array(BYTES);
  new BigUint64Array(table.buffer)[SEED] = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  const [inMemory, onDisk] = placesOf(dataDir) as [string, string];
  removeCountTable(dataDir);
  try {
    writeFileSync(inMemory, table, { flag: "wx", mode: 0o600 });
  } catch {
    mkdirSync(dirname(onDisk), { recursive: true });
    writeFileSync(onDisk, table, { flag: "wx", mode: 0o600 });
  }
}

/** Removes the table; processes that map it keep it. */
export function removeCountTable(dataDir: string): void {
  for (const place of placesOf(dataDir)) {
    try {
      rmSync(place, { force: true });
    } catch {
      // Somebody else's: the other place is taken.
    }
  }
}

/** Counts of calls in memory that the workers of a host share. */
export class CountTable {
  readonly #locks: Int32Array;
  readonly #hashes: BigUint64Array;
  readonly #cells: Float64Array;
  readonly #seed: bigint;
  #aloneUntil = 0;

  /** Maps the table that was made for `dataDir`. `holder`: the process that locks. Throws when there is no table. */
  constructor(
    dataDir: string,
    private readonly holder: number = process.pid,
    private readonly now: () => number = Date.now,
  ) {
    const place = placesOf(dataDir).find(isOwn);
    if (!place) throw new Error("the supervisor has made no table of limits");
    const { buffer } = Bun.mmap(place, { shared: true });
    this.#locks = new Int32Array(buffer, 0, BUCKETS);
    this.#hashes = new BigUint64Array(buffer);
    this.#cells = new Float64Array(buffer);
    this.#seed = this.#hashes[SEED] ?? 0n;
  }

  /** A limiter whose counts all processes of the host share under `name`. */
  limiter(name: string, limit: Limit): RateLimiter {
    const prefix = `${name}:${limit.count}:${limit.windowMs}:`;
    const local = createRateLimiter(limit);
    /** Works on the key's count; null while somebody who is stopped has the lock. */
    const locked = (key: string, work: (count: SlidingCount, time: number) => number): number | null => {
      const hash = Bun.hash.wyhash(prefix + key, this.#seed);
      const bucket = Number(hash % BigInt(BUCKETS));
      if (!this.#lock(bucket)) return null;
      try {
        const time = this.now();
        const count = new SlidingCount(limit.windowMs, this.#place(bucket, hash, time));
        count.advance(time);
        return work(count, time);
      } finally {
        Atomics.store(this.#locks, bucket, 0);
      }
    };
    const wait = (count: SlidingCount, time: number): number =>
      count.total < limit.count ? 0 : waitSeconds(limit, count.slices(), time);
    const take = (count: SlidingCount, time: number): number => {
      const seconds = wait(count, time);
      if (seconds === 0) count.add(1);
      return seconds;
    };
    return {
      take: (key) => locked(key, take) ?? local.take(key),
      check: (key) => locked(key, wait) ?? local.check(key),
      add(key, amount) {
        const add = (count: SlidingCount) => {
          count.add(amount);
          return 0;
        };
        if (locked(key, add) === null) local.add(key, amount);
      },
      giveBack(key) {
        const takeBack = (count: SlidingCount) => {
          count.takeBack();
          return 0;
        };
        if (locked(key, takeBack) === null) local.giveBack(key);
      },
      forget(key) {
        local.forget(key);
        locked(key, (count) => {
          count.clear();
          return 0;
        });
      },
    };
  }

  /** Takes the locks of a process that has died away from it. */
  releaseLocks(holder: number): void {
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) Atomics.compareExchange(this.#locks, bucket, holder, 0);
  }

  #lock(bucket: number): boolean {
    if (Atomics.compareExchange(this.#locks, bucket, 0, this.holder) === 0) return true;
    const began = performance.now();
    if (began < this.#aloneUntil) return false;
    while (performance.now() - began < MOST_WAIT_MS) {
      for (let spin = 0; spin < SPINS; spin += 1) {
        if (Atomics.compareExchange(this.#locks, bucket, 0, this.holder) === 0) return true;
      }
      Bun.sleepSync(NAP_MS);
    }
    this.#aloneUntil = performance.now() + ALONE_MS;
    return false;
  }

  /** The cells of a key's count, in the place that it has or gets. */
  #place(bucket: number, hash: bigint, time: number): Float64Array {
    const first = FIRST_BUCKET + bucket * PLACES * PLACE_WORDS;
    let oldest = first;
    let isKnown = false;
    for (let at = first; at < first + PLACES * PLACE_WORDS; at += PLACE_WORDS) {
      if (this.#hashes[at + HASH] === hash) {
        isKnown = true;
        oldest = at;
        break;
      }
      if ((this.#cells[at + COUNTED_AT] ?? 0) < (this.#cells[oldest + COUNTED_AT] ?? 0)) oldest = at;
    }
    const cells = this.#cells.subarray(oldest + COUNT, oldest + COUNT + CELLS);
    if (!isKnown) {
      this.#hashes[oldest + HASH] = hash;
      cells.fill(0);
    }
    this.#cells[oldest + COUNTED_AT] = time;
    return cells;
  }
}

/** Nobody else may have put a file of that name into the folder, which all users of the system share. */
const isOwn = (place: string): boolean => {
  const found = lstatSync(place, { throwIfNoEntry: false });
  return found?.isFile() === true && found.uid === process.getuid?.() && found.size === BYTES;
};

/** Limiters whose counts the workers of one host share. */
export const createHostLimits = (table: CountTable): SharedLimits => ({
  limiter: (name, limit) => table.limiter(name, limit),
  isAnswering: () => true,
  ping: null,
  close() {},
});
