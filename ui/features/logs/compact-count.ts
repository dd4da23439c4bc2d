const STEPS = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** A count short enough for a summary: 9,820,000 → "9.82 M", 163,700 → "163.7 k"; below 10,000 exact. */
export function compactCount(count: number): string {
  if (count < 10_000) return count.toLocaleString("en");
  for (const [size, unit] of STEPS) {
    if (count < size) continue;
    const value = count / size;
    return `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`;
  }
  return String(count);
}
