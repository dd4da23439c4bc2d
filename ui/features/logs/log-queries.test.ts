import { afterEach, expect, test } from "bun:test";
import { QueryClient } from "@tanstack/react-query";
import { logPage, requestRows } from "./log-queries.ts";

const ROWS = [
  { id: 9, created_at: 500 },
  { id: 4, created_at: 500 },
];
const FILTERS = { start: 1, end: 1000, model: "gpt" };
const { fetch, localStorage, document } = globalThis;
afterEach(() => Object.assign(globalThis, { fetch, localStorage, document }));

/** What is asked of the server. */
function listen(): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  const answer = async (address: string) => {
    asked.push(new URL(address, "http://gate.test").searchParams);
    return Response.json({ success: true, message: "", data: { items: ROWS, total: 100 } });
  };
  const browser = { localStorage: { getItem: () => null }, document: { documentElement: { lang: "en" } } };
  Object.assign(globalThis, { fetch: answer, ...browser });
  return asked;
}

test("a page is read behind the one before it, by number where that one is not known", async () => {
  const asked = listen();
  const client = new QueryClient();
  for (const page of [0, 1, 5]) await client.fetchQuery(logPage("self", FILTERS, page, 2));
  await client.fetchQuery(logPage("self", { ...FILTERS, model: "o1" }, 1, 2));
  await client.fetchQuery(logPage("self", FILTERS, 1, 10));
  expect(asked.map((query) => [query.get("p"), query.get("before")])).toEqual([
    ["1", null],
    ["2", "500-4"],
    ["6", null],
    ["2", null],
    ["2", null],
  ]);
  client.clear();
});

test("a request is read with as many rows as the server gives at once, and says how many there are", async () => {
  const asked = listen();
  const client = new QueryClient();
  const { items, total } = await client.fetchQuery(requestRows("self", "talk"));
  expect([items.length, total]).toEqual([ROWS.length, 100]);
  expect(asked.map((query) => query.toString())).toEqual(["request_id=talk&page_size=100"]);
  client.clear();
});
