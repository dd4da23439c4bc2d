import { expect, test } from "bun:test";
import { join } from "node:path";
import { channelTypes } from "../../../src/providers/registry.ts";
import { withProviders } from "./provider-page.ts";

const DOCS = join(import.meta.dir, "../../../docs");

test.each([
  ["operate/site/provider-setup.md", "en"],
  ["zh/operate/site/provider-setup.md", "zh"],
] as const)("%s matches the providers (else run: bun scripts/docs/compatibility.ts)", async (file, language) => {
  const page = await Bun.file(join(DOCS, file)).text();
  expect(withProviders(page, language)).toBe(page);
  const anchors = [...page.matchAll(/^## .*\{#(.+)\}$/gm)].map(([, anchor]) => anchor);
  expect(anchors.length).toBe(channelTypes.length);
  expect(new Set(anchors).size).toBe(anchors.length);
  expect(page).not.toMatch(/undefined|\*\*[:：] *$/m);
});
