import { expect, test } from "bun:test";
import siteConfig from "../../docs/.vitepress/config.ts";
import { brokenLinks, readPages, shellBlocks } from "../../test/support/docs/pages.ts";

const pages = readPages();

test("every link of the documentation leads to a page, a heading or a file", () => {
  expect(pages.flatMap((page) => brokenLinks(page, pages))).toEqual([]);
});

test("a broken link is found", () => {
  const page = { path: "docs/a.md", text: "[x](b.md) [y](#gone) [z](#here) [site](https://example.test)\n\n## Here\n" };
  expect(brokenLinks(page, [page])).toEqual(["docs/a.md → b.md", "docs/a.md → #gone"]);
});

test("the README is a landing page", () => {
  const readme = pages.find(({ path }) => path === "README.md")?.text ?? "";
  expect(Buffer.byteLength(readme)).toBeGreaterThan(1000);
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(8192);
});

test("every guide and operator's page is in the site's sidebar", () => {
  const sidebar = JSON.stringify(siteConfig.themeConfig?.sidebar);
  const listed = pages.filter(({ path }) => /^docs\/(guide|operate)\//.test(path));
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter(({ path }) => !sidebar.includes(`"${path.slice("docs".length, -".md".length)}"`))).toEqual([]);
});

test("every decision is listed", () => {
  const index = pages.find(({ path }) => path === "docs/decisions/index.md")?.text ?? "";
  const decisions = pages.flatMap(({ path }) => /^docs\/decisions\/(?!index)(.+)$/.exec(path)?.[1] ?? []);
  expect(decisions.filter((file) => !index.includes(`](${file})`))).toEqual([]);
});

test("shell blocks are read with their reasons, in lists too", () => {
  const text = "1. Run:\n\n   ```sh\n   ls \\\n     -l\n   ```\n\n```sh not-run: needs root\nreboot\n```\n";
  expect(shellBlocks({ path: "docs/a.md", text })).toEqual([
    { page: "docs/a.md", line: 3, script: "ls \\\n  -l\n", reason: null },
    { page: "docs/a.md", line: 8, script: "reboot\n", reason: "needs root" },
  ]);
});
