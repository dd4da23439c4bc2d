/**
 * A text as detectors read it: what hides a word from them is undone, at its place. Full-width, circled and mathematical letters and the
 * digits of other scripts are ASCII, characters that are not seen are left out, marks are one with their letter or left out, and escapes
 * of URLs, JSON and HTML are the characters that they stand for.
 */
export class Folded {
  #skeleton: string | null = null;

  /** `starts` and `ends`: where each character of `plain` stands in the text; null: where it stands here. */
  constructor(
    readonly plain: string,
    private readonly starts: Uint32Array | null,
    private readonly ends: Uint32Array | null,
    /** The length of the text. */
    readonly length: number,
  ) {}

  /** `plain` with letters of other scripts that look like Latin ones as those, where both stand side by side. */
  get skeleton(): string {
    this.#skeleton ??= MIXED.test(this.plain) ? skeletonOf(this.plain) : this.plain;
    return this.#skeleton;
  }

  /** Whether letters that look alike are mixed in a part, so that it counts as what it looks like. */
  looksAs(start: number, end: number): boolean {
    const { plain, skeleton } = this;
    if (skeleton === plain) return true;
    const part = plain.slice(start, end);
    return part === skeleton.slice(start, end) || MIXED.test(part);
  }

  /** Where a character of `plain` stands in the text, or where the text ends. */
  startOf(index: number): number {
    return index >= this.plain.length ? this.length : (this.starts?.[index] ?? index);
  }

  /** Where a part of `plain` that ends before `index` ends in the text. */
  endOf(index: number): number {
    return index === 0 ? 0 : (this.ends?.[index - 1] ?? index);
  }

  /** The first character of `plain` that stands at a place of the text or behind it. */
  indexAt(place: number): number {
    if (!this.starts) return Math.min(place, this.plain.length);
    let [low, high] = [0, this.plain.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.startOf(middle) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Of characters that are not seen, more in a row stay: a stream is not held back for longer. */
const MOST_UNSEEN = 64;

const UNSEEN =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0";
const MARKS = "\\u0300-\\u034e\\u0350-\\u036f";
const IS_UNSEEN = new RegExp(`[${UNSEEN}]`);
const IS_MARK = new RegExp(`[${MARKS}]`);
/** The first digit of each script whose digits stand in for ASCII's. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xff10,
];
const DIGITS = ZEROS.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join("");
const HEX = "(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e])";
/** A printable character of ASCII as URLs, JSON and HTML write it. */
const ESCAPE = `%${HEX}|\\\\u00${HEX}|&#(?:[xX]0{0,2}${HEX}|0{0,2}(?:3[2-9]|[4-9]\\d|1[01]\\d|12[0-6]));`;
const IS_ESCAPE = new RegExp(ESCAPE, "y");
/** The longest. */
const ESCAPE_LENGTH = 8;
/** The beginning of one that may go on. */
const OPEN_ESCAPE = /(?:%[0-9A-Fa-f]?|\\(?:u[0-9A-Fa-f]{0,3})?|&(?:#(?:[xX][0-9A-Fa-f]{0,4}|\d{0,5})?)?)$/;
/** What is read as another character in its place. */
const REPLACED = `[${DIGITS}\\uff01-\\uff5e\\u3000\\u24b6-\\u24e9]`;
const IS_REPLACED = new RegExp(REPLACED);
const ALL_REPLACED = new RegExp(REPLACED, "g");
/** What is read as fewer characters, or as none. */
const SHORTER = new RegExp(`[${UNSEEN}${MARKS}]|\\ud835[\\udc00-\\udfff]|\\udb40[\\udc00-\\udfff]|${ESCAPE}`);

/** Letters of other scripts that look like these. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ...["aаα", "bЬ", "cсϲ", "dԁ", "eеε", "gɡ", "hһ", "iіι", "jј", "kкκ", "lӏ", "mм", "nո", "oоοօ", "pрρ", "qԛ", "rг"],
    ...["sѕ", "uυս", "vνѵ", "wԝω", "xхχ", "yуγ", "AАΑ", "BВΒ", "CСϹ", "EЕΕ", "HНΗ", "IІΙӀ", "JЈ", "KКΚ", "MМΜ", "NΝ"],
    ...["OОΟ", "PРΡ", "SЅ", "TТΤ", "XХΧ", "YУΥ", "ZΖ", "tт"],
  ].flatMap(([latin = "", ...others]) => others.map((other) => [other, latin] as const)),
);
const LOOKALIKE = `[${[...LOOKALIKES.keys()].join("")}]`;
const ALL_LOOKALIKES = new RegExp(LOOKALIKE, "g");
const MIXED = new RegExp(`[A-Za-z0-9]${LOOKALIKE}|${LOOKALIKE}[A-Za-z0-9]`);

/** The text with letters that look like Latin ones as those. */
export const skeletonOf = (plain: string): string =>
  plain.replace(ALL_LOOKALIKES, (letter) => LOOKALIKES.get(letter) ?? letter);

/** Whether a text is read as it stands there. */
export const isPlain = (text: string): boolean => !IS_REPLACED.test(text) && !SHORTER.test(text) && !MIXED.test(text);

/** The text as detectors read it. */
export function fold(text: string): Folded {
  // Most texts have none of these; Chinese ones have commas that are as wide as their letters.
  if (!SHORTER.test(text)) {
    const plain = IS_REPLACED.test(text) ? text.replace(ALL_REPLACED, (char) => readAt(char, 0).character) : text;
    return new Folded(plain, null, null, text.length);
  }
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  const characters: string[] = [];
  let unseen = 0;
  const add = (character: string, start: number, end: number): void => {
    starts[characters.length] = start;
    ends[characters.length] = end;
    characters.push(character);
  };
  for (let at = 0; at < text.length; ) {
    const { character, length } = readAt(text, at);
    const last = characters.length - 1;
    if (IS_MARK.test(character) && last >= 0 && unseen < MOST_UNSEEN) {
      const composed = `${characters[last]}${character}`.normalize("NFC");
      if (composed.length === 1) {
        characters[last] = composed;
        ends[last] = at + length;
      } else if (!IS_LETTER.test(characters[last] ?? "")) add(character, at, at + length);
      unseen += 1;
    } else if (character === "" && unseen < MOST_UNSEEN) unseen += 1;
    else {
      unseen = 0;
      add(character || text.charAt(at), at, at + length);
    }
    at += length;
  }
  return new Folded(characters.join(""), starts, ends, text.length);
}

const IS_LETTER = /[\p{L}\p{N}]/u;

/** The character that is read at a place, and how much of the text it is; an empty one is not seen. */
function readAt(text: string, at: number): Readonly<{ character: string; length: number }> {
  const code = text.charCodeAt(at);
  const character = text.charAt(at);
  if (code < 0x80) {
    if (code !== 0x25 && code !== 0x5c && code !== 0x26) return { character, length: 1 };
    IS_ESCAPE.lastIndex = at;
    const [found] = IS_ESCAPE.exec(text) ?? [];
    return found ? { character: escaped(found), length: found.length } : { character, length: 1 };
  }
  if (code >= 0xff01 && code <= 0xff5e) return { character: String.fromCharCode(code - 0xfee0), length: 1 };
  if (code === 0x3000) return { character: " ", length: 1 };
  if (code === 0xd835 || (code >= 0x24b6 && code <= 0x24e9)) {
    const length = code === 0xd835 ? 2 : 1;
    const letter = text.slice(at, at + length).normalize("NFKC");
    return letter.length === 1 ? { character: letter, length } : { character, length: 1 };
  }
  if (code === 0xdb40 && /[\udc00-\udfff]/.test(text.charAt(at + 1))) return { character: "", length: 2 };
  const zero = ZEROS.find((first) => code >= first && code <= first + 9);
  if (zero !== undefined) return { character: String.fromCharCode(0x30 + code - zero), length: 1 };
  return { character: IS_UNSEEN.test(character) ? "" : character, length: 1 };
}

/** The character that an escape stands for. */
function escaped(found: string): string {
  const isDecimal = found.startsWith("&#") && !/x/i.test(found);
  const digits = found.replace(/^(?:%|\\u|&#x?)|;$/gi, "");
  return String.fromCharCode(Number.parseInt(digits, isDecimal ? 10 : 16));
}

/** As much of an unfinished text as no later part of it can change. */
export function stableLength(text: string): number {
  let at = text.length;
  for (let left = MOST_UNSEEN; left > 0 && at > 0 && OPEN.test(text.charAt(at - 1)); left -= 1) at -= 1;
  // A mark may still follow the last letter, half of a character its other one, and an escape of a URL its digits.
  at -= 1;
  if (LOW_HALF.test(text.charAt(at))) at -= 1;
  const open = OPEN_ESCAPE.exec(text.slice(-ESCAPE_LENGTH));
  return Math.max(0, open ? Math.min(at, text.length - open[0].length) : at);
}

const OPEN = new RegExp(`[${UNSEEN}${MARKS}]|[\\udb40]`);
const LOW_HALF = /[\udc00-\udfff]/;
