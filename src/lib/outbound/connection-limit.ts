/** Every connection to an origin was in use for as long as a caller may wait. */
export class UpstreamBusyError extends Error {
  override name = "UpstreamBusyError";
}

/** Gives back a connection; harmless when called twice. */
export type ReleaseConnection = () => void;

export type ConnectionLimit = {
  /** Takes one of the origin's connections; null: none is free. */
  tryAcquire(origin: string): ReleaseConnection | null;
  /**
   * The same, and waits until another caller gives one back, first come first served. Rejects UpstreamBusyError after
   * `waitMs`, or the signal's reason when it aborts.
   */
  acquire(origin: string, signal: AbortSignal): Promise<ReleaseConnection>;
};

type Origin = { inUse: number; readonly waiting: Set<() => void> };

/** Bounds how many connections each origin has in use at a time. */
export function createConnectionLimit(maxPerOrigin: number, waitMs: number): ConnectionLimit {
  const origins = new Map<string, Origin>();

  /** The release of a connection that is counted already. */
  const lend = (name: string, origin: Origin): ReleaseConnection => {
    let isLent = true;
    return () => {
      if (!isLent) return;
      isLent = false;
      const [next] = origin.waiting;
      // Handed over without being counted as free: a newcomer must not take it first.
      if (next) return next();
      origin.inUse -= 1;
      if (origin.inUse === 0) origins.delete(name);
    };
  };

  const originOf = (name: string): Origin => {
    let origin = origins.get(name);
    if (!origin) {
      origin = { inUse: 0, waiting: new Set() };
      origins.set(name, origin);
    }
    return origin;
  };
  const tryAcquire = (name: string): ReleaseConnection | null => {
    const origin = originOf(name);
    if (origin.inUse >= maxPerOrigin) return null;
    origin.inUse += 1;
    return lend(name, origin);
  };

  return {
    tryAcquire,
    async acquire(name, signal) {
      const free = tryAcquire(name);
      if (free) return free;
      const origin = originOf(name);
      await waitForTurn(origin, signal, waitMs);
      return lend(name, origin);
    },
  };
}

function waitForTurn({ waiting }: Origin, signal: AbortSignal, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = () => {
    waiting.delete(proceed);
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
  const proceed = () => {
    end();
    resolve();
  };
  const abort = () => {
    end();
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    end();
    reject(new UpstreamBusyError("all connections to this upstream are in use"));
  }, waitMs);
  if (signal.aborted) abort();
  else {
    waiting.add(proceed);
    signal.addEventListener("abort", abort, { once: true });
  }
  return promise;
}
