import { reused } from "./reused.ts";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** "5 minutes ago", "in 2 days", "now"; both moments in epoch seconds. */
export function relativeTime(seconds: number, now: number, language: string): string {
  const distance = seconds - now;
  const words = relativeFormat(language);
  for (const [unit, size] of UNITS)
    if (Math.abs(distance) >= size) return words.format(Math.trunc(distance / size), unit);
  return words.format(0, "second");
}

const relativeFormat = reused(
  (language: string) => new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" }),
);

/** The full date and time (epoch seconds) in the reader's zone, with the zone. */
export const exactTime = (seconds: number, language: string): string =>
  formatDate(seconds * 1000, language, { dateStyle: "medium", timeStyle: "long" });

/** The time of day (epoch seconds) in the reader's zone, to the second: "14:05:09". */
export const clockTime = (seconds: number): string => new Date(seconds * 1000).toLocaleTimeString("en-GB");

/** A moment (epoch milliseconds) as `options` say, in the reader's zone unless they name another. */
export const formatDate = (ms: number, language: string, options: Intl.DateTimeFormatOptions): string =>
  dateFormat(language, options).format(ms);

const dateFormat = reused(
  (language: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
);

/** Whether a text names a time zone: "Asia/Shanghai". */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The reader's clock as queries take it: the zone, and how far it is ahead of UTC now, for where the server knows no such zone. */
export const readerClock = () => ({
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  offset_minutes: -new Date().getTimezoneOffset(),
});
