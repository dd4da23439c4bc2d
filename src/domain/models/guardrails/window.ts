import { type Detector, foldWidth, LOOK_BACK, type Match, scan } from "./detect/detector.ts";

/** A part of a text: as it was, or what a detector found in it. */
export type Piece = Readonly<{ text: string; match: Match | null }>;

/** The complete text in pieces. */
export const piecesOf = (text: string, detectors: readonly Detector[]): Piece[] =>
  cut(text, 0, text.length, scan(foldWidth(text), detectors));

/** The pieces of a text from one place to another. */
function cut(text: string, from: number, until: number, matches: readonly Match[]): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const match of matches) {
    if (match.start > at) pieces.push({ text: text.slice(at, match.start), match: null });
    pieces.push({ text: text.slice(match.start, match.end), match });
    at = match.end;
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
    const folded = foldWidth(text);
    let until = text.length;
    if (!isFinal) {
      for (const { reach, openFrom } of this.detectors)
        until = Math.min(until, openFrom ? openFrom(folded) : text.length - Math.max(0, reach - 1));
      // Half of a character is not sent, nor looked at.
      if (isLowSurrogate(text, until)) until -= 1;
      if (until <= offset) return this.#hold();
    }
    const matches = scan(folded, this.detectors, { from: offset, until, isFinal });
    const pieces = cut(text, offset, until, matches);
    const passed = Math.max(matches.at(-1)?.end ?? 0, until);
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
