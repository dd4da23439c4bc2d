import type { Call } from "../call/call.ts";
import type { DeadlineWheel, HasDeadline } from "../call/deadline-wheel.ts";
import { GatewayError } from "../call/errors.ts";

/**
 * A call of this age has waited for something (its body, a hold, a rate limit), so its client may have disconnected.
 */
const CHECK_AFTER_MS = 20;

export const CLIENT_LEFT = new GatewayError(499, "client_left", { code: "gateway_client_left" });

/**
 * Call right before sending a call upstream: without a client, nothing should be generated or charged. Only the
 * connections of calls that waited are checked, because the check is expensive. Throws GatewayError (499).
 */
export function refuseIfClientLeft({ client, timing, request }: Pick<Call, "client" | "timing" | "request">): void {
  if (!client.hasLeft && timing.elapsedMs > CHECK_AFTER_MS && request.signal.aborted) client.leave();
  if (client.hasLeft) throw CLIENT_LEFT;
}

/**
 * Observes whether a call's client is still connected. The runtime creates a request's abort signal only when accessed,
 * which is expensive. Most calls end before the deadline wheel first turns, so the signal is accessed only then.
 */
export class ClientPresence implements HasDeadline {
  place = -1;
  hasLeft = false;
  /** Stops the call's work; set while an upstream works. */
  onLeave: (() => void) | null = null;
  #wheel: DeadlineWheel | null = null;

  constructor(private readonly request: Request) {}

  /** Starts to observe the client. */
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

  /** The call has ended. */
  end(): void {
    this.onLeave = null;
    this.#wheel?.remove(this);
  }
}
