import type { Stopper } from "../stopper.ts";
import { Connection, type ConnectionKeeper, ConnectionLost, type Waiting } from "./connection.ts";
import type { Origin } from "./origin.ts";
import type { DirectRequest } from "./request-head.ts";
import type { HttpAnswer } from "./unpacked.ts";

/** How long a connection is kept that nobody uses: shorter than most servers keep theirs. */
const REST_MS = 30_000;
const SWEEP_MS = 5_000;
const MOST_RESTING = 1_024;

export type DirectHttp = {
  /**
   * Sends over a connection that rests, or a new one. A connection that the other side closed while it rested is replaced,
   * once. Rejects ConnectionLost, BrokenAnswer, TypeError for headers that cannot be sent, or the stopper's reason.
   */
  send(origin: Origin, request: DirectRequest, stopper: Stopper): Promise<HttpAnswer>;
};

/** The connections of one origin that rest; the one used last is used next, so that the others may end. */
class Resting implements ConnectionKeeper {
  readonly connections: Connection[] = [];
  /** Those that rest, those that are at work, and those that are being opened. */
  open = 0;

  rests(connection: Connection): void {
    connection.restingSince = performance.now();
    this.connections.push(connection);
    if (this.connections.length > MOST_RESTING) this.connections[0]?.abandon();
  }

  gone(connection: Connection): void {
    this.open -= 1;
    const at = this.connections.indexOf(connection);
    if (at >= 0) this.connections.splice(at, 1);
  }
}

/**
 * HTTP/1.1 straight over sockets: what the relay does most, at a fraction of what fetch costs (no thread beside, no stream
 * objects). Redirects are not followed. Connections that rested too long are closed every `sweepMs`.
 */
export function createDirectHttp(sweepMs = SWEEP_MS): DirectHttp {
  const origins = new Map<string, Resting>();
  let sweeper: Timer | null = null;

  const sweep = () => {
    const before = performance.now() - REST_MS;
    for (const [name, { connections, open }] of origins) {
      for (let oldest = connections[0]; oldest && oldest.restingSince < before; oldest = connections[0])
        oldest.abandon();
      if (open === 0) origins.delete(name);
    }
    if (origins.size > 0 || !sweeper) return;
    clearInterval(sweeper);
    sweeper = null;
  };

  const restingOf = ({ name }: Origin): Resting => {
    let resting = origins.get(name);
    if (!resting) {
      resting = new Resting();
      origins.set(name, resting);
    }
    return resting;
  };

  return {
    send(origin, request, stopper) {
      sweeper ??= setInterval(sweep, sweepMs).unref();
      const resting = restingOf(origin);
      const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
      const sending = new Sending(origin, request, stopper, resting, resolve, reject);
      const rested = resting.connections.pop();
      if (rested) sending.over(rested);
      else sending.anew();
      return promise;
    },
  };
}

/** One request on its way to an answer's head. */
class Sending implements Waiting<HttpAnswer> {
  #isNew = false;

  constructor(
    private readonly origin: Origin,
    private readonly request: DirectRequest,
    private readonly stopper: Stopper,
    private readonly resting: Resting,
    readonly resolve: (answer: HttpAnswer) => void,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** Sends over a connection that is open. */
  over(connection: Connection): void {
    const { stopper } = this;
    try {
      if (stopper.stopped) throw stopper.reason;
      stopper.listen(connection, connection.nextExchange);
      connection.send(this.request, this);
    } catch (error) {
      // Nothing was sent.
      connection.abandon();
      this.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Sends over a connection of its own. */
  anew(): void {
    this.#isNew = true;
    this.resting.open += 1;
    Connection.open(this.origin, this.resting, this.stopper).then(
      (connection) => this.over(connection),
      (error) => {
        this.resting.open -= 1;
        this.fail(error);
      },
    );
  }

  /** The other side closed the connection while it rested: it is tried again, once. */
  reject(error: Error): void {
    const wasResting = error instanceof ConnectionLost && error.wasResting;
    if (wasResting && !this.#isNew && !this.stopper.stopped) this.anew();
    else this.fail(error);
  }
}
