import i18next from "i18next";
import { getDefaultStore } from "jotai";
import { initReactI18next } from "react-i18next";
import { failureWords } from "../locales/failures.ts";
import { storedAtom } from "./stored-atom.ts";

const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language chosen on this device, from any tag such as "en-US"; null: none. */
const languageAtom = storedAtom<Language | null>("i18nextLng", {
  parse: (text) => LANGUAGES.find((language) => text?.startsWith(language)) ?? null,
  print: String,
});

/** Each language is its own chunk; only the current one is loaded. */
const LOADERS: Readonly<Record<Language, () => Promise<{ default: object }>>> = {
  en: () => import("../locales/en.ts"),
  zh: () => import("../locales/zh.ts"),
};

/** The language chosen on this device, else the browser's; Chinese when that is neither. */
export function preferredLanguage(): Language {
  return getDefaultStore().get(languageAtom) ?? (navigator.language.toLowerCase().startsWith("en") ? "en" : "zh");
}

/** Loads the language's texts and initializes i18next. */
export async function startI18n(language: Language): Promise<void> {
  const { default: words } = await LOADERS[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: words, failures: failureWords(language) } },
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Switches to a language and stores the choice. */
export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", (await LOADERS[language]()).default);
    i18next.addResourceBundle(language, "failures", failureWords(language));
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
