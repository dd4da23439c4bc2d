/** Long work on the database is done in slices that take about this long, with rests, so that others come in between. */
const SLICE_MS = 50;
const [FEWEST_ROWS, FIRST_ROWS, MOST_ROWS] = [50, 500, 2000];
/** A slice that had to wait, for a lock or a disk, is no reason to rest for longer. */
const LONGEST_REST_MS = 1000;

export type Pace = Readonly<{
  /** How many rows the next slice has. */
  readonly rows: number;
  /** Does a slice, and rests as long as it took. Rejects as `slice` does. */
  run<Result>(slice: (rows: number) => PromiseLike<Result>): Promise<Result>;
}>;

/** Slices of rows, which become larger or smaller until one takes 50 ms. */
export function createPace(): Pace {
  let rows = FIRST_ROWS;
  return {
    get rows() {
      return rows;
    },
    async run(slice) {
      const startedAt = performance.now();
      const result = await slice(rows);
      const tookMs = performance.now() - startedAt;
      rows = Math.round(Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, (rows * SLICE_MS) / tookMs)));
      await rest(tookMs);
      return result;
    },
  };
}

/** Does a slice of fixed size, and rests as long as it took. Rejects as `slice` does. */
export async function rested<Result>(slice: () => PromiseLike<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await slice();
  await rest(performance.now() - startedAt);
  return result;
}

const rest = (tookMs: number): Promise<void> => Bun.sleep(Math.min(LONGEST_REST_MS, tookMs));
