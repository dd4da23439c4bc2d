import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { NAV } from "../../features/system/shell/nav.ts";
import { docsAddress, docsOf, isInChinese, LINKED_DOCS } from "./docs-address.ts";
import { DOCS_SECTIONS } from "./docs-pages.ts";

const DOCS = path.resolve(import.meta.dir, "../../../docs");
const pages = DOCS_SECTIONS.flatMap((section) => section.pages);

test("every listed page is a file, once", () => {
  for (const [title, page] of pages) {
    const file = page.endsWith("/") ? `${page}index.md` : `${page}.md`;
    expect([title, existsSync(path.join(DOCS, file))]).toEqual([title, true]);
  }
  expect(new Set(pages.map(([, page]) => page)).size).toBe(pages.length);
});

test("pages with a title in Chinese, and no others, are translated", () => {
  for (const [title, page, chineseTitle] of pages) {
    const file = path.join(DOCS, "zh", `${page}.md`);
    expect([title, isInChinese(page), existsSync(file)]).toEqual([title, ...Array(2).fill(chineseTitle !== undefined)]);
  }
});

test("pages and forms of the console lead to pages that are listed", () => {
  const listed = pages.map(([, page]) => page);
  expect(LINKED_DOCS.filter((page) => !listed.includes(page))).toEqual([]);
  expect(docsOf("/channel/edit/7")).toBe("/guide/channels");
  expect(docsOf("/nowhere")).toBeNull();
  const explained = NAV.flatMap(({ items }) => items).filter(({ path: page }) => docsOf(page) !== null);
  expect(explained.length).toBeGreaterThan(20);
});

test("a site that links to another documentation keeps its own", () => {
  expect(docsAddress("/docs/", "/guide/api", "en")).toBe("/docs/guide/api");
  expect(docsAddress("https://docs.example.com", "/guide/api", "en")).toBeNull();
  expect(docsAddress(undefined, "/guide/api", "zh")).toBeNull();
});

test("who reads the console in Chinese gets the pages that are translated, and the others in English", () => {
  expect(docsAddress("/docs/", "/guide/api", "zh-TW")).toBe("/docs/zh/guide/api");
  expect(docsAddress("/docs/", "/guide/compatibility", "zh")).toBe("/docs/guide/compatibility");
});
