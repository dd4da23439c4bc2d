/** Something with a deadline: a stream that may stall, a call that may wait too long. */
export type HasDeadline = {
  check(nowMs: number): void;
  /** The process is shutting down: end immediately. */
  cutOff?(): void;
  /** The index in the wheel; -1: not in it. Set only by the wheel. */
  place: number;
};

/** One timer for all open calls: cheaper than one per call, which every chunk would have to reset. */
export type DeadlineWheel = {
  add(watched: HasDeadline): void;
  remove(watched: HasDeadline): void;
  /** Cuts off everything in the wheel, and whatever is added from now on. */
  cutOff(): void;
  readonly size: number;
};

const TICK_MS = 250;

/** Calls `check` on every entry four times a second, with `performance.now()`. */
export function createDeadlineWheel(): DeadlineWheel {
  // Not a Set: one that changes with every call is reallocated again and again, and the old versions refer to the new
  // ones. The garbage collector's minor cycles would then retain all calls since its last full one.
  const all: HasDeadline[] = [];
  let timer: Timer | null = null;
  let isCutOff = false;
  const tick = () => {
    const now = performance.now();
    // Backwards: a removed entry is replaced by the last one, which was already checked.
    for (let place = all.length - 1; place >= 0; place--) all[place]?.check(now);
    if (all.length > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    add(watched) {
      if (watched.place >= 0) return;
      watched.place = all.length;
      all.push(watched);
      timer ??= setInterval(tick, TICK_MS).unref();
      // Deferred, because the caller has not started to wait for the entry yet.
      if (isCutOff) queueMicrotask(() => watched.cutOff?.());
    },
    remove(watched) {
      const { place } = watched;
      const last = all.at(-1);
      if (place < 0 || !last) return;
      all[place] = last;
      last.place = place;
      all.pop();
      watched.place = -1;
    },
    cutOff() {
      isCutOff = true;
      for (const watched of [...all]) watched.cutOff?.();
    },
    get size() {
      return all.length;
    },
  };
}
