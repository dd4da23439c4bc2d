import type { ReleaseConnection } from "../../lib/outbound/connection-limit.ts";
import type { DeadlineWheel, HasDeadline } from "../call/deadline-wheel.ts";

/** Why the gateway stopped an exchange with an upstream. */
export type StopReason = "client_left" | "first_byte_timeout" | "idle_timeout" | "shutdown";

/** A response that never ends is cut off after this time, however steadily it arrives. */
const MAX_BODY_MS = 3_600_000;

/**
 * One exchange with an upstream: its abort signal, its deadlines, and the connection it occupies. It never uses the
 * client's own signal.
 */
export class Exchange implements HasDeadline {
  place = -1;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #watch: DeadlineWheel;
  #deadlineMs = Number.POSITIVE_INFINITY;
  /** The longest pause while reading a body; 0: no body is being read. */
  #idleMs = 0;
  /** When a body must be complete. */
  #endMs = Number.POSITIVE_INFINITY;
  #release: ReleaseConnection | null = null;
  stopped: StopReason | null = null;

  readonly #headMs: number;

  /** The first response must begin within `headMs`; 0: no limit. */
  constructor(watch: DeadlineWheel, headMs: number) {
    this.#watch = watch;
    this.#headMs = headMs;
    this.expectHead();
  }

  check(nowMs: number): void {
    if (nowMs >= this.#deadlineMs) this.stop(this.#idleMs > 0 ? "idle_timeout" : "first_byte_timeout");
  }

  cutOff(): void {
    this.stop("shutdown");
  }

  /** Another request follows, with the same time limit for its headers. */
  expectHead(): void {
    this.#idleMs = 0;
    this.#deadlineMs = this.#headMs > 0 ? performance.now() + this.#headMs : Number.POSITIVE_INFINITY;
    this.#watch.add(this);
  }

  /** The headers have arrived: from now on every read must return something within `idleMs`. */
  expectBody(idleMs: number): void {
    const now = performance.now();
    this.#idleMs = idleMs;
    this.#endMs = now + MAX_BODY_MS;
    this.#deadlineMs = now + idleMs;
    this.#watch.add(this);
  }

  /** A part of the body arrived, or its reader took one. */
  progressed(): void {
    if (this.#idleMs > 0) this.#deadlineMs = Math.min(performance.now() + this.#idleMs, this.#endMs);
  }

  /** Ends the time limits: something else observes the rest, or there is none. */
  endTimeouts(): void {
    this.#idleMs = 0;
    this.#deadlineMs = Number.POSITIVE_INFINITY;
    this.#watch.remove(this);
  }

  /** The exchange occupies a connection until it ends. */
  occupy(release: ReleaseConnection): void {
    this.#release?.();
    this.#release = release;
  }

  /** The response was read to its end, or will not be read any further. */
  end(): void {
    this.endTimeouts();
    this.#release?.();
    this.#release = null;
  }

  stop(reason: StopReason): void {
    if (this.stopped) return;
    this.stopped = reason;
    this.abort();
  }

  /** Closes the connection to the upstream; pending reads fail. */
  abort(): void {
    this.end();
    this.#controller.abort();
  }
}
