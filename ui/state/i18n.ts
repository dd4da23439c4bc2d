import i18next from "i18next";
import { getDefaultStore } from "jotai";
import { initReactI18next } from "react-i18next";
import { failureWords } from "../locales/failures.ts";
import { storedAtom } from "./stored-atom.ts";

const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language chosen on this device, under any name of it such as "en-US"; null when none was. */
const languageAtom = storedAtom<Language | null>("i18nextLng", {
  parse: (text) => LANGUAGES.find((language) => text?.startsWith(language)) ?? null,
  print: String,
});

/** Each language is a chunk of its own; only the one in use is loaded. */
const LOADERS: Readonly<Record<Language, () => Promise<{ default: object }>>> = {
  en: () => import("../locales/en.ts"),
  zh: () => import("../locales/zh.ts"),
};

/** The language chosen on this device, else the browser's; Chinese when that is neither. */
export function preferredLanguage(): Language {
  return getDefaultStore().get(languageAtom) ?? (navigator.language.toLowerCase().startsWith("en") ? "en" : "zh");
}

/** Loads the words and starts the translation. */
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

/** Switches to a language and remembers it. */
export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", (await LOADERS[language]()).default);
    i18next.addResourceBundle(language, "failures", failureWords(language));
  }
  getDefaultStore().set(languageAtom, language);
  // What is asked for from now on is answered in the new language.
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

/** Calls `listener` whenever another language has been chosen. */
export function onLanguageSwitch(listener: () => void): void {
  i18next.on("languageChanged", listener);
}

/** A text outside of components. */
export const translate = (key: string, values?: Record<string, string | number>): string =>
  i18next.t(key, values ?? {});
