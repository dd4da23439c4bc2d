import { type OptionKey, optionKeys, registry } from "../../../src/settings/registry/index.ts";
import { SECTIONS } from "../../../ui/features/settings/sections.ts";
import { wordOf } from "../../../ui/features/settings/setting-field.ts";
import english from "../../../ui/locales/en/settings/settings.json";
import chinese from "../../../ui/locales/zh/settings/settings.json";
import { between, headingIn, type PageLanguage } from "./page-parts.ts";

/** Longer defaults are maps and lists: the console shows them. */
const MOST_CHARACTERS = 40;

type Words = Readonly<Record<string, Readonly<{ label?: string; help?: string; title?: string; purpose?: string }>>>;

type Texts = Readonly<{ tabs: Readonly<Record<string, string>>; sections: Words; fields: Words }>;
const TEXTS: Readonly<Record<PageLanguage, Texts>> = { en: english, zh: chinese };

const PAGE = {
  en: {
    head: "| Setting | Key | Default | What it does |",
    others: "Set on other pages",
    rest: "| Key | Default |",
    secret: "*secret*",
    list: "*a list*",
  },
  zh: {
    head: "| 设置 | 键 | 默认值 | 作用 |",
    others: "在其他页面设置",
    rest: "| 键 | 默认值 |",
    secret: "*机密*",
    list: "*列表*",
  },
} as const;

/** Every section of the settings with its options: label, key of the API, default, and what it does. */
export function settingsTables(language: PageLanguage): string {
  const [words, page] = [TEXTS[language], PAGE[language]];
  const titleOf = ({ tabs, sections }: Texts, tab: string, id: string) => `${tabs[tab]}: ${sections[id]?.title ?? id}`;
  const shown = new Set<OptionKey>();
  const parts = SECTIONS.filter(({ fields }) => fields.length > 0).map(({ id, tab, fields }) => {
    const { purpose = "" } = words.sections[id] ?? {};
    const heading = headingIn(language, "###", titleOf(words, tab, id), titleOf(TEXTS.en, tab, id));
    const rows = fields.map(({ key }) => {
      shown.add(key);
      return rowOf(key, language);
    });
    return [heading, "", purpose, "", page.head, "| --- | --- | --- | --- |", ...rows].join("\n");
  });
  const others = optionKeys.filter((key) => !shown.has(key));
  const rest = others.map((key) => `| \`${key}\` | ${defaultOf(key, language)} |`);
  const heading = headingIn(language, "###", page.others, PAGE.en.others);
  return [...parts, [heading, "", page.rest, "| --- | --- |", ...rest].join("\n")].join("\n\n");
}

function rowOf(key: OptionKey, language: PageLanguage): string {
  const { label = key, help = "" } = TEXTS[language].fields[wordOf(key)] ?? {};
  return `| ${cell(label)} | \`${key}\` | ${defaultOf(key, language)} | ${cell(help)} |`;
}

function defaultOf(key: OptionKey, language: PageLanguage): string {
  const { initial, traits } = registry[key];
  if (traits.secret) return PAGE[language].secret;
  if (initial === "") return "";
  const text = initial.replace(/\s+/g, " ");
  return text.length > MOST_CHARACTERS ? PAGE[language].list : `\`${text.replaceAll("|", "\\|")}\``;
}

const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{{", "{").replaceAll("}}", "}");

/** The page of settings with its tables between their markers. Throws when it has no markers. */
export const withSettings = (text: string, language: PageLanguage): string =>
  between(text, "settings", settingsTables(language));
