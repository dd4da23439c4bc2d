import type { DefaultTheme } from "vitepress";
import { inPairs } from "./theme/search-words.ts";

/** Pages about the making of the product are found by their headings alone, so that they stand behind guides. */
const BY_HEADINGS = /^(?:decisions|contributing)\/|^(?:architecture|contributing)\.md$/;

const HEADING = /<h[1-6][\s\S]*?<\/h[1-6]>/g;
/** How often the words of a Chinese heading count. */
const HEADING_WEIGHT = 6;
const onlyHeadings = (html: string): string => (html.match(HEADING) ?? []).join("\n");

/** A page as it is searched in: Chinese in pairs of characters. Headings are shown among what is found: they stay, and are repeated below. */
const searchable = (html: string): string => {
  let rest = 0;
  const parts = [...html.matchAll(HEADING)].map(({ 0: heading, index }) => {
    const before = inPairs(html.slice(rest, index));
    rest = index + heading.length;
    return `${before}${heading}<p>${inPairs(heading.replace(/<[^>]+>/g, "")).repeat(HEADING_WEIGHT)}</p>`;
  });
  return parts.join("") + inPairs(html.slice(rest));
};

/**
 * The search of the site. Its index is made at build time; the browser gets no functions with it, which the content security policy
 * would not run: `theme/index.ts` adds what splits Chinese. A word as it is typed counts most, then words that begin so, then similar ones.
 * Source: https://lucaong.github.io/minisearch/types/MiniSearch.SearchOptions.html
 */
export const searchOptions: DefaultTheme.LocalSearchOptions = {
  miniSearch: {
    searchOptions: {
      fuzzy: 0.15,
      weights: { prefix: 0.3, fuzzy: 0.05 },
      boost: { title: 6, titles: 2, text: 1 },
    },
  },
  _render(source, env, markdown) {
    const html = markdown.render(source, env);
    if (env.frontmatter?.search === false) return "";
    if (BY_HEADINGS.test(env.relativePath)) return onlyHeadings(html);
    return env.relativePath.startsWith("zh/") ? searchable(html) : html;
  },
  locales: {
    zh: {
      translations: {
        button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
        modal: {
          displayDetails: "显示详情",
          resetButtonTitle: "清空",
          backButtonTitle: "关闭搜索",
          noResultsText: "没有结果：",
          footer: {
            selectText: "打开",
            selectKeyAriaLabel: "回车",
            navigateText: "移动",
            navigateUpKeyAriaLabel: "向上",
            navigateDownKeyAriaLabel: "向下",
            closeText: "关闭",
            closeKeyAriaLabel: "Esc",
          },
        },
      },
    },
  },
};
