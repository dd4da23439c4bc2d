/** Whether the letters of `text` occur in `name` in their order, whatever is between them. */
export function fuzzyMatch(text: string, name: string): boolean {
  const wanted = text.toLowerCase().replace(/\s+/g, "");
  const letters = name.toLowerCase();
  let at = 0;
  for (const letter of wanted) {
    at = letters.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
