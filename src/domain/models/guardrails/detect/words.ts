import type { LinearPattern } from "../../../../lib/values/patterns/linear-pattern.ts";
import { type Detector, LOOK_BACK } from "./detector.ts";
import { type Folded, fold, skeletonOf } from "./fold.ts";

/** Finds words, whatever their case, also inside other words. */
export function wordDetector(words: readonly string[], type = "WORD"): Detector {
  const needles = words.map((word) => needleOf(word)).filter(({ plain }) => plain !== "");
  const searches = new WeakMap<Folded, WordSearch>();
  return {
    reach: Math.max(0, ...needles.map(({ plain }) => plain.length)),
    find(text, from) {
      let search = searches.get(text);
      if (!search || search.from > from) search = new WordSearch(text, needles);
      searches.set(text, search);
      const found = search.next(from);
      return found && { ...found, type };
    },
  };
}

/** A word as it stands in lower case, and as it looks. */
type Needle = Readonly<{ plain: string; skeleton: string }>;

function needleOf(word: string): Needle {
  const folded = fold(word.replaceAll("i\u0307", "i"));
  return { plain: lowerInPlace(folded.plain), skeleton: lowerInPlace(skeletonOf(folded.plain)) };
}

/** Where a needle stands next. */
type Place = { readonly needle: string; readonly isSkeleton: boolean; at: number };

/** A search for all words in one text: every word goes through the text once, however many others match. */
class WordSearch {
  from = 0;
  readonly #plain: string;
  readonly #skeleton: string | null;
  /** The places of the words that stand in the rest of the text, as a heap: the leftmost first, of equal ones the longest. */
  readonly #places: Place[] = [];

  constructor(
    private readonly text: Folded,
    needles: readonly Needle[],
  ) {
    this.#plain = lowerInPlace(text.plain);
    this.#skeleton = text.skeleton === text.plain ? null : lowerInPlace(text.skeleton);
    for (const { plain, skeleton } of needles) {
      this.#add({ needle: plain, isSkeleton: false, at: -1 });
      if (this.#skeleton !== null) this.#add({ needle: skeleton, isSkeleton: true, at: -1 });
    }
  }

  /** The leftmost word at or after `from`, of those that begin there the longest. */
  next(from: number): Readonly<{ start: number; end: number }> | null {
    this.from = from;
    for (let first = this.#places[0]; first; first = this.#places[0]) {
      const end = first.at + first.needle.length;
      if (first.at >= from && (!first.isSkeleton || this.text.looksAs(first.at, end))) return { start: first.at, end };
      this.#removeFirst();
      this.#add(first, from);
    }
    return null;
  }

  /** Looks for the next place of a word. */
  #add(place: Place, from = 0): void {
    const text = place.isSkeleton ? this.#skeleton : this.#plain;
    place.at = text?.indexOf(place.needle, Math.max(from, place.at + 1)) ?? -1;
    if (place.at < 0) return;
    const heap = this.#places;
    let at = heap.push(place) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(place, heap[parent]); parent = (at - 1) >> 1) {
      swap(heap, at, parent);
      at = parent;
    }
  }

  #removeFirst(): void {
    const heap = this.#places;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = isBefore(heap[right], heap[left]) ? right : left;
      if (!isBefore(heap[child], heap[at])) return;
      swap(heap, at, child);
      at = child;
    }
  }
}

const isBefore = (a: Place | undefined, b: Place | undefined): boolean =>
  a !== undefined && (b === undefined || a.at < b.at || (a.at === b.at && a.needle.length > b.needle.length));

function swap(heap: Place[], a: number, b: number): void {
  const [one, other] = [heap[a], heap[b]];
  if (one && other) [heap[a], heap[b]] = [other, one];
}

/** The text in lower case, in as many code units: only the Turkish İ has a longer form. */
const lowerInPlace = (text: string): string => text.replaceAll("\u0130", "i").toLowerCase();

/** The longest match of a pattern: longer ones are none, so that a stream and the complete text agree. */
const PATTERN_REACH = 128;

/** Finds an operator's pattern in linear time. */
export function patternDetector(pattern: LinearPattern, type = "PATTERN"): Detector {
  return {
    reach: PATTERN_REACH,
    find({ plain: text }, from, isFinal) {
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
