import type { Usage } from "../../../formats/conversation/reply.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import type { Call } from "../../call/call.ts";

/** How fast a channel serves a model: exponentially weighted averages of its latest calls. */
export type Speed = Readonly<{
  /** Null: not measured; only streams show it. */
  firstTokenMs: number | null;
  tokensPerSecond: number | null;
}>;

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
/** Fewer tokens or less time give no meaningful rate. */
const MIN_TOKENS = 4;
const MIN_OUTPUT_MS = 5;

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

/** The speed of a completed call: of its last attempt, from sending the request. */
export function speedOf({ attempts, timing, summary }: Call, { completionTokens }: Usage): Speed {
  const last = attempts.entries.at(-1);
  if (!last) return { firstTokenMs: null, tokensPerSecond: null };
  const firstByteMs = last.firstByteMs ?? timing.firstByteMs;
  const isStream = summary.stream && firstByteMs !== null;
  const beginMs = isStream ? firstByteMs : last.startMs;
  const endMs = isStream ? timing.elapsedMs : last.endMs;
  const hasRate = completionTokens >= MIN_TOKENS && endMs - beginMs >= MIN_OUTPUT_MS;
  return {
    firstTokenMs: isStream ? Math.max(0, firstByteMs - last.startMs) : null,
    tokensPerSecond: hasRate ? (completionTokens * 1000) / (endMs - beginMs) : null,
  };
}
