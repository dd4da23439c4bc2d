import { expect, test } from "bun:test";
import { join } from "node:path";
import { optionKeys } from "../../../src/settings/registry/index.ts";
import { settingsTables, withSettings } from "./settings-table.ts";

test("the page of settings matches the registry (else run: bun scripts/docs/compatibility.ts)", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/operate/site/settings.md")).text();
  expect(withSettings(page)).toBe(page);
});

test("every option is listed once, and no secret has its default shown", () => {
  const keys = [...settingsTables().matchAll(/\| `([\w.]+)` \|/g)].map(([, key]) => String(key));
  expect(keys.toSorted()).toEqual([...optionKeys].map(String).toSorted());
});
