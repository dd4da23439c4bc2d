/** Something that must be looked at now and then: a stream that may be silent, a call that may wait too long. */
export type HasDeadline = {
  check(nowMs: number): void;
  /** The process ends now: whatever still runs must end, too. */
  cutOff?(): void;
  /** Where its watch keeps it; -1: nowhere. Written by the watch alone. */
  place: number;
};

/** One clock for all open calls: cheaper than a timer each, which every chunk would have to wind up again. */
export type DeadlineWheel = {
  add(watched: HasDeadline): void;
  remove(watched: HasDeadline): void;
  /** Cuts off everything watched, and whatever is added from now on. */
  cutOff(): void;
  readonly size: number;
};

const TICK_MS = 250;

/** Calls `check` of everything watched four times a second, with `performance.now()`. */
export function createDeadlineWheel(): DeadlineWheel {
  // No Set: one that changes with every call makes itself anew again and again, and what it was goes on pointing at what
  // it became. The garbage collector's short rounds then keep all calls since its last long one.
  const all: HasDeadline[] = [];
  let timer: Timer | null = null;
  let isCutOff = false;
  const tick = () => {
    const now = performance.now();
    // From behind: whoever is removed meanwhile leaves its place to the last one, which has been looked at.
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
      // Whoever adds something has not begun to wait for it yet.
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
