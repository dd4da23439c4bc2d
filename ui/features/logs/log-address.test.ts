import { expect, test } from "bun:test";
import { isNarrowed, logFiltersOf } from "./log-address.ts";
import { parametersOf } from "./log-queries.ts";
import { rangeOf } from "./time-range.ts";

const NOW = 1_000_000;
const DAY = { start_timestamp: NOW - 86_400, end_timestamp: NOW + 3600 };

/** What is asked of the server at an address. */
function askedAt(query: Readonly<Record<string, string>>) {
  const text = (key: string) => query[key] ?? "";
  const number = (key: string) => (query[key] ? Number(query[key]) : undefined);
  const range = rangeOf({ range: text("range"), from: number("from"), to: number("to") }, NOW);
  const filters = logFiltersOf({ text, number }, range);
  const { start_timestamp, end_timestamp, request_id } = parametersOf("self", filters);
  return { times: { start_timestamp, end_timestamp }, request_id, isNarrowed: isNarrowed(filters) };
}

test("without a word of time the last day is asked for", () => {
  expect(askedAt({})).toEqual({ times: DAY, request_id: undefined, isNarrowed: false });
  expect(askedAt({ model: "o1" })).toMatchObject({ times: DAY, isNarrowed: true });
});

test("a request is looked for at any time, unless one is named", () => {
  const anyTime = { start_timestamp: undefined, end_timestamp: undefined };
  expect(askedAt({ search: "abc" })).toEqual({ times: anyTime, request_id: "abc", isNarrowed: true });
  expect(askedAt({ search: "abc", range: "24h" }).times).toEqual(DAY);
  expect(askedAt({ search: "abc", from: "5", to: "9" }).times).toEqual({ start_timestamp: 5, end_timestamp: 9 });
});
