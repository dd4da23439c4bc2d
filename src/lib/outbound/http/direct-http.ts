import { Connection, type ConnectionKeeper, ConnectionLost, type Origin } from "./connection.ts";
import type { DirectAnswer } from "./direct-answer.ts";
import type { DirectRequest } from "./request-head.ts";

/** How long a connection is kept that nobody uses: shorter than most servers keep theirs. */
const REST_MS = 30_000;
const SWEEP_MS = 5_000;
const MOST_RESTING = 1_024;

export type DirectHttp = {
  /**
   * Sends over a connection that rests, or a new one. A connection that the other side closed while it rested is replaced,
   * once. Rejects ConnectionLost, BrokenAnswer, TypeError for headers that cannot be sent, or the signal's reason.
   */
  send(origin: Origin, request: DirectRequest, signal: AbortSignal): Promise<DirectAnswer>;
};

/** The connections of one origin that rest; the one used last is used next, so that the others may end. */
class Resting implements ConnectionKeeper {
  readonly connections: Connection[] = [];

  rests(connection: Connection): void {
    connection.restingSince = performance.now();
    this.connections.push(connection);
    if (this.connections.length > MOST_RESTING) this.connections[0]?.abandon();
  }

  gone(connection: Connection): void {
    const at = this.connections.indexOf(connection);
    if (at >= 0) this.connections.splice(at, 1);
  }
}

/**
 * HTTP/1.1 straight over sockets: what the relay does most, at a fraction of what fetch costs (no thread beside, no stream
 * objects). Redirects are not followed, bodies are not decompressed.
 */
export function createDirectHttp(): DirectHttp {
  const origins = new Map<string, Resting>();
  let sweeper: Timer | null = null;

  const sweep = () => {
    const before = performance.now() - REST_MS;
    for (const [name, { connections }] of origins) {
      for (let oldest = connections[0]; oldest && oldest.restingSince < before; oldest = connections[0])
        oldest.abandon();
      if (connections.length === 0) origins.delete(name);
    }
    if (origins.size > 0 || !sweeper) return;
    clearInterval(sweeper);
    sweeper = null;
  };

  const restingOf = ({ hostname, port, tlsName }: Origin): Resting => {
    const name = `${hostname} ${port} ${tlsName ?? ""}`;
    let resting = origins.get(name);
    if (!resting) {
      resting = new Resting();
      origins.set(name, resting);
    }
    return resting;
  };

  return {
    async send(origin, request, signal) {
      const resting = restingOf(origin);
      sweeper ??= setInterval(sweep, SWEEP_MS).unref();
      const rested = resting.connections.pop();
      if (rested) {
        try {
          return await over(rested, request, signal);
        } catch (error) {
          if (!(error instanceof ConnectionLost && error.wasResting) || signal.aborted) throw error;
        }
      }
      return over(await Connection.open(origin, resting, signal), request, signal);
    },
  };
}

function over(connection: Connection, request: DirectRequest, signal: AbortSignal): Promise<DirectAnswer> {
  try {
    signal.throwIfAborted();
    const answer = connection.send(request);
    signal.addEventListener("abort", connection.stopper(), { once: true });
    return answer;
  } catch (error) {
    // Nothing was sent.
    connection.abandon();
    throw error;
  }
}
