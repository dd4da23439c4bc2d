import { DAY_S, type HourRange } from "../totals/totals.ts";

/** More than ten years by days: what lies before counts in the first period. */
const MOST_EDGES = 4000;
/** The epoch began on a Thursday; weeks begin on Mondays. */
const MONDAY = 4;
const SPANS = { day: 1, week: 7 } as const;

/**
 * When the calendar days or weeks of a time zone begin that a range (epoch seconds) touches, in order. Days on which the clock
 * changes have 23 or 25 hours; where midnight is skipped a day begins at its first moment.
 */
export function localEdges(timeZone: string, step: "day" | "week", { from, until }: HourRange): number[] {
  const clock = clockOf(timeZone);
  const span = SPANS[step];
  const dayAt = (time: number): number => Math.floor((time + offsetAt(clock, time)) / DAY_S);
  const last = dayAt(until - 1);
  const first = Math.max(dayAt(from), last - MOST_EDGES * span);
  const aligned = step === "week" ? first - ((((first - MONDAY) % 7) + 7) % 7) : first;
  const edges: number[] = [];
  for (let day = aligned; day <= last; day += span) edges.push(beginOf(clock, day));
  return edges;
}

/** When a day (counted from the epoch) begins on a clock: the first moment at which it shows midnight or later. */
function beginOf(clock: Intl.DateTimeFormat, day: number): number {
  const midnight = day * DAY_S;
  const [early, late] = [offsetAt(clock, midnight - DAY_S), offsetAt(clock, midnight + DAY_S)];
  if (early === late) return midnight - early;
  const candidates = [midnight - early, midnight - late].sort((a, b) => a - b);
  return candidates.find((time) => time + offsetAt(clock, time) >= midnight) ?? midnight - late;
}

const clockOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-US", {
    timeZone,
    ...{ calendar: "gregory", numberingSystem: "latn", hourCycle: "h23" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });

/** By how many seconds a clock is ahead of UTC at a time. */
function offsetAt(clock: Intl.DateTimeFormat, time: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of clock.formatToParts(time * 1000)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Math.round(Date.UTC(year, month - 1, day, hour, minute, second) / 1000) - Math.floor(time);
}
