import { expect, test } from "bun:test";
import { QueryClient, queryOptions } from "@tanstack/react-query";
import { replaceData } from "./replace-data.ts";

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
