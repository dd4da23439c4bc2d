/**
 * What an edited priority or weight means: a whole number within its bounds, or null when it is none. A channel's weight
 * below 0 means 0; a tag has none, since that would change all its channels to what nobody wrote.
 */
export function readInline(text: string, field: "priority" | "weight", isOfTag = false): number | null {
  if (!/^\s*[-−]?\d{1,9}\s*$/.test(text)) return null;
  const number = Number(text.replace("−", "-"));
  if (field === "priority") return number < -999 ? null : number;
  return isOfTag && number < 0 ? null : Math.max(0, number);
}
