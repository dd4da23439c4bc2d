import { afterEach, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { type SiteStatus, siteAtom } from "./site-atom.ts";
import { loadSiteStatus } from "./site-status.ts";

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
  await loadSiteStatus();
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

test.each([429, 500, 503])("a status call that fails with %d leaves the last known flags", async (status) => {
  const known = { system_name: "Gate", enable_data_export: true, enable_drawing: true, enable_task: true };
  const stored = new Map([["enable_data_export", "true"]]);
  Object.assign(globalThis, {
    fetch: async () =>
      Response.json({ success: false, message: "no", data: { enable_data_export: false } }, { status }),
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
    document: { documentElement: { lang: "en" } },
  });
  getDefaultStore().set(siteAtom, known as SiteStatus);
  await expect(loadSiteStatus()).rejects.toThrow();
  expect(getDefaultStore().get(siteAtom)).toEqual(known as SiteStatus);
  expect(stored.get("enable_data_export")).toBe("true");
});
