/** Strings from this length on are not copied. */
const LONG_STRING = 65_536;

const MOST_SHORT = 1_000;

/** Stands for a long string while the rest is parsed; nobody outside can know it. */
const MARK = `${crypto.randomUUID()}-`;

/** What JSON forbids in a string, and what has a meaning of its own there. */
const SPECIAL = /[\\\p{Cc}]/u;
const NAME_END = /\s*:/y;

/**
 * JSON.parse for texts with long strings, such as files in base64: these become parts of `text` instead of copies, which takes
 * neither the memory nor, by far, the time. Throws SyntaxError.
 */
export function parseLongText(text: string): unknown {
  const long: string[] = [];
  const pieces: string[] = [];
  let from = 0;
  let strings = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start + 1);
    strings += 1;
    // Many short strings: copying them costs less than looking at each.
    if (end < 0 || strings > MOST_SHORT + end / 1024) break;
    if (end - start > LONG_STRING) {
      const content = text.slice(start + 1, end);
      NAME_END.lastIndex = end + 1;
      if (!NAME_END.test(text) && !SPECIAL.test(content)) {
        pieces.push(text.slice(from, start + 1), MARK, String(long.length));
        from = end;
        long.push(content);
      }
    }
    start = text.indexOf('"', end + 1);
  }
  if (long.length === 0) return JSON.parse(text);
  pieces.push(text.slice(from));
  const parsed: unknown = JSON.parse(pieces.join(""));
  return putBack(parsed, long);
}

/** Where the string that begins before `from` ends; -1: nowhere. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\" && end - slashes > from) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

function putBack(value: unknown, long: readonly string[]): unknown {
  if (typeof value === "string") return value.startsWith(MARK) ? long[Number(value.slice(MARK.length))] : value;
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    const replaced = putBack(member, long);
    if (replaced !== member) {
      Object.defineProperty(members, name, { value: replaced, writable: true, enumerable: true, configurable: true });
    }
  }
  return value;
}
