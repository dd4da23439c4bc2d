const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** From here on a second decimal says nothing. */
const LONG_MS = 10_000;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** A duration in milliseconds as text: "48 ms", "1.12 s", "14.2 s", "3 min 5 s", "2 h 5 min"; a dash where it is unknown. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  const rounded = Math.round(ms);
  if (rounded < SECOND_MS) return `${rounded} ms`;
  if (rounded < LONG_MS) return `${(rounded / SECOND_MS).toFixed(2)} s`;
  if (rounded < MINUTE_MS) return `${(rounded / SECOND_MS).toFixed(1)} s`;
  return formatSeconds(Math.round(rounded / SECOND_MS));
}

/** The length of a period: as a duration, without a smaller unit of which there is none: "1 min", "2 h 5 min". */
export const formatPeriod = (seconds: number): string => formatSeconds(seconds).replace(/ 0 \w+$/, "");

/** A duration that is known in full seconds: "45 s", "3 min 5 s", "2 h 5 min", "3 d 4 h". */
export function formatSeconds(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds} s`;
  const [size, unit, smaller, rest] =
    seconds < HOUR_S
      ? ([MINUTE_S, "min", 1, "s"] as const)
      : seconds < DAY_S
        ? ([HOUR_S, "h", MINUTE_S, "min"] as const)
        : ([DAY_S, "d", HOUR_S, "h"] as const);
  return `${Math.floor(seconds / size)} ${unit} ${Math.floor((seconds % size) / smaller)} ${rest}`;
}
