/** A part of a text that is another text in base64. */
export type EncodedText = Readonly<{ start: number; end: number; text: string }>;

/** Shorter ones are words. */
const RUN = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
/** So many characters tell a text from an image, a hash or an id. */
const SAMPLE = 48;
/** Of one text: what is longer is a file. */
const MOST_CHARACTERS = 262_144;
const MOST_RUNS = 200;
const CONTROL = /[^\P{Cc}\t\n\r]|\ufffd/u;
const decoder = new TextDecoder("utf-8");

/** The texts that stand in a text in base64 or base64url, in linear time: what decodes to readable UTF-8. One within another is not read. */
export function encodedTexts(text: string): EncodedText[] {
  const found: EncodedText[] = [];
  let left = MOST_CHARACTERS;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (found.length >= MOST_RUNS || run.length > left) break;
    if (decode(run.slice(0, SAMPLE), true) === null) continue;
    left -= run.length;
    const decoded = decode(run, false);
    if (decoded !== null) found.push({ start: index, end: index + run.length, text: decoded });
  }
  return found;
}

/** What a run says; null: it is no text. `isSample`: its end may cut a character. */
function decode(run: string, isSample: boolean): string | null {
  const decoded = decoder.decode(Buffer.from(run, "base64"));
  const read = isSample ? decoded.replace(/\ufffd+$/, "") : decoded;
  return read.length > 0 && !CONTROL.test(read) ? read : null;
}
