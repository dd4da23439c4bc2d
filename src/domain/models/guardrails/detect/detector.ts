import type { Folded } from "./fold.ts";

/** A place in a folded text that a guardrail is about, in UTF-16 code units. `type`: what it is, as placeholders name it. */
export type Match = Readonly<{ start: number; end: number; type: string }>;

/**
 * Finds one kind of thing in a text. Whether it matches at a place depends on at most `reach` characters from there on and
 * `LOOK_BACK` before it, so that a stream gives the same matches as the complete text.
 */
export type Detector = Readonly<{
  /** The longest match. */
  reach: number;
  /**
   * How much of the end of an unfinished text may belong to a match that is not complete. Absent: `reach` characters.
   * Returns the place from which on a match may begin or go on.
   */
  openFrom?(text: string): number;
  /** The leftmost match at or after `from`. `isFinal`: nothing follows the text. */
  find(text: Folded, from: number, isFinal: boolean): Match | null;
}>;

/** How many characters before a match decide about it at most. */
export const LOOK_BACK = 64;

/** All matches from `from` on that begin before `until`: the leftmost first, the longest of those that begin alike; none overlap. */
export function scan(
  text: Folded,
  detectors: readonly Detector[],
  { from = 0, until = text.plain.length, isFinal = true } = {},
): Match[] {
  const found: Match[] = [];
  const next = detectors.map((detector) => detector.find(text, from, isFinal));
  for (;;) {
    let best: Match | null = null;
    for (const match of next) {
      if (!match || match.start >= until) continue;
      if (!best || match.start < best.start || (match.start === best.start && match.end > best.end)) best = match;
    }
    if (!best) return found;
    found.push(best);
    for (const [at, match] of next.entries()) {
      if (match && match.start < best.end) next[at] = detectors[at]?.find(text, best.end, isFinal) ?? null;
    }
  }
}

/**
 * A detector by an expression with the flags `gu` and bounded repetitions. `hint`: what a text without cannot match; `isOne` checks
 * what was found; `trims`: without its last groups it may be one.
 */
export const byExpression = (
  type: string,
  expression: RegExp,
  options: Readonly<{ reach: number; hint?: RegExp | string; isOne?: (text: string) => boolean; trims?: true }>,
): Detector => {
  const { reach, hint, isOne, trims } = options;
  const isWorthIt = (text: string, from: number): boolean =>
    hint === undefined || (typeof hint === "string" ? text.includes(hint, from) : hint.test(text));
  return {
    reach,
    openFrom: (text) => chainStart(text, reach),
    find(folded, from) {
      const text = folded.skeleton;
      if (!isWorthIt(text, from)) return null;
      expression.lastIndex = from;
      for (let match = expression.exec(text); match; match = expression.exec(text)) {
        let [complete] = match;
        while (trims && isOne && complete !== "" && !isOne(complete)) complete = complete.replace(LAST_GROUP, "");
        const end = match.index + complete.length;
        if (complete !== "" && (!isOne || isOne(complete)) && folded.looksAs(match.index, end))
          return { start: match.index, end, type };
        expression.lastIndex = match.index + 1;
      }
      return null;
    },
  };
};

/** The last digits of a number that is written in groups, with what parts them from those before. */
const LAST_GROUP = /(?:^|[^\d]+)\d+\)?$|^\D*$/;

/** A word that may be a part of something written with blanks: it has a digit, or is a short code in capitals. */
const LINK = /\d|^[A-Z]{1,4}$|^[-.()/+]{1,2}$/;

/**
 * Where the last chain of words begins: numbers and codes with single blanks between them, and the word that is not complete.
 * Nothing that an expression finds crosses its beginning; `reach` bounds it.
 */
export function chainStart(text: string, reach: number): number {
  const bound = Math.max(0, text.length - reach);
  let start = text.length;
  while (start > bound && !isBlank(text, start - 1)) start -= 1;
  for (;;) {
    const blank = start - 1;
    if (blank <= bound || !isBlank(text, blank)) return Math.max(start, bound);
    let word = blank;
    while (word > bound && !isBlank(text, word - 1)) word -= 1;
    if (word === blank || !LINK.test(text.slice(word, blank))) return start;
    start = word;
  }
}

const isBlank = (text: string, at: number): boolean => BLANK.test(text.charAt(at));
const BLANK = /\s/;
