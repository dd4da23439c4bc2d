import type { Call } from "./call.ts";
import type { Watch, Watched } from "./watch.ts";

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
