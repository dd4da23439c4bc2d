import i18next from "i18next";
import { getDefaultStore } from "jotai";
import { initReactI18next } from "react-i18next";
import type { Language } from "../../src/lib/messages.ts";
import { storedAtom } from "./stored-atom.ts";

type LanguageInfo = Readonly<{
  /** BCP 47. */
  tag: Language;
  /** In the language itself, so that everybody finds theirs. */
  name: string;
  short: string;
  /** Translated by a machine, and not reviewed yet by somebody who speaks it. */
  isMachineMade?: true;
  /** Each language has two chunks of its own: the texts of public pages, and those that only signed-in pages need. */
  load: () => Promise<object>;
  loadSignedIn: () => Promise<object>;
}>;

/** The console's languages. */
export const LANGUAGES: readonly LanguageInfo[] = [
  {
    tag: "en",
    name: "English",
    short: "EN",
    load: () => import("../locales/en/public.ts"),
    loadSignedIn: () => import("../locales/en/signed-in.ts"),
  },
  {
    tag: "zh",
    name: "简体中文",
    short: "中",
    load: () => import("../locales/zh/public.ts"),
    loadSignedIn: () => import("../locales/zh/signed-in.ts"),
  },
  {
    tag: "zh-TW",
    name: "繁體中文",
    short: "繁",
    isMachineMade: true,
    load: () => import("../locales/zh-TW/public.ts"),
    loadSignedIn: () => import("../locales/zh-TW/signed-in.ts"),
  },
  {
    tag: "ja",
    name: "日本語",
    short: "日",
    isMachineMade: true,
    load: () => import("../locales/ja/public.ts"),
    loadSignedIn: () => import("../locales/ja/signed-in.ts"),
  },
  {
    tag: "fr",
    name: "Français",
    short: "FR",
    isMachineMade: true,
    load: () => import("../locales/fr/public.ts"),
    loadSignedIn: () => import("../locales/fr/signed-in.ts"),
  },
  {
    tag: "ru",
    name: "Русский",
    short: "RU",
    isMachineMade: true,
    load: () => import("../locales/ru/public.ts"),
    loadSignedIn: () => import("../locales/ru/signed-in.ts"),
  },
  {
    tag: "vi",
    name: "Tiếng Việt",
    short: "VI",
    isMachineMade: true,
    load: () => import("../locales/vi/public.ts"),
    loadSignedIn: () => import("../locales/vi/signed-in.ts"),
  },
];

/** The console's language for a tag such as "fr-CA" or "zh-HK" (BCP 47); null: none. */
function languageOfTag(tag: string): Language | null {
  if (/^zh-(?:.*-)?(?:hant|tw|hk|mo)\b/i.test(tag)) return "zh-TW";
  const [language] = tag.toLowerCase().split("-");
  return LANGUAGES.find((known) => known.tag === language)?.tag ?? null;
}

/** The language chosen on this device; null: none. */
const languageAtom = storedAtom<Language | null>("i18nextLng", {
  parse: (text) => (text === null ? null : languageOfTag(text)),
  print: String,
});

/** The language chosen on this device, else the first of the browser's that is ours; Chinese when there is none. */
export function preferredLanguage(): Language {
  const chosen = getDefaultStore().get(languageAtom);
  if (chosen) return chosen;
  for (const tag of navigator.languages) {
    const language = languageOfTag(tag);
    if (language) return language;
  }
  return "zh";
}

/** Set once a signed-in page was opened: its texts are then loaded with each language. */
let signedInTexts: Promise<void> | null = null;

/** The texts of a language and its sentences on why calls fail. */
async function load(language: Language): Promise<{ translation: object; failures: object }> {
  const info = LANGUAGES.find(({ tag }) => tag === language);
  const [words, more, failures] = await Promise.all([
    info?.load(),
    signedInTexts ? info?.loadSignedIn() : {},
    import("../locales/failures.ts").then(({ failureWords }) => failureWords(language)),
  ]);
  return { translation: { ...words, ...more }, failures };
}

/** Loads the language's texts and initializes i18next. */
export async function startI18n(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: await load(language) },
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Loads the texts that only signed-in pages need; resolves when they can be shown. */
export function loadSignedInTexts(): Promise<void> {
  signedInTexts ??= addSignedInTexts();
  return signedInTexts;
}

async function addSignedInTexts(): Promise<void> {
  const { language } = i18next;
  const texts = await LANGUAGES.find(({ tag }) => tag === language)?.loadSignedIn();
  i18next.addResourceBundle(language, "translation", { ...texts }, true);
}

/** Switches to a language and stores the choice. */
export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    const { translation, failures } = await load(language);
    i18next.addResourceBundle(language, "translation", translation);
    i18next.addResourceBundle(language, "failures", failures);
  }
  getDefaultStore().set(languageAtom, language);
  // Later requests ask for the new language.
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

/** Calls `listener` whenever the language changes. */
export function onLanguageSwitch(listener: () => void): void {
  i18next.on("languageChanged", listener);
}

/** Translates a text outside components. */
export const translate = (key: string, values?: Record<string, string | number>): string =>
  i18next.t(key, values ?? {});
