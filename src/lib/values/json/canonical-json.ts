/** JSON with the members of each object in one order: of equal values it is the same text. Empty for what is no JSON. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  ) ?? "";
