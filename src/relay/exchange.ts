import { Stopper } from "../lib/outbound/stopper.ts";
import type { Watch, Watched } from "./watch.ts";

/** Why an exchange with an upstream was stopped from our side. */
export type StopReason = "client_left" | "first_byte_timeout";

/** One exchange with an upstream, and what may stop it before its first byte. Never shares the client's own signal. */
export class Exchange implements Watched {
  place = -1;
  readonly stopper = new Stopper();
  readonly #watch: Watch;
  #deadlineMs = Number.POSITIVE_INFINITY;
  stopped: StopReason | null = null;

  /** `firstByteTimeoutMs` 0: no limit. */
  constructor(watch: Watch, firstByteTimeoutMs: number) {
    this.#watch = watch;
    if (firstByteTimeoutMs > 0) {
      this.#deadlineMs = performance.now() + firstByteTimeoutMs;
      watch.add(this);
    }
  }

  check(nowMs: number): void {
    if (nowMs >= this.#deadlineMs) this.stop("first_byte_timeout");
  }

  /** The first byte is here: the time limit to it is over. */
  answered(): void {
    if (this.#deadlineMs === Number.POSITIVE_INFINITY) return;
    this.#deadlineMs = Number.POSITIVE_INFINITY;
    this.#watch.remove(this);
  }

  /** The answer has begun: its rest has `restMs` at least, or all the time (0). Nothing changes where there was no limit. */
  begun(restMs: number): void {
    if (restMs === 0) this.answered();
    else this.#deadlineMs = Math.max(this.#deadlineMs, performance.now() + restMs);
  }

  stop(reason: StopReason): void {
    this.answered();
    if (this.stopped) return;
    this.stopped = reason;
    this.abort();
  }

  /** Closes the connection to the upstream; what is being read of it fails. */
  abort(): void {
    this.stopper.stop();
  }
}
