import { endOfString, endOfValue, skipWhitespace } from "./json-text.ts";

/**
 * Changes to the top level of a JSON object given as text: a value replaces or adds the key, `undefined` removes it.
 * Everything else keeps its characters (spacing, number forms, order), which re-serializing would not.
 */
export type TopLevelChanges = Readonly<Record<string, unknown>>;

/**
 * Applies `changes` to `text`, which must be valid JSON and have the object `value` as its value: keys that `value` lacks
 * are added without looking through the text.
 */
export function spliceTopLevel(
  text: string,
  changes: TopLevelChanges,
  value: Readonly<Record<string, unknown>>,
): string {
  const pieces = splicedPieces(text, changes, value);
  return pieces.length === 1 ? text : pieces.join("");
}

/** Does the same without joining the pieces of the text: those between the changes are not copied. */
export function splicedPieces(
  text: string,
  changes: TopLevelChanges,
  value: Readonly<Record<string, unknown>>,
): string[] {
  const open = text.indexOf("{");
  for (const key in changes) if (Object.hasOwn(value, key)) return spliceMembers(text, open, changes);
  const added = JSON.stringify(changes).slice(1, -1);
  if (added === "") return [text];
  const separator = Object.keys(value).length > 0 ? "," : "";
  return [text.slice(0, open + 1), added, separator, text.slice(open + 1)];
}

/** Replaces, removes and adds members of the object that begins at `open`. */
function spliceMembers(text: string, open: number, changes: TopLevelChanges): string[] {
  const members = membersOf(text, open);
  const pieces = [text.slice(0, open + 1)];
  let copied = open + 1;
  let retained = 0;
  const replaced = new Set<string>();
  for (const member of members) {
    if (!Object.hasOwn(changes, member.key)) {
      pieces.push(separator(retained), text.slice(copied, member.end));
      retained += 1;
    } else if (changes[member.key] !== undefined && !replaced.has(member.key)) {
      pieces.push(separator(retained), text.slice(copied, member.valueStart), JSON.stringify(changes[member.key]));
      retained += 1;
    }
    replaced.add(member.key);
    copied = member.end + 1;
  }
  for (const [key, added] of Object.entries(changes)) {
    if (added === undefined || replaced.has(key)) continue;
    pieces.push(separator(retained), `${JSON.stringify(key)}:${JSON.stringify(added)}`);
    retained += 1;
  }
  const close = members.length > 0 ? (members.at(-1)?.end ?? open) : open + 1;
  pieces.push(text.slice(text.indexOf("}", close)));
  return pieces;
}

const separator = (before: number): string => (before > 0 ? "," : "");

/** `end` is the index of the comma or brace after the value (whitespace before it belongs to the member). */
type Member = { key: string; valueStart: number; end: number };

function membersOf(text: string, open: number): Member[] {
  const members: Member[] = [];
  let at = skipWhitespace(text, open + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key = String(JSON.parse(text.slice(at, keyEnd)));
    const valueStart = skipWhitespace(text, skipWhitespace(text, keyEnd) + 1);
    const end = skipWhitespace(text, endOfValue(text, valueStart));
    members.push({ key, valueStart, end });
    if (text[end] !== ",") break;
    at = skipWhitespace(text, end + 1);
  }
  return members;
}
