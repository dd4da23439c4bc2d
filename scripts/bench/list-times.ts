import type { Session } from "../e2e/console-client.ts";
import { median } from "./statistics.ts";

/** One thing that somebody opens: a call, and how long it may take. */
export type ListProbe = Readonly<{ name: string; session: Session; path: string; limitMs: number }>;

/** Asks `rounds` times: the first answer's time and the median of all. Throws when an answer is not a success. */
export async function measureList(
  { session, path }: ListProbe,
  rounds: number,
): Promise<{ firstMs: number; medianMs: number }> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await session.get(path);
    times.push(performance.now() - began);
  }
  return { firstMs: times[0] ?? Number.NaN, medianMs: median(times) };
}
