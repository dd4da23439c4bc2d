const [QUOTE, BACKSLASH, LF, CR] = [34, 92, 10, 13];
const OPENS = new Uint8Array(256);
const CLOSES = new Uint8Array(256);
for (const sign of "[{") OPENS[sign.charCodeAt(0)] = 1;
for (const sign of "]}") CLOSES[sign.charCodeAt(0)] = 1;

/** Follows how deep the JSON in a stream of bytes is nested: of one text, or of the data of events (`isEvents`). */
export class JsonDepth {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #lineEnds = 0;
  #last = 0;

  constructor(
    private readonly most: number,
    private readonly isEvents: boolean,
  ) {}

  /** Whether `part`, which follows the ones before, is nested deeper than it may be. */
  exceeds(part: Uint8Array): boolean {
    for (const byte of part) {
      if (this.isEvents) this.#readLineEnd(byte);
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
        continue;
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (OPENS[byte] === 1) {
        this.#depth += 1;
        if (this.#depth > this.most) return true;
      } else if (CLOSES[byte] === 1) this.#depth -= 1;
    }
    return false;
  }

  /** An empty line ends an event; its data may have many lines. */
  #readLineEnd(byte: number): void {
    const isEnd = byte === CR || (byte === LF && this.#last !== CR);
    if (isEnd) this.#lineEnds += 1;
    else if (byte !== LF) this.#lineEnds = 0;
    this.#last = byte;
    if (this.#lineEnds < 2) return;
    this.#depth = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }
}
