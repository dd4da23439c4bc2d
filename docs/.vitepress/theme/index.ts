/** The default theme with the console's fonts and colors, search in Chinese, and the site's own address in examples. */
import { type EnhanceAppContext, onContentUpdated } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { showOwnHost } from "./own-host.ts";
import { searchWords } from "./search-words.ts";
import "./style.css";

export default {
  extends: theme,
  enhanceApp({ siteData }: EnhanceAppContext) {
    const { search } = siteData.value.themeConfig;
    search.options.miniSearch = { ...search.options.miniSearch, options: { tokenize: searchWords } };
  },
  setup: () => onContentUpdated(showOwnHost),
};
