import type { ReplyEvent } from "../../dialects/reply.ts";
import type { SensitiveWords } from "../../settings/sensitive-words.ts";
import type { StepFilter } from "./step-filter.ts";

/** What stands in place of a word that a site does not allow. */
const MASK = "**###**";
/** A pattern's match may be this long across the pieces of a stream. */
const PATTERN_REACH = 64;

/**
 * Keeps words that a site does not allow out of answers: masks them, or ends the answer at the first one. A word may be cut
 * anywhere between the pieces of a stream, so as much text is held back as the longest word needs.
 */
export function sensitiveAnswers({ words, patterns }: SensitiveWords, stops: boolean): () => StepFilter {
  const reach = Math.max(patterns.length > 0 ? PATTERN_REACH : 0, ...words.map((word) => word.length)) - 1;
  const found = (text: string): { at: number; length: number } | null => firstMatch(text, words, patterns);
  return () => {
    const held = new Map<number, string>();
    const ended = new Set<number>();
    const text = (choice: number, said: string): ReplyEvent[] =>
      said === "" ? [] : [{ type: "text", choice, text: said }];
    const release = (choice: number): ReplyEvent[] => {
      const rest = held.get(choice) ?? "";
      held.delete(choice);
      return text(choice, rest);
    };
    return (step) => {
      if (!("choice" in step)) return [step];
      const { choice } = step;
      if (ended.has(choice)) return [];
      if (step.type !== "text") return [...release(choice), step];
      let rest = (held.get(choice) ?? "") + step.text;
      let passed = "";
      for (let match = found(rest); match; match = found(rest)) {
        passed += rest.slice(0, match.at);
        if (stops) {
          held.delete(choice);
          ended.add(choice);
          return [...text(choice, passed), { type: "finish", choice, reason: "content_filter", native: "sensitive" }];
        }
        passed += MASK;
        rest = rest.slice(match.at + match.length);
      }
      const keep = Math.min(reach, rest.length);
      held.set(choice, rest.slice(rest.length - keep));
      return text(choice, passed + rest.slice(0, rest.length - keep));
    };
  };
}

function firstMatch(
  text: string,
  words: readonly string[],
  patterns: readonly RegExp[],
): { at: number; length: number } | null {
  const lowered = text.toLowerCase();
  let first: { at: number; length: number } | null = null;
  const take = (at: number, length: number) => {
    if (at >= 0 && length > 0 && (first === null || at < first.at)) first = { at, length };
  };
  for (const word of words) take(lowered.indexOf(word), word.length);
  for (const pattern of patterns) {
    const match = pattern.exec(text);
    if (match) take(match.index, match[0].length);
  }
  return first;
}
