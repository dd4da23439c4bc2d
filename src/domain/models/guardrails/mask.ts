import type { Guardrail } from "./compile.ts";
import type { Detector, Match } from "./detect/detector.ts";
import { encodedTexts } from "./detect/encoded.ts";
import { maskAcrossParts } from "./joined-parts.ts";
import { mapInJson, mapTexts } from "./map-texts.ts";
import { piecesOf } from "./window.ts";

/** Tells by whose detector a match was found. */
export class MatchOwners {
  readonly #owners = new WeakMap<Match, Guardrail>();

  /** The detectors of a guardrail, whose matches are its own. */
  detectorsOf(guardrail: Guardrail): Detector[] {
    return guardrail.detectors.map((detector) => ({
      ...detector,
      find: (text, from, isFinal) => {
        const match = detector.find(text, from, isFinal);
        if (match) this.#owners.set(match, guardrail);
        return match;
      },
    }));
  }

  of(match: Match): Guardrail | undefined {
    return this.#owners.get(match);
  }
}

/** Replaces what detectors find. */
export class Masker {
  /** `replace`: what stands in a match's place. */
  constructor(
    private readonly detectors: readonly Detector[],
    private readonly replace: (text: string, match: Match) => string,
  ) {}

  /** The text with its matches replaced, also of a text that is JSON, where escapes hide them and numbers have no quotes. */
  mask(text: string): string {
    const masked = mapInJson(text, (inner) => this.#plain(inner));
    // A member that stands there twice is seen in the text alone.
    return masked === text ? this.#plain(text) : masked;
  }

  /** A request or conversation with every text masked. */
  maskAll<T>(value: T): T {
    const joined = maskAcrossParts(value, this.detectors, this.replace);
    // A value of the same shape: only texts in it differ.
    return mapTexts(joined, (text) => this.mask(text)) as T;
  }

  #plain(text: string): string {
    const pieces = piecesOf(text, this.detectors);
    const masked = pieces.map(({ text: piece, match }) => (match ? this.replace(piece, match) : this.#encoded(piece)));
    return pieces.length === 1 ? (masked[0] ?? text) : masked.join("");
  }

  /** A text in which nothing was found, without what is found in it in base64. */
  #encoded(text: string): string {
    let masked = "";
    let at = 0;
    for (const { start, end, text: inner } of encodedTexts(text)) {
      const found = piecesOf(inner, this.detectors).find(({ match }) => match !== null)?.match;
      if (!found) continue;
      masked += text.slice(at, start) + this.replace(text.slice(start, end), found);
      at = end;
    }
    return at === 0 ? text : masked + text.slice(at);
  }
}
