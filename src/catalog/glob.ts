/** Matches names by `*`, which stands for any characters, also none; in linear time, whatever the pattern. */
export function matchesGlob(parts: readonly string[], name: string): boolean {
  const [head = "", ...rest] = parts;
  if (!name.startsWith(head)) return false;
  const tail = rest.pop();
  if (tail === undefined) return name === head;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
}
