import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export type Language = "en" | "zh";
const STORAGE_KEY = "i18nextLng";

/** Each language is a chunk of its own; only the one in use is loaded. */
const LOADERS: Readonly<Record<Language, () => Promise<{ default: object }>>> = {
  en: () => import("./locales/en.ts"),
  zh: () => import("./locales/zh.ts"),
};

/** The language chosen on this device, else the browser's; Chinese when that is neither. */
export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored?.startsWith("en")) return "en";
  if (stored?.startsWith("zh")) return "zh";
  return navigator.language.toLowerCase().startsWith("en") ? "en" : "zh";
}

/** Loads the words and starts the translation. */
export async function startI18n(language: Language): Promise<void> {
  const { default: words } = await LOADERS[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: words } },
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

/** Switches to a language and remembers it. */
export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", (await LOADERS[language]()).default);
  }
  localStorage.setItem(STORAGE_KEY, language);
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
