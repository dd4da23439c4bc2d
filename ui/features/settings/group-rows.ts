import { readNumberMap } from "./price-maps.ts";

/** A group: what it pays, and whether anybody may choose it. Without a ratio it cannot be used. */
export type GroupRow = Readonly<{ name: string; ratio: number | null; description: string | null }>;

type GroupTexts = Readonly<{ ratios: string; usable: string }>;

/** The groups of both options; null when one is no valid map. */
export function readGroups({ ratios, usable }: GroupTexts): GroupRow[] | null {
  const factors = readNumberMap(ratios);
  const descriptions = readTextMap(usable);
  if (!factors || !descriptions) return null;
  const names = [...new Set([...Object.keys(factors), ...Object.keys(descriptions)])];
  return names.map((name) => ({ name, ratio: factors[name] ?? null, description: descriptions[name] ?? null }));
}

/** The options' texts of these groups. */
export const groupTexts = (rows: readonly GroupRow[]): GroupTexts => ({
  ratios: mapText(rows.map(({ name, ratio }) => [name, ratio])),
  usable: mapText(rows.map(({ name, description }) => [name, description])),
});

const mapText = (entries: readonly (readonly [string, string | number | null])[]): string =>
  JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null)), null, 2);

function readTextMap(text: string): Readonly<Record<string, string>> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.values(value).every((entry) => typeof entry === "string") ? (value as Record<string, string>) : null;
  } catch {
    return null;
  }
}
