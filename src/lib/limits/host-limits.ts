import { createRateLimiter, type Limit, type RateLimiter } from "./rate-limiter.ts";
import type { SharedLimits } from "./shared-limits.ts";

/**
 * Limits that several processes of one host share without Redis: one of them, the supervisor, counts for all. Questions go
 * out in batches, so that a call costs a few microseconds.
 */

/** What to do, the limiter's name, its limit, the key, and how much to add. */
export type CountQuestion = readonly [
  action: "take" | "check" | "add" | "forget" | "enter" | "leave",
  name: string,
  count: number,
  windowMs: number,
  key: string,
  amount: number,
];

/** Asks the process that counts; resolves with the seconds to wait. Rejects when that process has ended or does not answer. */
export type AskCounter = (question: CountQuestion) => Promise<number>;

/** Counts things that are under way at the same time, over all processes of the host. */
export type HostSlots = Readonly<{
  /** Takes a place of `count`; null when all are taken. While nobody counts, everybody has a place. Never rejects. */
  enter(name: string, count: number, key: string): Promise<ReleaseSlot | null>;
}>;

/** Gives a place back; to be called once. */
export type ReleaseSlot = () => void;

/** Limiters whose counts the workers of one host share. While nobody counts, each process counts for itself. */
export function createHostLimits(ask: AskCounter): SharedLimits {
  return {
    limiter(name, limit) {
      const local = createRateLimiter(limit);
      const send = (action: CountQuestion[0], key: string, amount = 0) =>
        ask([action, name, limit.count, limit.windowMs, key, amount]);
      return {
        take: (key) => send("take", key).catch(() => local.take(key)),
        check: (key) => send("check", key).catch(() => local.check(key)),
        async add(key, amount) {
          await send("add", key, amount).catch(() => local.add(key, amount));
        },
        async forget(key) {
          local.forget(key);
          await send("forget", key).catch(() => {});
        },
      };
    },
    isAnswering: () => true,
    ping: null,
    close() {},
  };
}

/** Places that the workers of one host share. */
export const createHostSlots = (ask: AskCounter): HostSlots => ({
  async enter(name, count, key) {
    try {
      if ((await ask(["enter", name, count, 0, key, 0])) > 0) return null;
    } catch {
      return releaseNothing;
    }
    return () => void ask(["leave", name, 0, 0, key, 0]).catch(() => {});
  },
});

const releaseNothing: ReleaseSlot = () => {};

/** Counts for all processes of a host. */
export class HostCounter {
  readonly #limiters = new Map<string, RateLimiter>();
  /** By name and key: how many places each process has. */
  readonly #places = new Map<string, Map<number, number>>();

  /** Answers one question of the process `from`: 0, or the seconds to wait. */
  count([action, name, count, windowMs, key, amount]: CountQuestion, from: number): number {
    if (action === "enter") return this.#enter(`${name}:${key}`, count, from);
    if (action === "leave") return this.#leave(`${name}:${key}`, from);
    const limiter = this.#limiter(name, { count, windowMs });
    if (action === "take") return limiter.take(key);
    if (action === "check") return limiter.check(key);
    if (action === "add") limiter.add(key, amount);
    else limiter.forget(key);
    return 0;
  }

  /** A process has ended: its places are free. */
  forgetProcess(from: number): void {
    for (const [place, holders] of this.#places) {
      holders.delete(from);
      if (holders.size === 0) this.#places.delete(place);
    }
  }

  #limiter(name: string, limit: Limit): RateLimiter {
    const id = `${name}:${limit.count}:${limit.windowMs}`;
    const limiter = this.#limiters.get(id) ?? createRateLimiter(limit);
    this.#limiters.set(id, limiter);
    return limiter;
  }

  #enter(place: string, count: number, from: number): number {
    const holders = this.#places.get(place) ?? new Map<number, number>();
    let taken = 0;
    for (const number of holders.values()) taken += number;
    if (taken >= count) return 1;
    this.#places.set(place, holders.set(from, (holders.get(from) ?? 0) + 1));
    return 0;
  }

  #leave(place: string, from: number): number {
    const holders = this.#places.get(place);
    const left = (holders?.get(from) ?? 0) - 1;
    if (left > 0) holders?.set(from, left);
    else holders?.delete(from);
    if (holders?.size === 0) this.#places.delete(place);
    return 0;
  }
}
