import { expect, test } from "bun:test";
import { quietHoursEnd, readDigestMinutes, readQuietHours } from "./send-times.ts";

const at = (clock: string) => Date.parse(`2026-03-10T${clock}:30Z`) / 1000;
const hours = (quietFrom: string, quietUntil: string, timeZone = "UTC") => ({ quietFrom, quietUntil, timeZone });
const end = (clock: string | null) => (clock === null ? null : Date.parse(`2026-03-${clock}:00Z`) / 1000);

test.each([
  [hours("22:00", "07:00"), "21:59", null],
  [hours("22:00", "07:00"), "22:00", "11T07:00"],
  [hours("22:00", "07:00"), "03:15", "10T07:00"],
  [hours("22:00", "07:00"), "07:00", null],
  [hours("12:00", "13:30"), "13:29", "10T13:30"],
  [hours("12:00", "13:30"), "13:30", null],
  // Shanghai is eight hours ahead.
  [hours("22:00", "07:00", "Asia/Shanghai"), "14:00", "10T23:00"],
  [hours("22:00", "07:00", "Asia/Shanghai"), "23:00", null],
  [hours("", ""), "03:00", null],
])("%o at %s end at %p", (quiet, clock, until) => {
  expect(quietHoursEnd(quiet, at(clock))).toBe(end(until));
});

test.each([
  hours("22:00", ""),
  hours("24:00", "07:00"),
  hours("7:00", "08:00"),
  hours("07:00", "07:00"),
  hours("22:00", "07:00", "Mars/Olympus"),
])("%o are refused", (quiet) => {
  expect(() => readQuietHours(quiet)).toThrow("alert_quiet_hours_invalid");
});

test.each([-1, 1.5, 1441, Number.NaN])("a digest of %p minutes is refused", (minutes) => {
  expect(() => readDigestMinutes(minutes)).toThrow("alert_digest_invalid");
});
