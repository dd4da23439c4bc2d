/** The gateway's own time up to the first byte over recent calls: milliseconds. */
export type RecentOverhead = Readonly<{ calls: number; p50Ms: number; p99Ms: number }>;

const MOST = 1000;

/** Keeps the overheads of the last 1,000 calls; adding one costs one store. */
export class RecentOverheads {
  readonly #times = new Float64Array(MOST);
  #added = 0;

  add(ms: number): void {
    this.#times[this.#added % MOST] = ms;
    this.#added += 1;
  }

  /** Null before the first call. */
  read(): RecentOverhead | null {
    const calls = Math.min(this.#added, MOST);
    if (calls === 0) return null;
    const sorted = this.#times.slice(0, calls).sort();
    const at = (share: number) => sorted[Math.min(calls - 1, Math.floor(calls * share))] ?? 0;
    return { calls, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}
