import type { Session } from "../../../test/support/e2e/console-client.ts";
import { mainThreadMicroseconds } from "../process-stats.ts";
import { median } from "../report/statistics.ts";

/** One thing that somebody opens: a call, and how long it may take. */
export type ListProbe = Readonly<{ name: string; session: Session; path: string; limitMs: number }>;

/**
 * Asks `rounds` times: the first answer's time, the median of all, and how long the event loop of the gateway (`pids`) was
 * busy with one of them, during which calls wait. Throws when an answer is not a success.
 */
export async function measureList(
  { session, path }: ListProbe,
  rounds: number,
  pids: readonly number[],
): Promise<{ firstMs: number; medianMs: number; loopMs: number }> {
  const times: number[] = [];
  const busy = () => pids.reduce((sum, pid) => sum + mainThreadMicroseconds(pid), 0);
  const before = busy();
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await session.get(path);
    times.push(performance.now() - began);
  }
  const loopMs = (busy() - before) / 1000 / rounds;
  return { firstMs: times[0] ?? Number.NaN, medianMs: median(times), loopMs };
}
