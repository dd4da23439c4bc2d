import type { LinearPattern } from "../../../../lib/values/patterns/linear-pattern.ts";
import { type Detector, LOOK_BACK } from "./detector.ts";

/** Finds words, whatever their case, also inside other words. */
export function wordDetector(words: readonly string[], type = "WORD"): Detector {
  const lowered = words.map((word) => lowerInPlace(word.replaceAll("i\u0307", "i"))).filter((word) => word !== "");
  return {
    reach: Math.max(0, ...lowered.map((word) => word.length)),
    find(text, from) {
      const within = lowerInPlace(text);
      let start = -1;
      let length = 0;
      for (const word of lowered) {
        const at = within.indexOf(word, from);
        if (at < 0 || (start >= 0 && (at > start || (at === start && word.length <= length)))) continue;
        start = at;
        length = word.length;
      }
      return start < 0 ? null : { start, end: start + length, type };
    },
  };
}

/** The text in lower case, in as many code units: only the Turkish İ has a longer form. */
const lowerInPlace = (text: string): string => text.replaceAll("\u0130", "i").toLowerCase();

/** The longest match of a pattern: longer ones are none, so that a stream and the complete text agree. */
const PATTERN_REACH = 128;

/** Finds an operator's pattern in linear time. */
export function patternDetector(pattern: LinearPattern, type = "PATTERN"): Detector {
  return {
    reach: PATTERN_REACH,
    find(text, from, isFinal) {
      if (from === 0 && isFinal && !pattern.test(text)) return null;
      return findInWindows(pattern, text, from, isFinal, type);
    },
  };
}

/** Looks at windows of twice the reach, so that each step costs as much, however long the text and greedy the pattern. */
function findInWindows(pattern: LinearPattern, text: string, from: number, isFinal: boolean, type: string) {
  for (let at = from; at < text.length; ) {
    const left = Math.max(0, at - LOOK_BACK);
    const end = Math.min(text.length, at + 2 * PATTERN_REACH);
    const isLast = end === text.length;
    const match = pattern.find(text.slice(left, end), at - left);
    const start = match ? left + match.at : end;
    if (!match || (!isLast && start >= at + PATTERN_REACH)) {
      if (isLast) return null;
      at += PATTERN_REACH;
      continue;
    }
    if (match.length > 0 && match.length <= PATTERN_REACH) return { start, end: start + match.length, type };
    const length = match.length === 0 ? 0 : lengthWithin(pattern, text, start, isFinal);
    if (length > 0) return { start, end: start + length, type };
    at = start + 1;
  }
  return null;
}

/** The length of a match at `start` within the reach; 0: there is none. */
function lengthWithin(pattern: LinearPattern, text: string, start: number, isFinal: boolean): number {
  const left = Math.max(0, start - LOOK_BACK);
  const end = Math.min(text.length, start + PATTERN_REACH);
  const match = pattern.find(text.slice(left, end), start - left);
  if (match?.at !== start - left) return 0;
  // One that ends with the window may end there only because the text was cut.
  const touchesEnd = match.at + match.length === end - left && !(isFinal && end === text.length);
  return touchesEnd ? 0 : match.length;
}
