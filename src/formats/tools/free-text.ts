import { parseJson, recordOf, textOf } from "../json.ts";

const OPENING = '{"input":"';
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Extracts the text from `{"input":"…"}` while it streams in fragments that may be split anywhere, even inside an
 * escape. Arguments of another shape are buffered until complete: then their `input` is emitted, or else the arguments
 * themselves.
 */
export class FreeText {
  #raw = "";
  /** How many characters of the opening have arrived; the text follows it. */
  #opened = 0;
  #state: "opening" | "text" | "over" | "strange" = "opening";
  /** An incomplete escape. */
  #escape = "";
  /** The first half of a surrogate pair, emitted with the second. */
  #half = "";

  /** The text that a further fragment adds. */
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
        // Another shape: buffers the rest, to parse it when complete.
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

  /** The remaining text when the call is complete. */
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

  /** Handles a character that is not plain text: a quote, a backslash, or what follows one. */
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

/** Index of the first character from here that is not plain. */
function plainUntil(piece: string, from: number): number {
  const rest = piece.slice(from).search(/["\\]/);
  return rest < 0 ? piece.length : from + rest;
}
