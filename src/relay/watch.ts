/** Something that must be looked at now and then: a stream that may be silent, a call that may wait too long. */
export type Watched = { check(nowMs: number): void };

/** One clock for all open calls: cheaper than a timer each, which every chunk would have to wind up again. */
export type Watch = { add(watched: Watched): void; remove(watched: Watched): void; readonly size: number };

const TICK_MS = 250;

/** Calls `check` of everything watched four times a second, with `performance.now()`. */
export function createWatch(): Watch {
  const all = new Set<Watched>();
  let timer: Timer | null = null;
  const tick = () => {
    const now = performance.now();
    for (const watched of all) watched.check(now);
  };
  return {
    add(watched) {
      all.add(watched);
      timer ??= setInterval(tick, TICK_MS).unref();
    },
    remove(watched) {
      all.delete(watched);
      if (all.size === 0 && timer) {
        clearInterval(timer);
        timer = null;
      }
    },
    get size() {
      return all.size;
    },
  };
}
