/** A form's body is not what its content type promises. */
export class MalformedForm extends Error {
  override name = "MalformedForm";
}

/** A part of a form: its header lines, and where its content begins and ends in the body. */
export type ScannedPart = Readonly<{ head: string; start: number; end: number }>;

const LINE_END = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");
const MOST_HEAD_BYTES = 16_384;
const MOST_PARTS = 200;

/**
 * Finds the parts of a multipart body (RFC 7578), piece by piece; keeps no more of it than might begin a boundary.
 * Our own, because libraries neither say where a part lies in the body nor refuse a part with two headers of one name.
 */
export class MultipartScanner {
  readonly parts: ScannedPart[] = [];
  readonly #delimiter: Buffer;
  /** The first boundary has no line end before it. */
  #rest: Buffer = LINE_END;
  /** Where `#rest` begins in the body. */
  #at = -LINE_END.length;
  #state: "preamble" | "boundary" | "head" | "content" | "epilogue" = "preamble";
  #part = { head: "", start: 0 };

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** Takes a piece of the body; it may be written over afterwards. Throws MalformedForm. */
  push(piece: Uint8Array): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    while (this.#step()) if (this.parts.length > MOST_PARTS) throw new MalformedForm("it has too many parts");
  }

  /** The body is over. Throws MalformedForm when the last boundary did not come. */
  end(): void {
    if (this.#state !== "epilogue") throw new MalformedForm("it ends too early");
  }

  /** Goes on to the next state; false: more of the body is needed for it. */
  #step(): boolean {
    const rest = this.#rest;
    switch (this.#state) {
      case "preamble":
        return this.#pass(this.#delimiter, () => {
          this.#state = "boundary";
        });
      case "boundary":
        if (rest.length < 2) return false;
        if (rest.toString("latin1", 0, 2) === "--") {
          this.#state = "epilogue";
          return true;
        }
        // The line end stays, so that a part without any header has an end of its head too.
        return this.#until(LINE_END, (at) => {
          this.#drop(at);
          this.#state = "head";
        });
      case "head":
        return this.#until(HEAD_END, (at) => {
          const head = rest.toString("utf8", LINE_END.length, at);
          this.#drop(at + HEAD_END.length);
          this.#part = { head, start: this.#at };
          this.#state = "content";
        });
      case "content":
        return this.#pass(this.#delimiter, (end) => {
          this.parts.push({ ...this.#part, end });
          this.#state = "boundary";
        });
      case "epilogue":
        this.#drop(rest.length);
        return false;
    }
  }

  /** Looks for a mark in what may be long, and goes on behind it. */
  #pass(mark: Buffer, found: (position: number) => void): boolean {
    const at = this.#rest.indexOf(mark);
    if (at < 0) {
      this.#drop(Math.max(0, this.#rest.length - mark.length + 1));
      return false;
    }
    found(this.#at + at);
    this.#drop(at + mark.length);
    return true;
  }

  /** Looks for a mark in what is short. */
  #until(mark: Buffer, found: (at: number) => void): boolean {
    const at = this.#rest.indexOf(mark);
    if (at >= 0) found(at);
    else if (this.#rest.length > MOST_HEAD_BYTES) throw new MalformedForm("a part's header is too long");
    return at >= 0;
  }

  #drop(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes);
    this.#at += bytes;
  }
}
