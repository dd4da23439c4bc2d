/**
 * Sliding windows for rate limits, in slices of a twentieth of the window: what was counted in a slice counts until the whole
 * slice has left the window. So no window of that length, wherever it begins, ever holds more than the limit; the price is
 * that a request may have to wait up to a twentieth of the window longer than an exact list of times would make it.
 */

/** Slices a window. */
export const SLICES = 20;
/** The slice that is being counted, and those that overlap the window that ends now. */
const PLACES = SLICES + 1;

/** What one slice counted; slices are numbered from the epoch. */
export type Slice = Readonly<{ index: number; count: number }>;

/** What was counted in the window that ends now. */
export class SlidingCount {
  readonly #sliceMs: number;
  readonly #counts = new Float64Array(PLACES);
  /** The slice that is being counted. */
  #index = Number.NEGATIVE_INFINITY;
  /** Sum of all slices. */
  total = 0;

  constructor(windowMs: number) {
    this.#sliceMs = windowMs / SLICES;
  }

  /** Forgets what has left the window that ends at `time`, epoch milliseconds. A clock set back forgets nothing. */
  advance(time: number): void {
    const index = Math.floor(time / this.#sliceMs);
    if (index <= this.#index) return;
    if (index - this.#index >= PLACES) {
      this.#counts.fill(0);
      this.total = 0;
    } else {
      for (let next = this.#index + 1; next <= index; next += 1) {
        this.total -= this.#counts[next % PLACES] ?? 0;
        this.#counts[next % PLACES] = 0;
      }
    }
    this.#index = index;
  }

  /** Counts in the slice that `advance` came to. */
  add(amount: number): void {
    this.#counts[this.#index % PLACES] = (this.#counts[this.#index % PLACES] ?? 0) + amount;
    this.total += amount;
  }

  /** The slices that count something, oldest first. */
  slices(): Slice[] {
    const slices: Slice[] = [];
    for (let index = this.#index - SLICES; index <= this.#index; index += 1) {
      const count = this.#counts[index % PLACES] ?? 0;
      if (count > 0) slices.push({ index, count });
    }
    return slices;
  }
}

/**
 * Seconds, rounded up, from `time` (epoch milliseconds) until so many slices have left the window that one more request may
 * come; 0: it may come now. `slices`: oldest first.
 */
export function waitSeconds(
  { count: limit, windowMs }: Readonly<{ count: number; windowMs: number }>,
  slices: readonly Slice[],
  time: number,
): number {
  let excess = slices.reduce((sum, { count }) => sum + count, 1 - limit);
  if (excess <= 0) return 0;
  for (const { index, count } of slices) {
    excess -= count;
    if (excess <= 0) return Math.max(1, Math.ceil((((index + PLACES) * windowMs) / SLICES - time) / 1000));
  }
  return Math.max(1, Math.ceil(windowMs / 1000));
}
