/** Told that a request is to be stopped: which one, where it has several. */
export type StopListener = { stop(exchange: number): void };

/**
 * What stops a request while it is under way. The runtime's own signal is dear, so one is made only where somebody asks
 * for it; the relay's usual way asks for none.
 */
export class Stopper {
  #controller: AbortController | null = null;
  #listener: StopListener | null = null;
  #exchange = 0;
  #reason: unknown;
  #stopped = false;

  /** Stops by itself after `ms` milliseconds. */
  static after(ms: number): Stopper {
    const stopper = new Stopper();
    setTimeout(() => stopper.stop(new DOMException("The operation timed out.", "TimeoutError")), ms).unref();
    return stopper;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** For whoever knows only the runtime's signals. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#stopped) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** What requests are rejected with. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Who is told of a stop, in place of whoever was: one request follows the other. */
  listen(listener: StopListener | null, exchange = 0): void {
    this.#listener = listener;
    this.#exchange = exchange;
  }

  /** Stops what is under way, once. */
  stop(reason: unknown = new DOMException("The operation was aborted.", "AbortError")): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#listener?.stop(this.#exchange);
  }
}
