import { afterEach, expect, test } from "bun:test";
import { QueryClient } from "@tanstack/react-query";
import { rangeOf } from "../time-range.ts";
import { isNarrowed, logFiltersOf, logPage, parametersOf, requestRows } from "./log-queries.ts";

const ROWS = [
  { id: 9, created_at: 500 },
  { id: 4, created_at: 500 },
];
const FILTERS = { start: 1, end: 1000, model: "gpt" };
const { fetch, localStorage, document } = globalThis;
afterEach(() => Object.assign(globalThis, { fetch, localStorage, document }));

/** What is asked of the server. */
function listen(): URLSearchParams[] {
  const requests: URLSearchParams[] = [];
  const answer = async (address: string) => {
    requests.push(new URL(address, "http://gate.test").searchParams);
    return Response.json({ success: true, message: "", data: { items: ROWS, total: 100 } });
  };
  const browser = { localStorage: { getItem: () => null }, document: { documentElement: { lang: "en" } } };
  Object.assign(globalThis, { fetch: answer, ...browser });
  return requests;
}

test("a page is read behind the one before it, by number where that one is not known", async () => {
  const requests = listen();
  const client = new QueryClient();
  for (const page of [0, 1, 5]) await client.fetchQuery(logPage("self", FILTERS, page, 2));
  await client.fetchQuery(logPage("self", { ...FILTERS, model: "o1" }, 1, 2));
  await client.fetchQuery(logPage("self", FILTERS, 1, 10));
  expect(requests.map((query) => [query.get("p"), query.get("before")])).toEqual([
    ["1", null],
    ["2", "500-4"],
    ["6", null],
    ["2", null],
    ["2", null],
  ]);
  client.clear();
});

test("a request is read with as many rows as the server gives at once, and says how many there are", async () => {
  const requests = listen();
  const client = new QueryClient();
  const { items, total } = await client.fetchQuery(requestRows("self", "r1"));
  expect([items.length, total]).toEqual([ROWS.length, 100]);
  expect(requests.map((query) => query.toString())).toEqual(["request_id=r1&page_size=100"]);
  client.clear();
});

const NOW = 1_000_000;
const DAY = { start_timestamp: NOW - 86_400, end_timestamp: NOW + 3600 };

/** What is asked of the server at an address. */
function parametersAt(query: Readonly<Record<string, string>>) {
  const text = (key: string) => query[key] ?? "";
  const number = (key: string) => (query[key] ? Number(query[key]) : undefined);
  const range = rangeOf({ range: text("range"), from: number("from"), to: number("to") }, NOW);
  const filters = logFiltersOf({ text, number }, range);
  const { start_timestamp, end_timestamp, request_id, ip } = parametersOf("self", filters);
  return { times: { start_timestamp, end_timestamp }, request_id, ...(ip && { ip }), isNarrowed: isNarrowed(filters) };
}

test("without a word of time the last day is asked for", () => {
  expect(parametersAt({})).toEqual({ times: DAY, request_id: undefined, isNarrowed: false });
  expect(parametersAt({ model: "o1" })).toMatchObject({ times: DAY, isNarrowed: true });
});

test("a request is looked for at any time, unless one is named", () => {
  const anyTime = { start_timestamp: undefined, end_timestamp: undefined };
  expect(parametersAt({ search: "abc" })).toEqual({ times: anyTime, request_id: "abc", isNarrowed: true });
  expect(parametersAt({ search: "abc", range: "24h" }).times).toEqual(DAY);
  for (const ip of ["203.0.113.9", "2001:db8::1", "::ffff:10.0.0.1"]) {
    expect(parametersAt({ search: ip })).toEqual({ times: DAY, request_id: undefined, ip, isNarrowed: true });
  }
  expect(parametersAt({ search: "abc", from: "5", to: "9" }).times).toEqual({ start_timestamp: 5, end_timestamp: 9 });
});
