/** How the end of a body is known (RFC 9112, section 6.3): no body, so many bytes, chunks, or the connection's end. */
export type BodyLength = number | "chunked" | "until-close";

/** Headers of an answer, as far as the runtime's Headers are used of one. Repeated ones are joined by commas. */
export class AnswerHeaders {
  readonly #byName: ReadonlyMap<string, string>;

  /** `byName`: names in lower case. */
  constructor(byName: ReadonlyMap<string, string>) {
    this.#byName = byName;
  }

  get(name: string): string | null {
    return this.#byName.get(name) ?? this.#byName.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#byName[Symbol.iterator]();
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
const DIGITS = /^\d{1,15}$/;

/** Reads a head without the empty line that ends it. Throws BrokenAnswer where it cannot be read in one way only. */
export function responseHead(text: string): ResponseHead {
  const firstEnd = text.indexOf("\r\n");
  const match = STATUS_LINE.exec(firstEnd < 0 ? text : text.slice(0, firstEnd));
  if (!match) throw new BrokenAnswer("the answer does not begin with a status line of HTTP/1.1");
  const headers = firstEnd < 0 ? new Map<string, string>() : headersIn(text, firstEnd + 2);
  const status = Number(match[2]);
  const length = bodyLength(status, headers);
  const connection = headers.get("connection")?.toLowerCase() ?? "";
  const wantsOpen = match[1] === "1" ? !connection.includes("close") : connection.includes("keep-alive");
  // Two lengths at once are how answers are smuggled past each other: what follows is not trusted.
  const isPlain = length !== "until-close" && !(headers.has("transfer-encoding") && headers.has("content-length"));
  return { status, headers: new AnswerHeaders(headers), length, staysOpen: wantsOpen && isPlain };
}

function headersIn(text: string, from: number): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = from; at < text.length; ) {
    const found = text.indexOf("\r\n", at);
    const end = found < 0 ? text.length : found;
    const colon = text.indexOf(":", at);
    const begins = text.charCodeAt(at);
    if (colon <= at || colon > end || begins === SPACE || begins === TAB) {
      throw new BrokenAnswer("a header of the answer has no name");
    }
    const name = text.slice(at, colon).toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
    at = end + 2;
  }
  return headers;
}

function bodyLength(status: number, headers: ReadonlyMap<string, string>): BodyLength {
  if (status < 200 || status === 204 || status === 304) return 0;
  const encoding = headers.get("transfer-encoding");
  const told = headers.get("content-length");
  if (encoding !== undefined) {
    if (encoding.toLowerCase() !== "chunked") throw new BrokenAnswer("the answer's length cannot be known");
    return "chunked";
  }
  if (told === undefined) return "until-close";
  if (DIGITS.test(told)) return Number(told);
  const lengths = new Set(told.split(",").map((each) => each.trim()));
  const [length = ""] = lengths;
  if (lengths.size !== 1 || !DIGITS.test(length)) throw new BrokenAnswer("the answer's length cannot be known");
  return Number(length);
}
