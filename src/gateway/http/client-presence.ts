import type { Call } from "../call/call.ts";
import type { Watch, Watched } from "../call/deadline-wheel.ts";
import { RelayError } from "../call/errors.ts";

/** A call this old has waited for something (its body, a hold, a rate limit), and its client may have left meanwhile. */
const LOOK_AFTER_MS = 20;

export const CLIENT_LEFT = new RelayError(499, "client_left", "The client closed its connection.");

/**
 * To be called right before a call goes to an upstream: what nobody waits for any more is neither made nor charged. Only
 * the connections of calls that waited are looked at, because that is dear. Throws RelayError (499).
 */
export function refuseIfClientLeft(call: Call): void {
  if (!call.clientLeft && call.elapsedMs > LOOK_AFTER_MS) call.clientLeft = call.admitted.request.signal.aborted;
  if (call.clientLeft) throw CLIENT_LEFT;
}

/**
 * Notices when the client of a call leaves. The runtime makes a request's signal only when it is asked for, and that is
 * dear: most calls are over before the watch comes by for the first time, so only then the signal is looked at.
 */
export class ClientPresence implements Watched {
  place = -1;

  constructor(
    private readonly watch: Watch,
    private readonly request: Request,
    private readonly call: Call,
  ) {
    watch.add(this);
  }

  check(): void {
    this.watch.remove(this);
    const { signal } = this.request;
    if (signal.aborted) this.#leave();
    else signal.addEventListener("abort", () => this.#leave(), { once: true });
  }

  /** The call is over. Unless it says so, the watch keeps all of it in memory until it comes by. */
  end(): void {
    this.watch.remove(this);
  }

  #leave(): void {
    this.call.clientLeft = true;
    this.call.stop?.();
  }
}
