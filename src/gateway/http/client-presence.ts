import type { Call } from "../call/call.ts";
import type { DeadlineWheel, HasDeadline } from "../call/deadline-wheel.ts";
import { GatewayError } from "../call/errors.ts";

/** A call this old has waited for something (its body, a hold, a rate limit), and its client may have left meanwhile. */
const CHECK_AFTER_MS = 20;

export const CLIENT_LEFT = new GatewayError(499, "client_left", { code: "gateway_client_left" });

/**
 * To be called right before a call goes to an upstream: what nobody waits for any more is neither made nor charged. Only
 * the connections of calls that waited are checked, because that is expensive. Throws GatewayError (499).
 */
export function refuseIfClientLeft({ client, timing, request }: Pick<Call, "client" | "timing" | "request">): void {
  if (!client.hasLeft && timing.elapsedMs > CHECK_AFTER_MS && request.signal.aborted) client.leave();
  if (client.hasLeft) throw CLIENT_LEFT;
}

/**
 * Whether the client of a call is still there. The runtime makes a request's signal only when it is asked for, and that is
 * expensive: most calls are over before the deadline wheel turns for the first time, so only then the signal is read.
 */
export class ClientPresence implements HasDeadline {
  place = -1;
  hasLeft = false;
  /** Stops what runs for the call; set while an upstream works. */
  onLeave: (() => void) | null = null;
  #wheel: DeadlineWheel | null = null;

  constructor(private readonly request: Request) {}

  /** Begins to look for the client. */
  watch(wheel: DeadlineWheel): void {
    this.#wheel = wheel;
    wheel.add(this);
  }

  check(): void {
    this.#wheel?.remove(this);
    const { signal } = this.request;
    if (signal.aborted) this.leave();
    else signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  /** The client closed its connection. */
  leave(): void {
    this.hasLeft = true;
    this.onLeave?.();
  }

  /** The call is over: nothing runs for it any more. */
  end(): void {
    this.onLeave = null;
    this.#wheel?.remove(this);
  }
}
