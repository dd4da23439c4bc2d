import { afterEach, expect, test } from "bun:test";
import { QueryClient } from "@tanstack/react-query";
import { siteStatus } from "./site-status.ts";

const { fetch, localStorage, document } = globalThis;
afterEach(() => Object.assign(globalThis, { fetch, localStorage, document }));

test("what the ecosystem's pages read from local storage is there, each under its own name", async () => {
  const facts = {
    system_name: "Gate",
    logo: "",
    footer_html: "<p>foot</p>",
    quota_per_unit: 500_000,
    display_in_currency: true,
    enable_data_export: true,
    enable_drawing: false,
    enable_task: true,
    mj_notify_enabled: false,
    chats: [{ Lock: "https://lock.test/{key}" }],
  };
  const storedItems = new Map<string, string>();
  Object.assign(globalThis, {
    fetch: async () => Response.json({ success: true, message: "", data: facts }),
    localStorage: {
      getItem: (key: string) => storedItems.get(key) ?? null,
      setItem: (key: string, value: string) => storedItems.set(key, value),
    },
    document: { documentElement: { lang: "en" } },
  });
  const client = new QueryClient();
  await client.fetchQuery(siteStatus);
  client.clear();
  expect(Object.fromEntries(storedItems)).toEqual({
    status: JSON.stringify(facts),
    system_name: "Gate",
    logo: "",
    footer_html: "<p>foot</p>",
    quota_per_unit: "500000",
    display_in_currency: "true",
    enable_data_export: "true",
    enable_drawing: "false",
    enable_task: "true",
    mj_notify_enabled: "false",
    chats: JSON.stringify(facts.chats),
  });
});
