import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessMessages } from "./messages/accounts/access.ts";
import { budgetMessages, organizationMessages, policyMessages } from "./messages/accounts/organizations.ts";
import { oauthMessages, securityMessages, setupMessages, signUpMessages } from "./messages/accounts/sign-in.ts";
import { storedChatMessages } from "./messages/accounts/stored-chats.ts";
import { accountMessages } from "./messages/accounts/users.ts";
import { alertMessages } from "./messages/alerts.ts";
import { tokenMessages } from "./messages/api-keys.ts";
import { channelMessages } from "./messages/channels.ts";
import { commonMessages, reasonMessages } from "./messages/common.ts";
import { mcpMessages } from "./messages/gateway/tool-servers.ts";
import { gatewayMessages } from "./messages/gateway.ts";
import { logMessages } from "./messages/logs.ts";
import { notifyMessages } from "./messages/notifications.ts";
import { settingMessages } from "./messages/settings.ts";
import { doctorMessages } from "./messages/system/diagnostics/diagnostics.ts";
import { doctorWorkMessages } from "./messages/system/diagnostics/diagnostics-work.ts";
import { journalMessages } from "./messages/system/journal.ts";
import { publicPageMessages } from "./messages/system/public-pages.ts";
import { planMessages } from "./messages/wallet/plans.ts";
import { statementMessages } from "./messages/wallet/statements.ts";
import { codeMessages, walletMessages } from "./messages/wallet/wallet.ts";

/** Everything the server says to a person, by code, in English and Chinese; `{name}` is filled from the parameters. */
export const catalogue = {
  ...commonMessages,
  ...accountMessages,
  ...settingMessages,
  ...setupMessages,
  ...channelMessages,
  ...signUpMessages,
  ...notifyMessages,
  ...alertMessages,
  ...oauthMessages,
  ...organizationMessages,
  ...budgetMessages,
  ...policyMessages,
  ...accessMessages,
  ...securityMessages,
  ...tokenMessages,
  ...logMessages,
  ...mcpMessages,
  ...walletMessages,
  ...storedChatMessages,
  ...statementMessages,
  ...planMessages,
  ...codeMessages,
  ...doctorMessages,
  ...doctorWorkMessages,
  ...journalMessages,
  ...reasonMessages,
  ...gatewayMessages,
  ...publicPageMessages,
} as const satisfies Record<string, Message>;

type Message = Readonly<{ en: string; zh: string }>;
export type MessageCode = keyof typeof catalogue;
/** What a message is filled in with; a sentence within it is in the same language. */
export type MessageParams = Readonly<{ [name: string]: string | number | Sentence }>;
/** A message by its code, to be shown in the reader's language. */
export type Sentence = Readonly<{ code: MessageCode; params?: MessageParams }>;

const TRANSLATED = ["fr", "ja", "ru", "vi", "zh-TW"] as const;
type TranslatedLanguage = (typeof TRANSLATED)[number];
/** Without messages that are newer than the release it was made for. */
type Translation = Readonly<Partial<Record<MessageCode, string>>>;
const TRANSLATIONS = Bun.isStandaloneExecutable
  ? "/$bunfs/root/translations"
  : join(import.meta.dir, "messages/translations");
/** The same in the other languages, each read when it is first needed. */
const translations = new Map<TranslatedLanguage, Translation>();

function translationOf(language: TranslatedLanguage): Translation {
  const known = translations.get(language);
  if (known) return known;
  const read: Translation = JSON.parse(readFileSync(join(TRANSLATIONS, `${language}.json`), "utf8"));
  translations.set(language, read);
  return read;
}

/** A language of the server and the console, by its tag (BCP 47). */
export type Language = WrittenLanguage | TranslatedLanguage;
/** The languages of mails, notices and alerts. */
export type WrittenLanguage = keyof Message;

/** The language of mails, notices and alerts for a reader of `language`. */
export const writtenLanguage = (language: string): WrittenLanguage => (language.startsWith("zh") ? "zh" : "en");

/** The message in a language; a placeholder without a parameter stays as it is. */
export function say(code: MessageCode, language: Language, params: MessageParams = {}): string {
  const written = catalogue[code];
  const text =
    language === "en" || language === "zh" ? written[language] : (translationOf(language)[code] ?? written.en);
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = params[name];
    if (value === undefined) return placeholder;
    return typeof value === "object" ? say(value.code, language, value.params) : String(value);
  });
}

/** Whether a stored value is a message that this release knows. */
export function isSentence(value: unknown): value is Sentence {
  if (typeof value !== "object" || value === null) return false;
  const { code, params = {} } = value as Readonly<Record<string, unknown>>;
  if (typeof code !== "string" || !Object.hasOwn(catalogue, code)) return false;
  if (typeof params !== "object" || params === null) return false;
  return Object.values(params).every((part) => typeof part !== "object" || isSentence(part));
}

/** The supported language that the client prefers (Accept-Language, RFC 9110, 12.5.4); English if it names none. */
export function languageOf(request: Request): Language {
  const header = request.headers.get("accept-language");
  if (!header) return "en";
  let best: { language: Language; weight: number } = { language: "en", weight: 0 };
  for (const entry of header.split(",")) {
    const [range = "", ...options] = entry.trim().split(";");
    const quality = options.find((option) => option.trim().toLowerCase().startsWith("q="));
    const weight = quality ? Number(quality.trim().slice(2)) : 1;
    const language = languageOfTag(range);
    if (language && weight > best.weight) best = { language, weight };
  }
  return best.language;
}

/** The supported language for a tag such as `fr-CA` or `zh-Hant-HK` (RFC 4647, 3.4); null if there is none. */
export function languageOfTag(tag: string): Language | null {
  const lower = tag.toLowerCase();
  if (/^zh-(?:.*-)?(?:hant|tw|hk|mo)\b/.test(lower)) return "zh-TW";
  const [language = ""] = lower.split("-");
  if (language === "en" || language === "zh") return language;
  return TRANSLATED.find((known) => known === language) ?? null;
}
