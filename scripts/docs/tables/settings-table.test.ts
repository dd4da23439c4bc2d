import { expect, test } from "bun:test";
import { join } from "node:path";
import { optionKeys } from "../../../src/settings/registry/index.ts";
import { settingsTables, withSettings } from "./settings-table.ts";

test.each([
  ["operate/site/settings.md", "en"],
  ["zh/operate/site/settings.md", "zh"],
] as const)("%s matches the registry (else run: bun scripts/docs/compatibility.ts)", async (file, language) => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs", file)).text();
  expect(withSettings(page, language)).toBe(page);
});

test("every option is listed once, and no secret has its default shown", () => {
  const keys = [...settingsTables("en").matchAll(/\| `([\w.]+)` \|/g)].map(([, key]) => String(key));
  expect(keys.toSorted()).toEqual([...optionKeys].map(String).toSorted());
});
