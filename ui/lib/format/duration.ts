const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** From here on a second decimal says nothing. */
const LONG_MS = 10_000;

/** A duration in milliseconds as text: "48 ms", "1.12 s", "14.2 s", "3 min 5 s"; a dash where it is unknown. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  const rounded = Math.round(ms);
  if (rounded < SECOND_MS) return `${rounded} ms`;
  if (rounded < LONG_MS) return `${(rounded / SECOND_MS).toFixed(2)} s`;
  if (rounded < MINUTE_MS) return `${(rounded / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(rounded / SECOND_MS);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
