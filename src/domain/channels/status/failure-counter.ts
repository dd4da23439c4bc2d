import type { SettingsReader } from "../../../settings/settings.ts";

/** When failures of a key are enough: so many of its last calls within a time. */
type Threshold = Readonly<{ failures: number; calls: number; withinMs: number }>;

/** The threshold that the options state; one failure suffices unless they say otherwise. */
export function thresholdOf(settings: SettingsReader): Threshold {
  const failures = settings.get("AutomaticDisableFailures");
  return {
    failures,
    calls: Math.max(failures, settings.get("AutomaticDisableCalls")),
    withinMs: settings.get("AutomaticDisableSeconds") * 1000,
  };
}

type Outcome = Readonly<{ atMs: number; failed: boolean }>;

/** Keys that are remembered; the oldest are forgotten first. */
const MOST_KEYS = 10_000;

/** Counts failures among the latest calls of each key, in this process. Keys that never failed are not remembered. */
export function createFailureCounter(readThreshold: () => Threshold, now: () => number = Date.now) {
  const outcomes = new Map<string, Outcome[]>();
  const nameOf = (channelId: number, key: string) => `${channelId} ${key}`;

  const add = (name: string, known: readonly Outcome[], failed: boolean, { calls, withinMs }: Threshold): Outcome[] => {
    const oldestMs = now() - withinMs;
    const latest = [...known, { atMs: now(), failed }].filter(({ atMs }) => atMs >= oldestMs).slice(-calls);
    outcomes.delete(name);
    if (latest.some((outcome) => outcome.failed)) outcomes.set(name, latest);
    return latest;
  };
  return {
    /** Notes a failure; returns true when there are enough, and resets the count. */
    failed(channelId: number, key: string): boolean {
      const threshold = readThreshold();
      if (threshold.failures <= 1) return true;
      const name = nameOf(channelId, key);
      const [oldest] = outcomes.keys();
      if (outcomes.size >= MOST_KEYS && oldest !== undefined) outcomes.delete(oldest);
      const latest = add(name, outcomes.get(name) ?? [], true, threshold);
      const isEnough = latest.filter(({ failed }) => failed).length >= threshold.failures;
      if (isEnough) outcomes.delete(name);
      return isEnough;
    },

    /** Notes a success, which matters only after a failure. */
    succeeded(channelId: number, key: string): void {
      if (outcomes.size === 0) return;
      const name = nameOf(channelId, key);
      const known = outcomes.get(name);
      if (known) add(name, known, false, readThreshold());
    },
  };
}
