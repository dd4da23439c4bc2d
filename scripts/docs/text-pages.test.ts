import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import siteConfig from "../../docs/.vitepress/config.ts";
import { writeTextPages } from "../../docs/.vitepress/text-pages.ts";

const outDir = mkdtempSync(join(tmpdir(), "text-pages-"));
afterAll(() => rmSync(outDir, { recursive: true }));

test("every page of the site is listed for agents, with what it is about, and stands there as Markdown", () => {
  const srcDir = join(import.meta.dir, "../../docs");
  const pages = [...new Bun.Glob("**/*.md").scanSync({ cwd: srcDir })];
  const { sidebar } = siteConfig.themeConfig ?? {};
  const sections = sidebar as { text: string; items: { text: string; link: string }[] }[];
  writeTextPages({ srcDir, outDir, pages }, { title: "T", summary: "S", base: "/docs/", sections });
  const list = readFileSync(join(outDir, "llms.txt"), "utf8");
  const links = [...list.matchAll(/^- \[.+\]\(\/docs\/(.+)\)(: \S.+)?$/gm)];
  expect(links).toHaveLength(sections.flatMap(({ items }) => items).length);
  for (const [line, page = "", about] of links) {
    expect(existsSync(join(outDir, page))).toBe(true);
    expect([line, about]).toEqual([line, expect.any(String)]);
  }
  expect(readFileSync(join(outDir, "architecture.md"), "utf8")).toStartWith("# Architecture");
});
