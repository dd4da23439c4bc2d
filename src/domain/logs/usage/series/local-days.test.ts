import { expect, test } from "bun:test";
import { localEdges } from "./local-days.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text) / 1000;

/** What a clock of a zone shows at a time. */
function shown(timeZone: string, time: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return format.format(time * 1000);
}

test("days of a zone have 23 and 25 hours where its clock changes", () => {
  const edges = localEdges("America/New_York", "day", {
    from: at("2026-10-31T12:00Z"),
    until: at("2026-11-03T12:00Z"),
  });
  expect(edges.map((edge) => new Date(edge * 1000).toISOString())).toEqual([
    "2026-10-31T04:00:00.000Z",
    "2026-11-01T04:00:00.000Z",
    "2026-11-02T05:00:00.000Z",
    "2026-11-03T05:00:00.000Z",
  ]);
});

test("weeks begin on Monday of the reader's calendar", () => {
  const edges = localEdges("Europe/Berlin", "week", { from: at("2026-10-20T00:00Z"), until: at("2026-11-03T00:00Z") });
  expect(edges.map((edge) => shown("Europe/Berlin", edge))).toEqual([
    "2026-10-19 00:00:00",
    "2026-10-26 00:00:00",
    "2026-11-02 00:00:00",
  ]);
});

test.each([
  "UTC",
  "America/New_York",
  "America/Santiago",
  "America/St_Johns",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Asia/Beirut",
  "Atlantic/Azores",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Kiritimati",
])("each day of two years in %s begins with its first moment, and days follow each other", (zone) => {
  const edges = localEdges(zone, "day", { from: at("2025-01-01T12:00Z"), until: at("2027-01-01T12:00Z") });
  const days = edges.map((edge) => shown(zone, edge).slice(0, 10));
  expect(new Set(days).size).toBe(edges.length);
  expect(edges.length).toBeGreaterThanOrEqual(730);
  for (const [index, edge] of edges.entries()) {
    expect(shown(zone, edge - 1).slice(0, 10) < (days[index] ?? "")).toBe(true);
    const next = edges[index + 1];
    if (next !== undefined) expect([22.5, 23, 23.5, 24, 24.5, 25]).toContain((next - edge) / HOUR);
  }
});

test("a range of all times has no more than some thousand periods", () => {
  const until = at("2026-11-28T00:00Z");
  const edges = localEdges("Asia/Shanghai", "day", { from: 0, until });
  expect(edges.length).toBeLessThan(4100);
  expect(edges.at(-1)).toBeGreaterThan(until - DAY);
});
