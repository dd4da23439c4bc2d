import type { Database } from "../../../db/types.ts";
import { foldUsage } from "../../domain/logs/usage/fold-usage.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { every } from "./every.ts";

type JobDeps = Readonly<{ database: Database; settings: SettingsReader; log: Logger }>;

const LOOK_EVERY_MS = 60_000;
const HOUR_S = 3600;
/** Calls of an hour that go on into the next are mostly over by then. */
const LATE_S = 600;
/** Between two steps others get their turn. */
const BREATH_MS = 200;

/**
 * Adds the hours that are over to the totals that charts of long ranges read: at the start, then every
 * `DataExportInterval` minutes. Returns what ends it.
 */
export function startFoldJob({ database, settings, log }: JobDeps): () => void {
  let ended = false;
  let lastAt = 0;
  const fold = async () => {
    if (!isFoldDue(lastAt, settings, Date.now())) return;
    while (!ended && (await foldUsage(database, lastHour()))) await Bun.sleep(BREATH_MS);
    lastAt = Date.now();
  };
  const failed = (error: unknown) => log.warn({ error }, "usage could not be added up");
  const first = setTimeout(() => fold().catch(failed), BREATH_MS);
  first.unref();
  const end = every(LOOK_EVERY_MS, fold, failed);
  return () => {
    ended = true;
    clearTimeout(first);
    end();
  };
}

/** Whether the interval, as it is set now, has passed since `lastAt`; both in epoch milliseconds. */
export const isFoldDue = (lastAt: number, settings: SettingsReader, now: number): boolean =>
  now >= lastAt + settings.get("DataExportInterval") * 60_000;

function lastHour(): number {
  const time = nowSeconds() - LATE_S;
  return time - (time % HOUR_S);
}
