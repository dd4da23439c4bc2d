import { directStream, type StreamedBody } from "./streamed-body.ts";

/** A body beyond this size is sent without being written in memory; smaller ones take less time at once. */
export const LARGE_BYTES = 1_048_576;

/** From this size on a string of JSON is sent in parts; characters. */
export const LONG_STRING = 65_536;

/** A text on its way out: as it is, or `escapes` as in a string of JSON, without quotation marks. `length`: bytes that are sent. */
type Piece = Readonly<{ text: string; escapes: boolean; length: number }>;

/** The body that consists of these texts, which are the JSON of `value`. */
export const bodyOfTexts = (texts: readonly string[], value: unknown): StreamedBody => bodyOf(texts.map(asIs), value);

/**
 * Writes JSON whose long strings are never written in memory: a mark stands for each, and the stream of the body writes the
 * strings part by part, as JSON.stringify writes them.
 */
export class LongStrings {
  readonly #mark = crypto.randomUUID();
  readonly #strings: string[] = [];

  /** As JSON.stringify, with marks in place of long strings; equal strings have the same mark. */
  readonly stringify = (value: unknown): string =>
    JSON.stringify(value, (_name, each: unknown) =>
      typeof each === "string" && each.length >= LONG_STRING ? this.#markOf(each) : each,
    );

  /** Whether a text is part of a long string. */
  contain(text: string): boolean {
    return this.#strings.some((long) => long.includes(text));
  }

  /** The body of which `text` is what `stringify` made of `value`. */
  body(text: string, value: unknown): StreamedBody {
    const long = this.#strings.map(asString);
    // Texts alternate with the numbers of strings.
    const texts = text.split(new RegExp(`${this.#mark}:(\\d+)`));
    return bodyOf(
      texts.map((each, at) => (at % 2 === 1 && long[Number(each)]) || asIs(each)),
      value,
    );
  }

  #markOf(text: string): string {
    const known = this.#strings.indexOf(text);
    return `${this.#mark}:${known < 0 ? this.#strings.push(text) - 1 : known}`;
  }
}

const asIs = (text: string): Piece => ({ text, escapes: false, length: Buffer.byteLength(text) });

/** What JSON writes as it is, a byte a character. */
const PLAIN = /^[ !#-[\]-~]*$/;

function asString(text: string): Piece {
  if (PLAIN.test(text)) return { text, escapes: false, length: text.length };
  let length = 0;
  for (const part of cut(text)) length += Buffer.byteLength(escaped(part));
  return { text, escapes: true, length };
}

const bodyOf = (pieces: readonly Piece[], json: unknown): StreamedBody => ({
  contentType: "application/json",
  contentLength: pieces.reduce((sum, { length }) => sum + length, 0),
  json,
  stream: () => directStream((controller) => send(pieces, controller)),
});

const encoder = new TextEncoder();
/** UTF-8 takes at most so many bytes for a code unit. */
const UNIT_BYTES = 3;

async function send(pieces: readonly Piece[], controller: ReadableStreamDirectController): Promise<void> {
  const buffer = new Uint8Array(LONG_STRING * UNIT_BYTES);
  for (const { text, escapes } of pieces) {
    for (const part of cut(text)) {
      // Encoded into the same memory again and again: garbage of many large bodies would be as much as they are.
      const bytes = escapes ? Buffer.from(escaped(part)) : buffer.subarray(0, encoder.encodeInto(part, buffer).written);
      controller.write(bytes);
      await controller.flush();
    }
  }
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text in parts of at most LONG_STRING code units, none of which ends within a character. */
function* cut(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + LONG_STRING, text.length);
    const splitsPair = isSurrogate(text.charCodeAt(end - 1), 0xd800) && isSurrogate(text.charCodeAt(end), 0xdc00);
    const until = splitsPair ? end - 1 : end;
    yield text.slice(at, until);
    at = until;
  }
}

/** Whether a code unit is one of the 1,024 surrogates from `first` on. */
const isSurrogate = (unit: number, first: number): boolean => unit >= first && unit < first + 0x400;
