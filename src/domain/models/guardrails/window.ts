import { type Detector, LOOK_BACK, type Match, scan } from "./detect/detector.ts";
import { type Folded, fold, stableLength } from "./detect/fold.ts";

/** A part of a text: as it was, or what a detector found in it. */
export type Piece = Readonly<{ text: string; match: Match | null }>;

/** The complete text in pieces. */
export function piecesOf(text: string, detectors: readonly Detector[]): Piece[] {
  const folded = fold(text);
  return cut(text, folded, 0, text.length, scan(folded, detectors));
}

/** The pieces of a text from one place to another. */
function cut(text: string, folded: Folded, from: number, until: number, matches: readonly Match[]): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const match of matches) {
    const [start, end] = [folded.startOf(match.start), folded.endOf(match.end)];
    if (start > at) pieces.push({ text: text.slice(at, start), match: null });
    pieces.push({ text: text.slice(start, end), match });
    at = end;
  }
  if (until > at) pieces.push({ text: text.slice(at, until), match: null });
  return pieces;
}

/**
 * Looks for matches in a text that comes in parts. What it gives is the same, however the text was divided: it holds back the end of
 * the text as far as a match may begin there or go on.
 */
export class TextWindow {
  /** The characters before `#held`, which decide about matches in it. */
  #before = "";
  #held = "";
  /** The most characters that were held back at a time. */
  longestHold = 0;

  constructor(private readonly detectors: readonly Detector[]) {}

  /** Takes a part; returns what no later one can change. */
  push(text: string): Piece[] {
    this.#held += text;
    return this.#release(false);
  }

  /** The rest of the text. */
  end(): Piece[] {
    return this.#release(true);
  }

  /** How many characters it holds back. */
  get heldLength(): number {
    return this.#held.length;
  }

  #release(isFinal: boolean): Piece[] {
    if (this.#held === "") return [];
    const offset = this.#before.length;
    const text = this.#before + this.#held;
    const folded = fold(isFinal ? text : text.slice(0, stableLength(text)));
    const { length } = folded.plain;
    const from = folded.indexAt(offset);
    let open = length;
    if (!isFinal) {
      for (const { reach, openFrom } of this.detectors)
        open = Math.min(open, openFrom ? openFrom(folded.plain) : length - Math.max(0, reach - 1));
      // Half of a character is not sent, nor looked at.
      if (isLowSurrogate(folded.plain, open)) open -= 1;
      if (open <= from) return this.#hold();
    }
    const matches = scan(folded, this.detectors, { from, until: open, isFinal });
    const until = isFinal ? text.length : folded.startOf(open);
    const pieces = cut(text, folded, offset, until, matches);
    const passed = Math.max(folded.endOf(matches.at(-1)?.end ?? 0), until);
    this.#before = text.slice(Math.max(0, passed - LOOK_BACK), passed);
    this.#held = text.slice(passed);
    this.#hold();
    return pieces;
  }

  #hold(): Piece[] {
    this.longestHold = Math.max(this.longestHold, this.#held.length);
    return [];
  }
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
