/**
 * Reading the structure of JSON text without building its value. All functions expect valid JSON (what `JSON.parse` accepts)
 * and are wrong for anything else. Strings are skipped with the runtime's native search, so long contents cost little.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Index of the first character at or after `from` that is no whitespace. */
export function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** Index after the closing quote of the string that begins at `from`. */
export function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escape each other, and not the quote.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
}

/** Index after the value that begins at `from`. */
export function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") {
    let at = from;
    while (at < text.length && !",}] \n\r\t".includes(text[at] ?? ",")) at += 1;
    return at;
  }
  let depth = 0;
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
}

type Open = { names: Set<string> | null; name: string; index: number };

/** Path of the first member whose name its object has already (`messages[0].content`), escapes resolved; null: there is none. */
export function findRepeatedMember(text: string): string | null {
  const open: Open[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const parent = open.at(-1);
    switch (text[at]) {
      case "{":
        open.push({ names: new Set(), name: "", index: 0 });
        break;
      case "[":
        open.push({ names: null, name: "", index: 0 });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (parent) parent.index += 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (parent?.names && text.charCodeAt(skipWhitespace(text, end)) === COLON) {
          parent.name = String(JSON.parse(text.slice(at, end)));
          if (parent.names.has(parent.name)) return pathOf(open);
          parent.names.add(parent.name);
        }
        at = end - 1;
      }
    }
  }
  return null;
}

const pathOf = (open: readonly Open[]): string =>
  open.reduce((path, { names, name, index }) => {
    if (!names) return `${path}[${index}]`;
    return path === "" ? name : `${path}.${name}`;
  }, "");
