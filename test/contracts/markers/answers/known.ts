import type { Rule } from "./rule.ts";

/** Losses that are still to be repaired. */
export const KNOWN: readonly Rule[] = [
  {
    why: "What Claude's search found beyond what the answer cites, and that it failed, reaches only clients of Messages",
    at: { anthropic: /^content\[web_search_tool_result\]\.content/ },
  },
  {
    why: "Why a provider refused or stopped, in a sentence, is not sent to clients of other formats",
    at: { anthropic: /^stop_details\./, gemini: /^candidates\.finishMessage$|blockReasonMessage$/ },
  },
  {
    why: "Media of an interaction by their address, and media that no format but Google's has in answers",
    at: {
      "gemini-interactions": /content\[(video|document)\]|content\[(image|audio)\](\.uri)?$|summary\[image\]/,
      gemini: /\.audioTranscription\.\w+$/,
    },
  },
];
