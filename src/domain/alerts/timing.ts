import { isTimeZone } from "../../lib/clock.ts";
import type { WrittenLanguage } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { type Alert, SEVERITIES, sayAlert } from "./alert.ts";
import type { Delivery } from "./deliveries.ts";
import { destinationType, isDestinationType } from "./destinations/destination-types.ts";
import type { DestinationRow } from "./destinations.ts";

/** Hours in which a destination receives only critical alerts: `22:00` to `07:00` in a time zone; empty: none. */
type QuietHours = Readonly<{ quietFrom: string; quietUntil: string; timeZone: string }>;

const DAY_MINUTES = 1440;
const HOUR_MINUTES = 60;
const CLOCK = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Checks quiet hours as they are sent. Throws OperationError. */
export function readQuietHours({ quietFrom, quietUntil, timeZone }: QuietHours): QuietHours {
  if (quietFrom === "" && quietUntil === "") return { quietFrom, quietUntil, timeZone: "UTC" };
  if (!CLOCK.test(quietFrom) || !CLOCK.test(quietUntil) || quietFrom === quietUntil || !isTimeZone(timeZone)) {
    throw new OperationError("alert_quiet_hours_invalid");
  }
  return { quietFrom, quietUntil, timeZone };
}

/** Checks how many minutes of alerts become one message; 0: none do. Throws OperationError. */
export function readDigestMinutes(minutes: number): number {
  if (Number.isInteger(minutes) && minutes >= 0 && minutes <= DAY_MINUTES) return minutes;
  throw new OperationError("alert_digest_invalid", { max: DAY_MINUTES });
}

/** When the quiet hours end that `now` lies in, in epoch seconds; null: it lies in none. */
export function quietHoursEnd(hours: QuietHours, now: number): number | null {
  if (!isQuiet(hours, now)) return null;
  const until = minuteOf(hours.quietUntil);
  const left = (until - minuteAt(now, hours) + DAY_MINUTES) % DAY_MINUTES;
  const end = now - (now % 60) + left * 60;
  // Where the clock is set forward or back until then, it shows another time.
  const drift = ((minuteAt(end, hours) - until + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  const corrected = end - drift * 60;
  // A time that the clock skips never comes.
  return corrected > now && !isQuiet(hours, corrected) ? corrected : end;
}

function isQuiet(hours: QuietHours, at: number): boolean {
  if (hours.quietFrom === "") return false;
  const [from, until, minute] = [minuteOf(hours.quietFrom), minuteOf(hours.quietUntil), minuteAt(at, hours)];
  return from < until ? minute >= from && minute < until : minute >= from || minute < until;
}

const minuteAt = (at: number, { timeZone }: QuietHours): number => minuteOf(clockOf(at, timeZone));

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * HOUR_MINUTES + Number(clock.slice(3));

const clockOf = (seconds: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    seconds * 1000,
  );

const MINUTE_SECONDS = 60;

/** Whether alerts of a destination wait for others; services that open an incident for each get them one by one. */
const hasDigest = ({ type, digestMinutes }: DestinationRow): boolean =>
  digestMinutes > 0 && isDestinationType(type) && !destinationType(type).opensIncidents;

/** When the next digest of a destination is due, in epoch seconds; null: its alerts are sent one by one. */
export function nextDigestAt(destination: DestinationRow, now: number): number | null {
  if (!hasDigest(destination)) return null;
  const seconds = destination.digestMinutes * MINUTE_SECONDS;
  return (Math.floor(now / seconds) + 1) * seconds;
}

/** Deliveries that are sent together: those of a destination with a digest, any other alone. */
export const groupForSending = (deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] => [
  ...Map.groupBy(deliveries, ({ id, destination }) => (hasDigest(destination) ? destination.id : id)).values(),
];

/** Several alerts as one: a line for each, oldest first, as severe as the worst of them. `at` in epoch seconds. */
export function digestOf(alerts: readonly Alert[], at: number): Alert {
  const ordered = alerts.toSorted((one, other) => one.at - other.at);
  const linesIn = (language: WrittenLanguage): string =>
    ordered
      .map((alert) => sayAlert(alert, language, { site: "", address: "" }))
      .map(({ title, content }) => `• ${title}: ${content}`)
      .join("\n");
  return {
    key: `digest/${at}`,
    state: ordered.every(({ state }) => state === "resolved") ? "resolved" : "firing",
    severity: SEVERITIES.find((severity) => ordered.some((alert) => alert.severity === severity)) ?? "info",
    at,
    notice: {
      type: "digest",
      title: { en: `${ordered.length} alerts`, zh: `${ordered.length} 条告警` },
      content: { en: linesIn("en"), zh: linesIn("zh") },
      values: [],
    },
  };
}
