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

/** Numbers that a count needs: its slices, the slice that is being counted, and the sum of all. */
const [INDEX, TOTAL] = [PLACES, PLACES + 1];
export const CELLS = PLACES + 2;

/** What was counted in the window that ends now. */
export class SlidingCount {
  readonly #sliceMs: number;

  /** `cells`: zeros, or what another count of the same window has left there. */
  constructor(
    windowMs: number,
    private readonly cells: Float64Array = new Float64Array(CELLS),
  ) {
    this.#sliceMs = windowMs / SLICES;
  }

  /** Sum of all slices. */
  get total(): number {
    return this.cells[TOTAL] ?? 0;
  }

  /** Forgets what has left the window that ends at `time`, epoch milliseconds. A clock set back forgets nothing. */
  advance(time: number): void {
    const { cells } = this;
    const index = Math.floor(time / this.#sliceMs);
    const counted = cells[INDEX] ?? 0;
    if (index <= counted) return;
    if (index - counted >= PLACES) cells.fill(0);
    else {
      let total = cells[TOTAL] ?? 0;
      for (let next = counted + 1; next <= index; next += 1) {
        total -= cells[next % PLACES] ?? 0;
        cells[next % PLACES] = 0;
      }
      cells[TOTAL] = total;
    }
    cells[INDEX] = index;
  }

  /** Counts in the slice that `advance` came to. */
  add(amount: number): void {
    const { cells } = this;
    const at = (cells[INDEX] ?? 0) % PLACES;
    cells[at] = (cells[at] ?? 0) + amount;
    cells[TOTAL] = (cells[TOTAL] ?? 0) + amount;
  }

  /**
   * Counts one less: in the oldest slice that has any, which may leave the window before the one that was counted, never
   * after it. So what is given back never admits more than the limit.
   */
  takeBack(): void {
    const { cells } = this;
    const last = cells[INDEX] ?? 0;
    for (let index = Math.max(0, last - SLICES); index <= last; index += 1) {
      const count = cells[index % PLACES] ?? 0;
      if (count <= 0) continue;
      cells[index % PLACES] = count - 1;
      cells[TOTAL] = (cells[TOTAL] ?? 0) - 1;
      return;
    }
  }

  clear(): void {
    this.cells.fill(0);
  }

  /** The slices that count something, oldest first. */
  slices(): Slice[] {
    const slices: Slice[] = [];
    const last = this.cells[INDEX] ?? 0;
    for (let index = Math.max(0, last - SLICES); index <= last; index += 1) {
      const count = this.cells[index % PLACES] ?? 0;
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
