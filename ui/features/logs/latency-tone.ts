export type LatencyTone = "ok" | "warn" | "bad";

/** Colour of a call's whole time: under 101 s green, under 300 s orange, else red. */
export const elapsedTone = (elapsedMs: number): LatencyTone => toneOf(elapsedMs / 1000, 101, 300);

/** Colour of the time to the first token: under 3 s green, under 10 s orange, else red. */
export const firstTokenTone = (firstTokenMs: number): LatencyTone => toneOf(firstTokenMs / 1000, 3, 10);

function toneOf(seconds: number, ok: number, warn: number): LatencyTone {
  if (seconds < ok) return "ok";
  return seconds < warn ? "warn" : "bad";
}
