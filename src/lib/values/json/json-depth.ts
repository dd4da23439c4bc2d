const [QUOTE, BACKSLASH, LF, CR] = [34, 92, 10, 13];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

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
    const { most, isEvents } = this;
    // Locals: a private member costs as much as all else that is done for a byte.
    let [depth, isInString, isEscaped, lineEnds] = [this.#depth, this.#isInString, this.#isEscaped, this.#lineEnds];
    let last = this.#last;
    const { length } = part;
    for (let at = 0; at < length; at += 1) {
      const byte = part[at] ?? 0;
      if (isEvents && (byte === LF || byte === CR)) {
        if (byte === CR || last !== CR) lineEnds += 1;
        // An empty line ends an event; its data may have many lines.
        if (lineEnds > 1) {
          depth = 0;
          isInString = false;
          isEscaped = false;
        }
        last = byte;
        continue;
      }
      lineEnds = 0;
      last = byte;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        if (depth > most) return true;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    this.#lineEnds = lineEnds;
    this.#last = last;
    return false;
  }
}
