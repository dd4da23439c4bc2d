import type { Citation } from "../../../formats/conversation/conversation.ts";
import { finishAfter } from "../../../formats/conversation/finish.ts";
import type { FinishReason } from "../../../formats/conversation/reply.ts";
import type { ReportedUsage } from "../../../formats/conversation/usage.ts";
import { countOf, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";

/** Cohere's finish reasons. */
export function finishOf(native: string | null, calls: number): FinishReason {
  const reason = native === "MAX_TOKENS" ? "length" : native === "ERROR" || native === "TIMEOUT" ? "error" : "stop";
  return finishAfter(reason, calls);
}

/** Reads usage: all tokens rather than the billed ones, which leave out what Cohere adds. */
export function usageOf(value: unknown): ReportedUsage | null {
  const usage = recordOf(value);
  const tokens = recordOf(usage?.tokens) ?? recordOf(usage?.billed_units);
  const promptTokens = countOf(tokens?.input_tokens);
  if (promptTokens === null) return null;
  return {
    promptTokens,
    completionTokens: countOf(tokens?.output_tokens) ?? 0,
    cachedTokens: countOf(usage?.cached_tokens) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
  };
}

/** Reads a citation by its first source with a URL or title. */
export function citationOf(citation: JsonObject): Citation {
  const documents = recordsOf(recordsOf(citation.sources).map(({ document }) => document));
  const document = documents.find(({ url, title }) => textOf(url) ?? textOf(title));
  return {
    url: textOf(document?.url),
    title: textOf(document?.title),
    citedText: textOf(citation.text),
    start: numberOf(citation.start),
    end: numberOf(citation.end),
  };
}

/** A call's arguments: nothing, or the text `null`, means none. */
export const argumentsOf = (value: unknown): string => {
  const text = textOf(value) ?? "";
  return text.trim() === "null" ? "" : text;
};
