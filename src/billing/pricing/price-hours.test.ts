import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { NO_USAGE } from "../../formats/conversation/reply.ts";
import { decimal } from "../../lib/values/decimal.ts";
import { priceHoursShape } from "../../settings/option/price-shapes.ts";
import { charge } from "./charge.ts";
import { clockText, hoursAt, isInForce, isTimeZone, priceAt, readMinutes } from "./price-hours.ts";
import { createPriceTable } from "./price-table.ts";
import { resolvePrice } from "./resolve-price.ts";

const at = (time: string): number => Date.parse(time) / 1000;
function rule(fields: object) {
  const [read] = priceHoursShape.read([{ input: 2, output: 2, ...fields }]) ?? [];
  if (!read) throw new Error("not a rule");
  return read;
}

describe("hours by the clock of their zone", () => {
  const peak = rule({
    from: "09:00",
    until: "12:00",
    zone: "Asia/Shanghai",
    days: ["mon", "tue", "wed", "thu", "fri"],
  });
  const night = rule({ from: "22:00", until: "06:00", zone: "UTC", days: ["fri"] });
  const york = rule({ from: "01:00", until: "02:00", zone: "America/New_York" });
  const lost = rule({ from: "02:00", until: "03:00", zone: "America/New_York" });
  test.each<[string, ReturnType<typeof rule>, string, boolean]>([
    ["before", peak, "2026-11-27T00:59:59Z", false],
    ["the first minute", peak, "2026-11-27T01:00:00Z", true],
    ["the last second", peak, "2026-11-27T03:59:59Z", true],
    ["the first minute after", peak, "2026-11-27T04:00:00Z", false],
    ["a Saturday", peak, "2026-11-28T01:00:00Z", false],
    ["its first minute", night, "2026-11-27T22:00:00Z", true],
    ["the minute before it", night, "2026-11-27T21:59:59Z", false],
    ["Friday night", night, "2026-11-27T23:00:00Z", true],
    ["the Saturday morning after", night, "2026-11-28T05:59:00Z", true],
    ["its end", night, "2026-11-28T06:00:00Z", false],
    ["the Friday morning before", night, "2026-11-27T05:00:00Z", false],
    ["Saturday night", night, "2026-11-28T23:00:00Z", false],
    // 1 November 2026: clocks go from 2:00 EDT back to 1:00 EST, so this hour comes twice.
    ["an hour that comes twice, first", york, "2026-11-01T05:30:00Z", true],
    ["an hour that comes twice, again", york, "2026-11-01T06:30:00Z", true],
    ["after it came twice", york, "2026-11-01T07:00:00Z", false],
    // 8 March 2026: clocks go from 2:00 EST to 3:00 EDT.
    ["the second before an hour that does not come", lost, "2026-03-08T06:59:59Z", false],
    ["the second after it", lost, "2026-03-08T07:00:00Z", false],
    ["the same hour on the next day", lost, "2026-03-09T06:30:00Z", true],
  ])("%s", (_, hours, time, expected) => {
    expect(isInForce(hours, at(time))).toBe(expected);
  });

  test("hours that end when they begin last a day, from their first minute on", () => {
    const all = { ...night, from: 600, until: 600 };
    const times = ["2026-11-27T09:59:59Z", "2026-11-27T10:00:00Z", "2026-11-28T09:59:59Z", "2026-11-28T10:00:00Z"];
    expect(times.map((time) => isInForce(all, at(time)))).toEqual([false, true, true, false]);
  });

  test("what is in force changes at the second, also when it is looked up within a minute", () => {
    const rules = new Map([["m", [rule({ from: "09:07", until: "09:08", zone: "UTC" })]]]);
    const from = at("2026-11-27T09:00:00Z");
    for (let now = from; now < from + 540; now += 7) {
      const { byModel, validUntil } = hoursAt(rules, now);
      const next = [from + 420, from + 480, from + 900].find((change) => change > now);
      expect([now, validUntil > now, validUntil <= (next ?? 0)]).toEqual([now, true, true]);
      expect([now, byModel.has("m")]).toEqual([now, now >= from + 420 && now < from + 480]);
    }
  });

  test("a price table never outlives a change, whatever the zone and its clock changes", () => {
    const zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Asia/Shanghai"];
    const rules = new Map(
      zones.map((zone, index) => [zone, [rule({ from: "01:07", until: `0${index + 2}:3${index}`, zone })]]),
    );
    for (const day of ["2026-03-08", "2026-04-05", "2026-10-04", "2026-11-01"]) {
      const from = at(`${day}T00:00:00Z`);
      let active = hoursAt(rules, from);
      const wrong: unknown[] = [];
      for (let now = from; now < from + 86_400; now += 180) {
        if (now >= active.validUntil) active = hoursAt(rules, now);
        for (const [zone, [hours]] of rules)
          if (!hours || active.byModel.has(zone) !== isInForce(hours, now)) wrong.push([zone, now]);
      }
      expect(wrong).toEqual([]);
    }
  });
});

describe("the price of a call", () => {
  const usage = { ...NO_USAGE, promptTokens: 1_000_000, completionTokens: 1_000_000 };
  const priceAtTime = (time: string) => {
    const table = createPriceTable(fixedSettings(), () => at(time))();
    const query = { requestedModel: "deepseek-v4-pro", upstreamModel: "", group: "default", acceptUnset: false };
    const price = resolvePrice(table, query);
    if (!price) throw new Error("no price");
    return price;
  };

  test("DeepSeek costs twice as much at its peak hours", () => {
    const peak = charge(priceAtTime("2026-11-27T01:00:00Z"), usage, decimal(500_000));
    const offPeak = charge(priceAtTime("2026-11-27T00:59:59Z"), usage, decimal(500_000));
    expect([offPeak.quota, peak.quota]).toEqual([1_320_000, 2_640_000]);
    expect(peak.receipt.hours).toBe("mon,tue,wed,thu,fri 09:00–12:00 Asia/Shanghai");
    expect(offPeak.receipt.hours).toBeUndefined();
  });

  test("one table changes at the very second", () => {
    let now = at("2026-11-27T00:59:59Z");
    const table = createPriceTable(fixedSettings(), () => now);
    const before = table();
    expect([before.hours.has("deepseek-v4-pro"), table() === before]).toEqual([false, true]);
    now += 1;
    expect(table().hours.has("deepseek-v4-pro")).toBe(true);
  });

  test("what is charged later has the price of its beginning", () => {
    const later = priceAtTime("2026-11-28T12:00:00Z");
    expect(charge(priceAt(later, at("2026-11-27T06:00:00Z")), usage, decimal(500_000)).quota).toBe(2_640_000);
    expect(priceAt(later, at("2026-11-27T05:59:59Z"))).toBe(later);
  });
});

test.each<[string, unknown]>([
  ["no zone", [{ from: "09:00", until: "12:00", input: 2 }]],
  ["an unknown zone", [{ from: "09:00", until: "12:00", zone: "Mars/Base" }]],
  ["an offset, which knows no clock changes", [{ from: "09:00", until: "12:00", zone: "+08:00" }]],
  ["no hours", [{ from: "09:00", until: "09:00", zone: "UTC" }]],
  ["25 o'clock", [{ from: "25:00", until: "26:00", zone: "UTC" }]],
  ["a day twice", [{ days: ["mon", "mon"], from: "09:00", until: "12:00", zone: "UTC" }]],
  ["no days", [{ days: [], from: "09:00", until: "12:00", zone: "UTC" }]],
  ["a negative factor", [{ from: "09:00", until: "12:00", zone: "UTC", input: -1 }]],
  ["another member", [{ from: "09:00", until: "12:00", zone: "UTC", price: 1 }]],
  ["no list", { from: "09:00" }],
])("%s is no rule", (_, value) => {
  expect(priceHoursShape.read(value)).toBeUndefined();
});

test("zones are those of the time zone database", () => {
  expect(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"].filter(isTimeZone)).toHaveLength(3);
  expect(["", "utc+8", "+08:00", "Nowhere/Else", "../etc"].filter(isTimeZone)).toEqual([]);
});

test.each<[unknown, number | null]>([
  ["00:00", 0],
  ["09:30", 570],
  ["23:59", 1439],
  ["24:00", 1440],
  ["24:01", null],
  ["25:00", null],
  ["09:60", null],
  ["9:30", null],
  ["", null],
  [null, null],
  [930, null],
  [["09:30"], null],
])("%p is minute %p of a day, and reads like it", (text, minutes) => {
  expect(readMinutes(text)).toBe(minutes);
  if (minutes !== null) expect(clockText(minutes)).toBe(String(text));
});
