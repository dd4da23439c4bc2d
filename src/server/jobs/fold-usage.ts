import type { Database } from "../../../db/types.ts";
import { foldUsage } from "../../domain/logs/usage/fold-usage.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { SettingsReader } from "../../settings/settings.ts";

type FoldDeps = Readonly<{ database: Database; settings: SettingsReader }>;

const HOUR_S = 3600;
/** Calls of an hour that go on into the next are mostly over by then. */
const LATE_S = 600;
/** Between two steps other queries run. */
const STEP_PAUSE_MS = 200;

/**
 * Returns what adds the hours that are over to the totals that charts of long ranges read, once `DataExportInterval` minutes
 * have passed since its last run.
 */
export function createUsageFold({ database, settings }: FoldDeps): (signal: AbortSignal) => Promise<void> {
  let lastAt = 0;
  return async (signal) => {
    if (!isFoldDue(lastAt, settings, Date.now())) return;
    while (!signal.aborted && (await foldUsage(database, lastHour()))) await Bun.sleep(STEP_PAUSE_MS);
    lastAt = Date.now();
  };
}

/** Whether the interval, as it is set now, has passed since `lastAt`; both in epoch milliseconds. */
export const isFoldDue = (lastAt: number, settings: SettingsReader, now: number): boolean =>
  now >= lastAt + settings.get("DataExportInterval") * 60_000;

function lastHour(): number {
  const time = nowSeconds() - LATE_S;
  return time - (time % HOUR_S);
}
