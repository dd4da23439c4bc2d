import texts from "texts:all";
import i18next from "i18next";
import { getDefaultStore } from "jotai";
import { initReactI18next } from "react-i18next";
import type { Language } from "../../src/lib/messages.ts";
import type { Part } from "../locales/parts.ts";
import { storedAtom } from "./stored-atom.ts";

type LanguageInfo = Readonly<{
  /** BCP 47. */
  tag: Language;
  /** In the language itself, so that everybody finds theirs. */
  name: string;
  short: string;
  /** Translated by a machine, and not reviewed yet by somebody who speaks it. */
  isMachineMade?: true;
}>;

/** The console's languages. */
export const LANGUAGES: readonly LanguageInfo[] = [
  {
    tag: "en",
    name: "English",
    short: "EN",
  },
  {
    tag: "zh",
    name: "简体中文",
    short: "中",
  },
  {
    tag: "zh-TW",
    name: "繁體中文",
    short: "繁",
    isMachineMade: true,
  },
  {
    tag: "ja",
    name: "日本語",
    short: "日",
    isMachineMade: true,
  },
  {
    tag: "fr",
    name: "Français",
    short: "FR",
    isMachineMade: true,
  },
  {
    tag: "ru",
    name: "Русский",
    short: "RU",
    isMachineMade: true,
  },
  {
    tag: "vi",
    name: "Tiếng Việt",
    short: "VI",
    isMachineMade: true,
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

/** The parts that some page requested: they are loaded with each language from then on. */
const requested = new Map<Part, Promise<void>>();

/** A navigation while the page loads asks for parts before the language is known: they wait for it. */
const started = Promise.withResolvers<void>();

/** What is loaded, as "language/part". */
const loaded = new Set<string>();

const infoOf = (language: string) => LANGUAGES.find(({ tag }) => tag === language);

/** Loads the language's texts of the sign-in page and initializes i18next. */
export async function startI18n(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: { ...(await texts[language].public()) } } },
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
  started.resolve();
}

/** Loads parts of the texts; resolves when they can be shown. */
export async function loadTexts(...parts: Part[]): Promise<void> {
  await Promise.all(parts.map(loadPart));
}

function loadPart(part: Part): Promise<void> {
  const known = requested.get(part);
  if (known) return known;
  const loading = started.promise
    .then(() => addPart(i18next.language, part))
    .catch((error) => {
      requested.delete(part);
      throw error;
    });
  requested.set(part, loading);
  return loading;
}

/** Adds a part of a language's texts; to those of records belong the sentences on why calls fail. */
async function addPart(language: string, part: Part): Promise<void> {
  const info = infoOf(language);
  const name = `${language}/${part}`;
  if (!info || loaded.has(name)) return;
  const [own, failures] = await Promise.all([
    texts[info.tag][part](),
    part === "records" && import("../locales/failures.ts").then(({ failureWords }) => failureWords(info.tag)),
  ]);
  i18next.addResourceBundle(language, "translation", { ...own }, true);
  if (failures) i18next.addResourceBundle(language, "failures", failures);
  loaded.add(name);
}

/** Switches to a language and stores the choice. */
export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", { ...(await texts[language].public()) });
  }
  await Promise.all([...requested.keys()].map((part) => addPart(language, part)));
  getDefaultStore().set(languageAtom, language);
  // Later requests ask for the new language.
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

/** Calls `listener` whenever the language changes; returns what ends that. */
export function onLanguageSwitch(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => i18next.off("languageChanged", listener);
}

/** Translates a text outside components. */
export const translate = (key: string, values?: Record<string, string | number>): string =>
  i18next.t(key, values ?? {});
