import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import type { Speed } from "../../call/progress.ts";

/** Speeds by channel and model, in memory. */
export type Speeds = {
  observe(channelId: number, model: string, sample: Speed): void;
  /** Takes over the mean of calls that another worker of this host observed. */
  learn(channelId: number, model: string, mean: Speed, calls: number): void;
  /** Null: not measured, or too long ago. */
  find(channelId: number, model: string): Speed | null;
};

/** The weight of a new sample: about the last ten calls count. */
const SAMPLE_WEIGHT = 0.2;
/** Older figures say nothing about the present. */
const LIFE_MS = 10 * 60_000;
const MAX_ENTRIES = 10_000;

type Measured = { firstTokenMs: number | null; tokensPerSecond: number | null; at: number };

/** Measures how fast channels serve their models. `now`: epoch milliseconds. `onSample`: called with each of this process, if given. */
export function createSpeeds(
  now: () => number = Date.now,
  onSample?: (channelId: number, model: string, sample: Speed) => void,
): Speeds {
  const entries = recentEntries<string, Measured>(MAX_ENTRIES);
  const add = (channelId: number, model: string, sample: Speed, calls: number) => {
    const name = `${channelId} ${model}`;
    const at = now();
    const known = entries.get(name);
    if (!known || at - known.at >= LIFE_MS) {
      entries.set(name, { ...sample, at });
      return;
    }
    const weight = 1 - (1 - SAMPLE_WEIGHT) ** calls;
    known.firstTokenMs = average(known.firstTokenMs, sample.firstTokenMs, weight);
    known.tokensPerSecond = average(known.tokensPerSecond, sample.tokensPerSecond, weight);
    known.at = at;
  };
  return {
    observe(channelId, model, sample) {
      if (sample.firstTokenMs === null && sample.tokensPerSecond === null) return;
      add(channelId, model, sample, 1);
      onSample?.(channelId, model, sample);
    },
    learn: add,
    find(channelId, model) {
      const known = entries.get(`${channelId} ${model}`);
      return known && now() - known.at < LIFE_MS ? known : null;
    },
  };
}

function average(before: number | null, sample: number | null, weight: number): number | null {
  if (before === null || sample === null) return sample ?? before;
  return before + weight * (sample - before);
}
