/** When a call arrived, and how its time was spent. All in milliseconds. */
export class CallTiming {
  /** From arrival to the first byte of the response; null before. */
  firstByteMs: number | null = null;
  /** The gateway's own time up to the first byte of the response; null before. */
  overheadMs: number | null = null;
  /** Time spent in the queue of a busy route; part of `waitedMs`. */
  queuedMs = 0;

  constructor(
    /** `performance.now()` at arrival, or when a response of a realtime session began. */
    readonly startedAtMs: number,
    /** Time spent waiting for the client's body and for upstreams; the rest is the gateway's own. */
    public waitedMs = 0,
  ) {}

  get elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }

  /** Call when the response begins. */
  markFirstByte(): void {
    this.firstByteMs = this.elapsedMs;
  }

  /** Measures the gateway's own time so far. */
  markOverhead(): number {
    this.overheadMs = Math.max(0, this.elapsedMs - this.waitedMs);
    return this.overheadMs;
  }
}
