/** How the end of a body is known (RFC 9112, section 6.3): no body, so many bytes, chunks, or the connection's end. */
export type BodyLength = number | "chunked" | "until-close";

/** Where headers stand in their head's text, one behind the other: the beginning of a name, its colon, the header's end. */
type Places = readonly number[];
const NUMBERS_PER_PLACE = 3;

/**
 * Headers of an answer, as far as the runtime's Headers are used of one: read where they stand, for most are never asked
 * for. Repeated ones are joined by commas.
 */
export class AnswerHeaders {
  readonly #text: string;
  readonly #places: Places;

  constructor(text: string, places: Places) {
    this.#text = text;
    this.#places = places;
  }

  get(name: string): string | null {
    let joined: string | null = null;
    for (let place = 0; place < this.#places.length; place += NUMBERS_PER_PLACE) {
      if (!this.#isNamed(place, name)) continue;
      const value = this.#text.slice(this.#at(place + 1) + 1, this.#at(place + 2)).trim();
      joined = joined === null ? value : `${joined}, ${value}`;
    }
    return joined;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    const names = new Set<string>();
    for (let place = 0; place < this.#places.length; place += NUMBERS_PER_PLACE) {
      names.add(this.#text.slice(this.#at(place), this.#at(place + 1)).toLowerCase());
    }
    return [...names].map((name): [string, string] => [name, this.get(name) ?? ""])[Symbol.iterator]();
  }

  /** Sign by sign: a text cut out to be compared would be memory of its own. */
  #isNamed(place: number, name: string): boolean {
    const begin = this.#at(place);
    if (this.#at(place + 1) - begin !== name.length) return false;
    for (let at = 0; at < name.length; at += 1) {
      if (lowerCase(this.#text.charCodeAt(begin + at)) !== lowerCase(name.charCodeAt(at))) return false;
    }
    return true;
  }

  #at(place: number): number {
    return this.#places[place] as number;
  }
}

export type ResponseHead = Readonly<{
  status: number;
  headers: AnswerHeaders;
  length: BodyLength;
  /** The connection may be used again once the body has been read. */
  staysOpen: boolean;
}>;

/** The other side does not speak HTTP/1.1 as RFC 9112 has it. */
export class BrokenAnswer extends Error {
  override name = "BrokenAnswer";
}

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const SPACE = 32;
const TAB = 9;
const UPPER_A = 65;
const UPPER_Z = 90;
/** By which letters differ in their case. */
const CASE_BIT = 32;
const DIGITS = /^\d{1,15}$/;

/** Reads a head without the empty line that ends it. Throws BrokenAnswer where it cannot be read in one way only. */
export function responseHead(text: string): ResponseHead {
  const firstEnd = text.indexOf("\r\n");
  const match = STATUS_LINE.exec(firstEnd < 0 ? text : text.slice(0, firstEnd));
  if (!match) throw new BrokenAnswer("the answer does not begin with a status line of HTTP/1.1");
  const headers = new AnswerHeaders(text, firstEnd < 0 ? [] : placesIn(text, firstEnd + 2));
  const status = Number(match[2]);
  const length = bodyLength(status, headers);
  const connection = headers.get("connection")?.toLowerCase() ?? "";
  const wantsOpen = match[1] === "1" ? !connection.includes("close") : connection.includes("keep-alive");
  // Two lengths at once are how answers are smuggled past each other: what follows is not trusted.
  const isPlain = length !== "until-close" && !(headers.has("transfer-encoding") && headers.has("content-length"));
  return { status, headers, length, staysOpen: wantsOpen && isPlain };
}

function placesIn(text: string, from: number): Places {
  const places: number[] = [];
  for (let at = from; at < text.length; ) {
    const found = text.indexOf("\r\n", at);
    const end = found < 0 ? text.length : found;
    const colon = text.indexOf(":", at);
    const begins = text.charCodeAt(at);
    if (colon <= at || colon > end || begins === SPACE || begins === TAB) {
      throw new BrokenAnswer("a header of the answer has no name");
    }
    places.push(at, colon, end);
    at = end + 2;
  }
  return places;
}

function bodyLength(status: number, headers: AnswerHeaders): BodyLength {
  if (status < 200 || status === 204 || status === 304) return 0;
  const encoding = headers.get("transfer-encoding");
  const told = headers.get("content-length");
  if (encoding !== null) {
    if (encoding !== "chunked" && encoding.toLowerCase() !== "chunked")
      throw new BrokenAnswer("the answer's length cannot be known");
    return "chunked";
  }
  if (told === null) return "until-close";
  if (DIGITS.test(told)) return Number(told);
  const lengths = new Set(told.split(",").map((each) => each.trim()));
  const [length = ""] = lengths;
  if (lengths.size !== 1 || !DIGITS.test(length)) throw new BrokenAnswer("the answer's length cannot be known");
  return Number(length);
}

const lowerCase = (code: number): number => (code >= UPPER_A && code <= UPPER_Z ? code | CASE_BIT : code);
