import { expect, test } from "bun:test";
import { QueryClient, queryOptions } from "@tanstack/react-query";
import { changePages, replaceData } from "./replace-data.ts";

test("a read that began before a change does not bring back the old state", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const late = Promise.withResolvers<string>();
  const state = queryOptions({ queryKey: ["state"], queryFn: () => late.promise });
  const reading = client.fetchQuery(state).catch(() => null);
  await replaceData(client, state.queryKey, "new");
  late.resolve("old");
  await reading;
  expect(client.getQueryData(state.queryKey)).toBe("new");
  client.clear();
});

test("a change of a list's rows is not undone by a read that began before it", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const late = Promise.withResolvers<number[]>();
  const first = queryOptions({ queryKey: ["rows", 1], queryFn: () => late.promise });
  client.setQueryData(first.queryKey, [1, 2]);
  const reading = client.fetchQuery({ ...first, staleTime: 0 }).catch(() => null);
  await changePages<number[]>(client, ["rows"], (rows) => rows.map((row) => row * 10));
  late.resolve([1, 2]);
  await reading;
  expect(client.getQueryData(first.queryKey)).toEqual([10, 20]);
  expect(client.getQueryData(["rows", 2])).toBeUndefined();
  client.clear();
});
