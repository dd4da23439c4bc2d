import { gatewayMessages } from "../../src/lib/messages/gateway.ts";
import type { Language } from "../../src/lib/messages.ts";

/** Why calls fail, in the gateway's own sentences with i18next's placeholders: the namespace “failures”. */
export async function failureWords(language: Language): Promise<Record<string, string>> {
  const written = language === "zh" ? "zh" : "en";
  const sentences = [
    ...Object.entries(gatewayMessages).map(([code, words]) => [code, words[written]] as const),
    ...(language === "en" || language === "zh" ? [] : Object.entries<string>((await TRANSLATIONS[language]()).default)),
  ];
  return Object.fromEntries(sentences.map(([code, text]) => [code, text.replace(/\{(\w+)\}/g, "{{$1}}")]));
}

const TRANSLATIONS = {
  fr: () => import("../../src/lib/messages/translations/fr.json"),
  ja: () => import("../../src/lib/messages/translations/ja.json"),
  ru: () => import("../../src/lib/messages/translations/ru.json"),
  vi: () => import("../../src/lib/messages/translations/vi.json"),
  "zh-TW": () => import("../../src/lib/messages/translations/zh-TW.json"),
} as const;
