import type { Database } from "../../../db/types.ts";
import { foldUsage } from "../../domain/logs/usage/totals/fold-usage.ts";
import { nowSeconds } from "../../lib/clock.ts";

const HOUR_S = 3600;
/** Calls of an hour that go on into the next are mostly over by then. */
const LATE_S = 600;
/** Between two steps other queries run. */
const STEP_PAUSE_MS = 200;

/** Adds the hours that are over to the totals that charts of long ranges read; ends early when `signal` is aborted. */
export async function foldFinishedHours(database: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await foldUsage(database, lastHour()))) await Bun.sleep(STEP_PAUSE_MS);
}

function lastHour(): number {
  const time = nowSeconds() - LATE_S;
  return time - (time % HOUR_S);
}
