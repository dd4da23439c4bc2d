import { parseJson, recordOf, textOf } from "../json.ts";

const OPENING = '{"input":"';
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads the text out of `{"input":"…"}` as it comes in pieces that may be cut anywhere, also inside an escape. Arguments
 * of another shape are held back until they are complete: then their `input` is told, or else they themselves.
 */
export class FreeText {
  #raw = "";
  /** How much of the opening is there; beyond it is the text. */
  #opened = 0;
  #state: "opening" | "text" | "over" | "strange" = "opening";
  /** An escape that is not complete. */
  #escape = "";
  /** The first half of a pair, which goes with its second. */
  #half = "";

  /** The text that a further piece of the arguments tells. */
  push(piece: string): string {
    let text = this.#half;
    if (this.#state === "strange") this.#raw += piece;
    for (let at = 0; at < piece.length; at++) {
      if (this.#state === "text") {
        const until = this.#escape === "" ? plainUntil(piece, at) : at;
        text += piece.slice(at, until);
        at = until;
        if (at < piece.length) text += this.#mark(piece[at] ?? "");
      } else if (this.#state === "opening") {
        // Of another shape: what follows is kept, to be read as a whole.
        if (!this.#opens(piece[at] ?? "")) this.#raw += piece.slice(at + 1);
      }
    }
    if (this.#state === "strange" && piece.trimEnd().endsWith("}") && recordOf(parseJson(this.#raw))) {
      text += this.end();
      this.#state = "over";
    }
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    return text.slice(0, text.length - this.#half.length);
  }

  /** What is still owed once the call is complete. */
  end(): string {
    if (this.#state === "text" || this.#state === "over") return this.#half;
    const input = recordOf(parseJson(this.#raw));
    if (!input) return this.#raw;
    if (input.input === undefined) return Object.keys(input).length === 0 ? "" : this.#raw;
    return textOf(input.input) ?? JSON.stringify(input.input);
  }

  #opens(letter: string): boolean {
    this.#raw += letter;
    if (/\s/.test(letter)) return true;
    const fits = letter === OPENING[this.#opened++];
    if (!fits) this.#state = "strange";
    else if (this.#opened === OPENING.length) this.#state = "text";
    return fits;
  }

  /** A letter that is not plain text: a quote, a backslash, or what follows one. */
  #mark(letter: string): string {
    if (this.#escape === "") {
      if (letter === '"') this.#state = "over";
      else this.#escape = letter;
      return "";
    }
    this.#escape += letter;
    if (this.#escape[1] === "u" && this.#escape.length < 6) return "";
    const [, kind = "", ...digits] = this.#escape;
    this.#escape = "";
    return kind === "u" ? String.fromCharCode(Number.parseInt(digits.join(""), 16)) : (ESCAPES[kind] ?? kind);
  }
}

/** Where the plain letters from here on end. */
function plainUntil(piece: string, from: number): number {
  const rest = piece.slice(from).search(/["\\]/);
  return rest < 0 ? piece.length : from + rest;
}
