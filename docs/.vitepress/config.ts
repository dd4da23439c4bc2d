import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type MarkdownRenderer } from "vitepress";
import { DOCS_SECTIONS } from "../../ui/lib/docs/docs-pages.ts";
import { withRequirements } from "./asvs.ts";
import { writeTextPages } from "./text-pages.ts";

const BASE = "/docs/";
const SUMMARY = "Documentation of Sluice, the self-hosted AI gateway";

const SECTIONS = DOCS_SECTIONS.map(({ name, pages }) => section(name, pages));

/**
 * The documentation site. `bun run build` makes it and embeds it in the executable, which serves it under /docs with the
 * console's content security policy: no inline scripts, no outside requests.
 */
export default defineConfig({
  title: "Sluice",
  titleTemplate: ":title · Sluice",
  description: SUMMARY,
  lang: "en-US",
  base: BASE,
  outDir: "../dist/docs",
  cacheDir: "../node_modules/.cache/vitepress",
  cleanUrls: true,
  // Pages that are made at the same time end up in the search index in any order.
  buildConcurrency: 1,
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", href: `${BASE}logo.svg` }]],
  markdown: { config: extendMarkdown, theme: { light: "github-light-high-contrast", dark: "github-dark" } },
  transformHtml: (html, _id, { siteConfig }) => withoutInlineScripts(html, siteConfig.outDir),
  buildEnd: (site) => writeTextPages(site, { title: "Sluice", summary: SUMMARY, base: BASE, sections: SECTIONS }),
  themeConfig: {
    logo: "/logo.svg",
    search: { provider: "local" },
    outline: [2, 3],
    externalLinkIcon: true,
    sidebar: SECTIONS,
  },
});

function section(text: string, pages: readonly (readonly [text: string, link: string])[]) {
  return { text, items: pages.map(([page, link]) => ({ text: page, link })) };
}

function extendMarkdown(renderer: MarkdownRenderer): void {
  renderer.core.ruler.before("normalize", "asvs", (state) => {
    state.src = withRequirements(state.src);
  });
  linkIncludedPages(renderer);
}

/** CONTRIBUTING.md and ARCHITECTURE.md stand one folder higher in the repository; their links are made to fit the site. */
function linkIncludedPages(renderer: MarkdownRenderer): void {
  renderer.core.ruler.push("included-links", ({ tokens }) => {
    for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === "link_open")) {
      const href = link.attrGet("href") ?? "";
      const page = /^(ARCHITECTURE|CONTRIBUTING)\.md/.exec(href);
      if (page) link.attrSet("href", href.replace(page[0], page[0].toLowerCase()));
      else if (href.startsWith("docs/")) link.attrSet("href", href.slice("docs/".length));
    }
  });
}

/** Moves each inline script into a file, because the content security policy allows only scripts of this origin. */
function withoutInlineScripts(html: string, outDir: string): string {
  return html.replace(/<script( id="[^"]*")?>([^<]+)<\/script>/g, (_whole, _id, script: string) => {
    const name = `assets/inline.${Bun.hash(script).toString(36)}.js`;
    mkdirSync(join(outDir, "assets"), { recursive: true });
    writeFileSync(join(outDir, name), script);
    return `<script src="${BASE}${name}"></script>`;
  });
}
