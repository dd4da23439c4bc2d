import { isTimeZone as isKnownZone } from "../../lib/clock.ts";
import type { Price } from "../types.ts";
import type { PriceFactors } from "./service-tiers.ts";

export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours of some days at which a model costs more or less. */
export type PriceHours = PriceFactors &
  Readonly<{
    /** Days on which the hours begin; null: every day. */
    days: ReadonlySet<Weekday> | null;
    /** Minutes of the day by the zone's clock. `until` is the first minute after; not after `from`: on the next day. */
    from: number;
    until: number;
    /** IANA name of the time zone: `Asia/Shanghai`. */
    zone: string;
    /** As receipts and price lists show it: `mon–fri 09:00–12:00 Asia/Shanghai`. */
    text: string;
  }>;

export const MINUTES_OF_DAY = 1_440;
const SECONDS_OF_MINUTE = 60;
/** Clocks change only at whole quarters of an hour: until then the minutes of a zone's clock can be counted on. */
const QUARTER_SECONDS = 900;

/** The rules in force at one moment. */
export type ActiveHours = Readonly<{
  byModel: ReadonlyMap<string, PriceHours>;
  /** Epoch seconds at which this may change; infinite without rules. */
  validUntil: number;
}>;

/** Each model's rule in force at `nowSeconds`, by the clock of the rule's zone: the first whose hours these are. */
export function hoursAt(rules: ReadonlyMap<string, readonly PriceHours[]>, nowSeconds: number): ActiveHours {
  const byModel = new Map<string, PriceHours>();
  let validUntil = Number.POSITIVE_INFINITY;
  for (const [model, ofModel] of rules) {
    for (const rule of ofModel) validUntil = Math.min(validUntil, nextChange(rule, nowSeconds));
    const active = ofModel.find((rule) => isInForce(rule, nowSeconds));
    if (active) byModel.set(model, active);
  }
  return { byModel, validUntil };
}

/** Whether a moment is within the hours. */
export function isInForce({ days, from, until, zone }: PriceHours, seconds: number): boolean {
  const { day, minute } = localTime(zone, seconds);
  const isOn = (weekday: number) => days === null || days.has(WEEKDAYS[weekday] ?? "sun");
  if (from < until) return minute >= from && minute < until && isOn(day);
  return (minute >= from && isOn(day)) || (minute < until && isOn((day + 6) % 7));
}

/** The price in the hours of another moment. */
export function priceAt(price: Price, seconds: number): Price {
  const hours = price.hourRules?.find((rule) => isInForce(rule, seconds));
  return hours === price.hours ? price : { ...price, hours };
}

/** When a rule may begin or end next: a minute of its own, but at most a quarter of an hour ahead, as clocks may change then. */
function nextChange({ from, until, zone }: PriceHours, seconds: number): number {
  const { minute } = localTime(zone, seconds);
  const thisMinute = seconds - (seconds % SECONDS_OF_MINUTE);
  const minutes = [0, from, until].map((at) => (at - minute + MINUTES_OF_DAY - 1) % MINUTES_OF_DAY) as number[];
  const quarter = seconds - (seconds % QUARTER_SECONDS) + QUARTER_SECONDS;
  return Math.min(quarter, thisMinute + (Math.min(...minutes) + 1) * SECONDS_OF_MINUTE);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The weekday (0: Sunday) and the minute of the day that clocks of a zone show. */
function localTime(zone: string, seconds: number): { day: number; minute: number } {
  const format = formats.get(zone) ?? makeFormat(zone);
  const parts = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  const day = WEEKDAYS.indexOf((parts.get("weekday") ?? "").toLowerCase() as Weekday);
  return { day, minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute")) };
}

/** Throws RangeError for a zone that there is not. */
function makeFormat(zone: string): Intl.DateTimeFormat {
  const parts = { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const format = new Intl.DateTimeFormat("en-US", { ...parts, timeZone: zone });
  formats.set(zone, format);
  return format;
}

/** Whether there is a time zone of this name; offsets and abbreviations, which know no changes of the clock, are none. */
export const isTimeZone = (zone: string): boolean =>
  /^(UTC|[A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)+)$/.test(zone) && isKnownZone(zone);

/** `09:30`, or `24:00` for the end of the day, in minutes; null: it is none. */
export function readMinutes(text: unknown): number | null {
  const read = typeof text === "string" ? /^(\d\d):([0-5]\d)$/.exec(text) : null;
  const minutes = read ? Number(read[1]) * 60 + Number(read[2]) : Number.NaN;
  return minutes <= MINUTES_OF_DAY ? minutes : null;
}

/** Minutes of a day as a clock shows them. */
export const clockText = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/** A rule's hours in words that every language reads alike. */
export function hoursText({ days, from, until, zone }: Omit<PriceHours, "text" | keyof PriceFactors>): string {
  const names = days === null ? "" : `${WEEK.filter((day) => days.has(day)).join(",")} `;
  return `${names}${clockText(from)}–${clockText(until)} ${zone}`;
}

const WEEK: readonly Weekday[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
