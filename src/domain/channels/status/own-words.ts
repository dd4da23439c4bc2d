/** Reads the text of a request, which only few failures need. */
export type ReadRequestText = () => string;

/** So many letters in a row that are the request's, too, were quoted from it. */
const QUOTED_LETTERS = 12;
/** In longer requests any phrase may stand by chance, and looking for one takes long. */
const LONGEST_REQUEST = 4_000_000;

/**
 * Tells an upstream's own words from those that it quotes from the request: callers choose the latter. Letters and digits are
 * compared, so that case, punctuation, escapes and spaces make no difference.
 */
export function ownWords(message: string, readRequest: ReadRequestText): (words: string) => boolean {
  let request: string | null = null;
  const requestLetters = (): string => {
    const text = readRequest();
    // A phrase that may be anywhere counts as the caller's.
    return text.length > LONGEST_REQUEST ? message + text.slice(0, LONGEST_REQUEST) : text;
  };
  return (words) => {
    const letters = lettersOf(words);
    if (letters === "" || !lettersOf(message).includes(letters)) return false;
    request ??= variantsOf(requestLetters()).map(lettersOf).join(" ");
    const size = Math.min(QUOTED_LETTERS, letters.length);
    for (let at = 0; at + size <= letters.length; at += 1) {
      if (request.includes(letters.slice(at, at + size))) return false;
    }
    return true;
  };
}

const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** A text, and as an upstream may quote it: decoded from percent signs, escapes of JSON and entities of HTML. */
function variantsOf(text: string): string[] {
  const decoded = text
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[bfnrt]/g, " ")
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10_ff_ff)))
    .replace(/&(nbsp|amp|lt|gt|quot|apos);/g, " ");
  return decoded === text ? [text] : [text, decoded];
}

/** All texts in a value: names of members and what they hold. */
export function textsIn(value: unknown): string {
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  for (let at = 0; at < waiting.length; at += 1) {
    const next = waiting[at];
    if (typeof next === "string" || typeof next === "number") texts.push(String(next));
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (typeof next === "object" && next !== null) {
      for (const [name, member] of Object.entries(next)) waiting.push(name, member);
    }
  }
  return texts.join("\n");
}
