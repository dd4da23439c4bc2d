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

/** Set once somebody is signed in: the texts of signed-in pages are then loaded with each language. */
let signedInTexts: Promise<void> | null = null;

/** The languages whose texts of signed-in pages are loaded. */
const complete = new Set<Language>();

const infoOf = (language: string) => LANGUAGES.find(({ tag }) => tag === language);

/** Loads the language's texts of public pages and initializes i18next. */
export async function startI18n(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: { ...(await infoOf(language)?.load()) } } },
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Loads the texts that only signed-in pages need; resolves when they can be shown. */
export function loadSignedInTexts(): Promise<void> {
  signedInTexts ??= addSignedInTexts(i18next.language).catch((error) => {
    signedInTexts = null;
    throw error;
  });
  return signedInTexts;
}

/** Adds the texts of a language's signed-in pages, and its sentences on why calls fail. */
async function addSignedInTexts(language: string): Promise<void> {
  const info = infoOf(language);
  if (!info || complete.has(info.tag)) return;
  const [texts, failures] = await Promise.all([
    info.loadSignedIn(),
    import("../locales/failures.ts").then(({ failureWords }) => failureWords(info.tag)),
  ]);
  i18next.addResourceBundle(language, "translation", { ...texts }, true);
  i18next.addResourceBundle(language, "failures", failures);
  complete.add(info.tag);
}

/** Switches to a language and stores the choice. */
export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", { ...(await infoOf(language)?.load()) });
  }
  if (signedInTexts) await addSignedInTexts(language);
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
