import type { ReplyEvent } from "../../../formats/conversation/reply.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { promptTexts } from "../../../formats/openai-chat/request/summary.ts";
import type { SensitiveWords } from "../../../settings/sensitive-words.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { GatewayError } from "../errors.ts";
import type { StepFilter } from "./step-filter.ts";

/** Rejects a prompt that contains a word or pattern of SensitiveWords, if the check is enabled. Throws GatewayError. */
export function refuseBlockedWords(settings: SettingsReader, body: JsonObject): void {
  if (!settings.values.CheckSensitiveEnabled || !settings.values.CheckSensitiveOnPromptEnabled) return;
  const { words, patterns } = settings.values.SensitiveWords;
  if (words.length === 0 && patterns.length === 0) return;
  refuseWords({ words, patterns }, body, sensitiveWordsDetected);
}

const sensitiveWordsDetected = (): GatewayError =>
  new GatewayError(
    400,
    "sensitive_words_detected",
    { code: "gateway_sensitive" },
    {
      type: "invalid_request_error",
    },
  );

/** Throws the error of `refusal` for a prompt that contains one of the words or patterns. */
export function refuseWords({ words, patterns }: SensitiveWords, body: JsonObject, refusal: () => GatewayError): void {
  for (const text of promptTexts(body)) {
    const lowered = words.length > 0 ? text.toLowerCase() : "";
    for (const word of words) if (lowered.includes(word)) throw refusal();
    for (const pattern of patterns) if (pattern.test(text)) throw refusal();
  }
}

/** Replaces a forbidden word. */
const MASK = "**###**";
/** The longest match of a pattern that is found across the chunks of a stream. */
const PATTERN_REACH = 64;

/** An event with text for people; tool inputs are for programs and stay unchanged. */
type TextEvent = Extract<ReplyEvent, { type: "text" | "refusal" | "reasoning" }>;

/** The filters for responses according to the site's settings; empty if responses are not checked. */
export function responseFilters(settings: SettingsReader): readonly (() => StepFilter)[] {
  if (!settings.values.CheckSensitiveEnabled || !settings.values.CheckSensitiveOnCompletionEnabled) return [];
  const words = settings.values.SensitiveWords;
  if (words.words.length + words.patterns.length === 0) return [];
  return [responseWordFilter(words, settings.values.StopOnSensitiveEnabled)];
}

/**
 * Masks forbidden words in answers and reasoning, or ends the response at the first one. A word may be split anywhere
 * across chunks, so the filter holds back as much text as the longest word needs.
 */
export function responseWordFilter({ words, patterns }: SensitiveWords, stops: boolean): () => StepFilter {
  const reach = Math.max(patterns.length > 0 ? PATTERN_REACH : 0, ...words.map((word) => word.length)) - 1;
  const found = (text: string): { at: number; length: number } | null => firstMatch(text, words, patterns);
  return () => {
    const held = new Map<number, TextEvent>();
    const ended = new Set<number>();
    /** Choices whose current reasoning was masked: its signature no longer matches. */
    const masked = new Set<number>();
    const saying = (like: TextEvent, text: string): ReplyEvent[] => (text === "" ? [] : [{ ...like, text }]);
    const release = (choice: number): ReplyEvent[] => {
      const rest = held.get(choice);
      held.delete(choice);
      return rest ? [rest] : [];
    };
    const filtered = (step: TextEvent): ReplyEvent[] => {
      const { choice } = step;
      const before = held.get(choice);
      const continues = before?.type === step.type;
      const released = continues ? [] : release(choice);
      let rest = (continues ? before.text : "") + step.text;
      let passed = "";
      for (let match = found(rest); match; match = found(rest)) {
        passed += rest.slice(0, match.at);
        if (stops) {
          held.delete(choice);
          ended.add(choice);
          const finish = { type: "finish", choice, reason: "content_filter", native: "sensitive" } as const;
          return [...released, ...saying(step, passed), finish];
        }
        if (step.type === "reasoning") masked.add(choice);
        passed += MASK;
        rest = rest.slice(match.at + match.length);
      }
      const keep = Math.min(reach, rest.length);
      if (keep > 0) held.set(choice, { ...step, text: rest.slice(rest.length - keep) });
      else held.delete(choice);
      return [...released, ...saying(step, passed + rest.slice(0, rest.length - keep))];
    };
    return (step) => {
      if (!("choice" in step)) return [step];
      const { choice } = step;
      if (ended.has(choice)) return [];
      // Log probabilities contain the very words to filter.
      if (step.type === "text") return filtered({ type: "text", choice, text: step.text });
      if (step.type === "refusal" || step.type === "reasoning") return filtered(step);
      if (step.type === "signature" && masked.delete(choice)) return release(choice);
      return [...release(choice), step];
    };
  };
}

function firstMatch(
  text: string,
  words: readonly string[],
  patterns: SensitiveWords["patterns"],
): { at: number; length: number } | null {
  const lowered = text.toLowerCase();
  let first: { at: number; length: number } | null = null;
  const take = (at: number, length: number) => {
    if (at >= 0 && length > 0 && (first === null || at < first.at)) first = { at, length };
  };
  for (const word of words) take(lowered.indexOf(word), word.length);
  for (const pattern of patterns) {
    const match = pattern.find(text);
    if (match) take(match.at, match.length);
  }
  return first;
}
