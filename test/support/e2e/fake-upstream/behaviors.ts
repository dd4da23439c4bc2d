import { DEFAULT_USAGE, TOOL_CALLS, type ToolCall, type Usage } from "./payloads.ts";

/** How the fake upstream answers a call; chosen by the model's name. Times are milliseconds. */
export type Behavior = Readonly<{
  /** HTTP status of an error answer; null: a normal answer. */
  errorStatus: number | null;
  usage: Usage | null;
  usageWithChoices: boolean;
  calls: readonly ToolCall[];
  gzip: boolean;
  /** Wait before the first byte. */
  firstByteMs: number;
  /** Number of words in a stream; null: the usual answer. */
  words: number | null;
  /** Wait between the chunks of a stream. */
  gapMs: number;
  /** What happens after some chunks: the stream goes on, dies without an end, falls silent, or waits for release(). */
  after: Readonly<{ chunks: number; next: "die" | "silence" | "hold" }> | null;
}>;

const NORMAL: Behavior = {
  errorStatus: null,
  usage: DEFAULT_USAGE,
  usageWithChoices: false,
  calls: [],
  gzip: false,
  firstByteMs: 0,
  words: null,
  gapMs: 0,
  after: null,
};

type Named = readonly [pattern: RegExp, change: (numbers: number[]) => Partial<Behavior>];

/** Model names with a meaning; every other name answers normally. */
const NAMES: readonly Named[] = [
  [/^err-(\d{3})$/, ([status = 500]) => ({ errorStatus: status })],
  [
    /^usage-(\d+)-(\d+)(?:-cached-(\d+))?$/,
    ([prompt = 0, completion = 0, cached]) => ({ usage: { prompt, completion, ...(cached ? { cached } : {}) } }),
  ],
  [/^no-usage$/, () => ({ usage: null })],
  [/^usage-with-choices$/, () => ({ usageWithChoices: true })],
  [/^tools$/, () => ({ calls: TOOL_CALLS })],
  [/^gzip$/, () => ({ gzip: true })],
  [/^slow-(\d+)$/, ([firstByteMs = 0]) => ({ firstByteMs })],
  [/^words-(\d+)$/, ([words = 0]) => ({ words })],
  [/^paced-(\d+)-(\d+)$/, ([words = 0, gapMs = 0]) => ({ words, gapMs })],
  [/^dies-after-(\d+)$/, ([chunks = 0]) => ({ after: { chunks, next: "die" } })],
  [/^silent-after-(\d+)$/, ([chunks = 0]) => ({ after: { chunks, next: "silence" } })],
  [/^hold-after-(\d+)$/, ([chunks = 0]) => ({ after: { chunks, next: "hold" } })],
];

/**
 * The behavior a model's name asks for: err-429, usage-1000-500, usage-1000-500-cached-800, no-usage,
 * usage-with-choices, tools, gzip, slow-1500 (ms to the first byte), words-100, paced-100-20 (words, ms between),
 * dies-after-3, silent-after-3 and hold-after-3 (chunks).
 */
export function behaviorOf(model: string): Behavior {
  for (const [pattern, change] of NAMES) {
    const match = pattern.exec(model);
    if (match)
      return {
        ...NORMAL,
        ...change(
          match
            .slice(1)
            .filter((part) => part !== undefined)
            .map(Number),
        ),
      };
  }
  return NORMAL;
}
