import type { Workload } from "./load.ts";

/** Model names by which the upstream of the benchmark knows what to answer. */
export const MODELS = {
  json: "bench-json",
  delayed: "bench-delay",
  burst: "bench-burst",
  paced: "bench-paced",
  anthropic: "bench-claude",
  gemini: "bench-gemini",
  slow: "bench-slow",
} as const;

export const BURST_WORDS = 100;
export const PACED_WORDS = 64;
export const PACE_MS = 20;
export const DELAY_MS = 20;
/** A stream that lasts, so that thousands are open at the same time. */
export const SLOW_WORDS = 40;
export const SLOW_PACE_MS = 250;

/** Frames of a stream besides its words: the opening, the finish reason, the usage and [DONE]. */
const EXTRA_FRAMES = 4;
/** A translated stream opens with its first word. */
const TRANSLATED_EXTRA_FRAMES = 3;

const PATH = "/v1/chat/completions";
const QUESTION = "Explain in a few sentences how a lock lets ships climb a river, and what a sluice has to do with it.";

/** A chat call of ordinary size; streams ask for usage, as official clients and tools that bill do. */
function chat(model: string, words: number | null, frames = EXTRA_FRAMES): Pick<Workload, "path" | "body" | "expect"> {
  const messages = [
    { role: "system", content: "You answer briefly and precisely." },
    { role: "user", content: QUESTION },
  ];
  const stream = words === null ? {} : { stream: true, stream_options: { include_usage: true } };
  return {
    path: PATH,
    body: JSON.stringify({ model, messages, temperature: 0.2, max_tokens: 200, ...stream }),
    expect: { events: words === null ? 0 : words + frames },
  };
}

export const WORKLOADS = {
  json: { name: "non-streamed", ...chat(MODELS.json, null) },
  delayed: { name: `non-streamed, ${DELAY_MS} ms upstream`, ...chat(MODELS.delayed, null) },
  burst: { name: `stream of ${BURST_WORDS} chunks`, ...chat(MODELS.burst, BURST_WORDS) },
  paced: { name: `stream, ${PACED_WORDS} chunks each ${PACE_MS} ms`, ...chat(MODELS.paced, PACED_WORDS) },
  anthropic: {
    name: `stream of ${BURST_WORDS} chunks from Anthropic's format`,
    ...chat(MODELS.anthropic, BURST_WORDS, TRANSLATED_EXTRA_FRAMES),
  },
  gemini: {
    name: `stream of ${BURST_WORDS} chunks from Gemini's format`,
    ...chat(MODELS.gemini, BURST_WORDS, TRANSLATED_EXTRA_FRAMES),
  },
  slow: {
    name: `slow translated stream, ${SLOW_WORDS} chunks each ${SLOW_PACE_MS} ms`,
    ...chat(MODELS.slow, SLOW_WORDS, TRANSLATED_EXTRA_FRAMES),
  },
} as const satisfies Record<string, Workload>;

/** What the floor hands through where a gateway translates. */
export const FLOOR_OF: Readonly<Record<string, string>> = {
  [WORKLOADS.anthropic.name]: WORKLOADS.burst.name,
  [WORKLOADS.gemini.name]: WORKLOADS.burst.name,
};
