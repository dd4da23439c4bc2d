import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type MarkdownRenderer } from "vitepress";
import { version } from "../../package.json";
import { DOCS_SECTIONS, docsPageIn } from "../../ui/lib/docs/docs-pages.ts";
import { withRequirements } from "./asvs.ts";
import { searchOptions } from "./search.ts";
import { writeTextPages } from "./text-pages.ts";

const BASE = "/docs/";
const SUMMARY = "Documentation of Sluice, the self-hosted AI gateway";

const SECTIONS = sections(false);

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
  // Links and their anchors are followed by scripts/docs/docs-pages.test.ts, in both languages.
  ignoreDeadLinks: true,
  head: [["link", { rel: "icon", href: `${BASE}logo.svg` }]],
  markdown: { config: extendMarkdown, theme: { light: "github-light-high-contrast", dark: "github-dark" } },
  transformHtml: (html, _id, { siteConfig }) => withoutInlineScripts(html, siteConfig.outDir),
  buildEnd: (site) => writeTextPages(site, { title: "Sluice", summary: SUMMARY, base: BASE, sections: SECTIONS }),
  locales: {
    root: { label: "English", lang: "en-US" },
    zh: {
      label: "简体中文",
      lang: "zh-CN",
      description: "Sluice 的文档：自托管的 AI 网关",
      themeConfig: {
        nav: [{ text: `v${version}`, link: "/zh/operate/site/upgrades" }],
        sidebar: sections(true),
        outline: { level: [2, 3], label: "本页内容" },
        docFooter: { prev: "上一页", next: "下一页" },
        darkModeSwitchLabel: "外观",
        lightModeSwitchTitle: "切换到浅色",
        darkModeSwitchTitle: "切换到深色",
        sidebarMenuLabel: "目录",
        returnToTopLabel: "回到顶部",
        langMenuLabel: "语言",
        skipToContentLabel: "跳到内容",
        notFound: {
          title: "没有这个页面",
          quote: "这个地址下没有页面，可能已经移动。",
          linkLabel: "回到首页",
          linkText: "回到首页",
        },
      },
    },
  },
  themeConfig: {
    logo: "/logo.svg",
    nav: [{ text: `v${version}`, link: "/operate/site/upgrades" }],
    search: { provider: "local", options: searchOptions },
    outline: [2, 3],
    i18nRouting: true,
    externalLinkIcon: true,
    sidebar: SECTIONS,
  },
});

/** The sidebar of a language, by tasks; what is not translated leads to the English page. */
function sections(isChinese: boolean) {
  return DOCS_SECTIONS.map(({ name, chineseName, pages }, at) => ({
    text: isChinese ? chineseName : name,
    // The first is open, and the one of the page.
    collapsed: at > 0,
    items: pages.map((page) => docsPageIn(page, isChinese)).map(([text, link]) => ({ text, link })),
  }));
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
