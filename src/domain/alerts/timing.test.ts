import { expect, test } from "bun:test";
import { quietHoursEnd, readDigestMinutes, readQuietHours } from "./timing.ts";

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

// Europe/Berlin is two hours ahead from March 29, 2026, 01:00 UTC, to October 25, 01:00 UTC, and one hour else.
test.each([
  ["07:00", "2026-03-28T22:00:30Z", "2026-03-29T05:00:00Z"],
  ["07:00", "2026-03-29T03:10:00Z", "2026-03-29T05:00:00Z"],
  ["07:00", "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"],
  ["07:00", "2026-10-25T00:30:00Z", "2026-10-25T06:00:00Z"],
  // 02:30 does not come in this night; an hour later the clock shows 03:30.
  ["02:30", "2026-03-28T22:00:00Z", "2026-03-29T01:30:00Z"],
])("where the clock is set meanwhile, hours until %s end by it: %s, %s", (until, now, expected) => {
  const seconds = (time: string) => Date.parse(time) / 1000;
  expect(quietHoursEnd(hours("22:00", until, "Europe/Berlin"), seconds(now))).toBe(seconds(expected));
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
