/** What an edited priority or weight means: a whole number within its bounds, or null when it is none. */
export function readInline(text: string, field: "priority" | "weight"): number | null {
  if (!/^\s*[-−]?\d{1,9}\s*$/.test(text)) return null;
  const number = Number(text.replace("−", "-"));
  if (field === "priority") return number < -999 ? null : number;
  return Math.max(0, number);
}
