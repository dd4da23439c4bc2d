import type { PolicySet } from "../../domain/accounts/organizations/policies/policy.ts";
import { type JsonObject, recordOf, textOf } from "../../formats/json.ts";
import { addContent } from "../../formats/openai-chat/request/summary.ts";
import type { SensitiveWords } from "../../settings/sensitive-words.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { ClientBody } from "../call/endpoint.ts";
import { type Route, valueOfBody } from "../call/route.ts";

/** Contents of a call for the log (option LogChatContentEnabled), each truncated to a size that fits a log row. */
export type LoggedContent = {
  system_prompt?: string;
  input_content?: string;
  /** The other messages, as JSON. */
  context?: string;
  output_content?: string;
};

/** How contents are logged. */
export type ContentRules = Readonly<{
  /** The maximum length of each text. */
  maxCharacters: number;
  /** Remove keys, addresses and personal numbers, and matches of `patterns`. */
  redacts: boolean;
  patterns: SensitiveWords;
}>;

/** Extra characters beyond the limit to inspect, for a secret that crosses it. */
const SLACK = 4000;

/** Whether no policy forbids to log contents. */
export const logsContent = (policies: PolicySet | undefined): boolean =>
  !policies || policies.every((policy) => policy.logsContent);

/** The site's rules, where it logs contents; null if a policy forbids it. */
export const contentRules = (settings: SettingsReader, policies: PolicySet | undefined): ContentRules | null =>
  logsContent(policies)
    ? {
        maxCharacters: settings.values.LogContentMaxCharacters,
        redacts: settings.values.LogContentRedactEnabled,
        patterns: settings.values.LogContentRedactPatterns,
      }
    : null;

/** System messages joined, the last user message, the messages between, and the response's text. */
export function contentToLog(body: JsonObject, output: string, rules: ContentRules): LoggedContent {
  const cut = (text: string) => redacted(text, rules);
  const content: LoggedContent = { output_content: cut(output) };
  if (!Array.isArray(body.messages)) {
    const input = body.prompt ?? body.input;
    const text = textOf(input);
    return input === undefined
      ? content
      : { ...content, input_content: text === null ? redactedJson(input, rules) : cut(text) };
  }
  const messages = body.messages.map((message) => recordOf(message) ?? {});
  const isSystem = (message: JsonObject) => message.role === "system" || message.role === "developer";
  const last = messages.findLastIndex((message) => message.role === "user");
  const system = messages.filter(isSystem).map(contentText).join("\n");
  const others = messages.filter((message, index) => index !== last && !isSystem(message));
  if (system !== "") content.system_prompt = cut(system);
  if (last >= 0) content.input_content = cut(contentText(messages[last] ?? {}));
  if (others.length > 0) {
    const context = others.map((message) => ({ role: message.role, content: contentText(message) }));
    content.context = redactedJson(context, rules);
  }
  return content;
}

/** A request as the client sent it, and as the upstream received it; JSON in the order of each. */
export type LoggedExchange = Readonly<{
  client: string;
  /** Absent: the same. */
  upstream?: string;
  /** The client's format, if it is a chat. */
  format?: string;
  /** Parts of the client's request were left out. */
  cut?: true;
}>;

/** The parts of a call that say what was sent. */
type SentCall = Readonly<{
  endpoint: Readonly<{
    capability: string;
    compacts?: true;
    codec: Readonly<{ dialect: string }>;
  }>;
  body: Pick<ClientBody, "json" | "form">;
  servedBy: Pick<Route, "sent"> | null;
}>;

/** The bodies of a call's last attempt for the log; null if nothing was sent, or the body is a form. */
export function exchangeToLog({ endpoint, body, servedBy }: SentCall, rules: ContentRules): LoggedExchange | null {
  const sent = servedBy?.sent;
  const value = sent === undefined || body.form ? undefined : valueOfBody(sent);
  if (value === undefined) return null;
  const { text: client, isCut } = bodyToLog(body.json, rules);
  const { text: upstream } = bodyToLog(value, rules);
  return {
    client,
    ...(client !== upstream && { upstream }),
    ...(endpoint.capability === "chat" && !endpoint.compacts && { format: endpoint.codec.dialect }),
    ...(isCut && { cut: true }),
  };
}

/** Texts up to this length stay: names, numbers and options show what changed. */
const SHORT = 40;
/** Of encoded media only the beginning is logged. */
const MEDIA_START = 64;
const ENCODED = /^(?:data:[^,]{0,200},|[A-Za-z0-9+/_-]{400})/;

/** The body as JSON, redacted; long texts are cut, so that it stays valid JSON unless it has too many members. */
function bodyToLog(body: unknown, rules: ContentRules): Readonly<{ text: string; isCut: boolean }> {
  let left = rules.maxCharacters;
  let isCut = false;
  const clean = (text: string) => {
    if (text.length <= SHORT) return rules.redacts ? redact(text, rules.patterns) : text;
    const most = ENCODED.test(text) ? Math.min(left, MEDIA_START) : left;
    const cleaned = redacted(text, { ...rules, maxCharacters: most });
    if (text.length > most + SLACK || (text.length > most && cleaned.endsWith("…"))) isCut = true;
    left = Math.max(0, left - cleaned.length);
    return cleaned;
  };
  const all = JSON.stringify(mapTexts(body, clean));
  const text = cutOff(all, {
    ...rules,
    maxCharacters: rules.maxCharacters + SLACK,
  });
  return { text, isCut: isCut || text !== all };
}

function contentText(message: JsonObject): string {
  const texts: string[] = [];
  addContent(message.content, texts);
  return texts.join("\n");
}

function redacted(text: string, rules: ContentRules): string {
  const near = text.slice(0, rules.maxCharacters + SLACK);
  return cutOff(rules.redacts ? redact(near, rules.patterns) : near, rules);
}

/** The value as JSON. Each text is redacted separately, because patterns do not expect JSON's escapes. */
function redactedJson(value: unknown, rules: ContentRules): string {
  let left = rules.maxCharacters + SLACK;
  const clean = (text: string) => {
    if (left === 0) return "";
    const cleaned = rules.redacts ? redact(text.slice(0, left), rules.patterns) : text.slice(0, left);
    left = Math.max(0, left - cleaned.length);
    return cleaned;
  };
  return cutOff(JSON.stringify(mapTexts(value, clean)), rules);
}

/** The value with `map` applied to every text, including member names and numbers that change as text. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value === "number") {
    const mapped = map(String(value));
    return mapped === String(value) ? value : mapped;
  }
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  const record = recordOf(value);
  return record
    ? Object.fromEntries(Object.entries(record).map(([name, item]) => [map(name), mapTexts(item, map)]))
    : value;
}

const cutOff = (text: string, { maxCharacters }: ContentRules): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;

/** Patterns to redact, and their replacements. */
const KINDS: readonly (readonly [pattern: RegExp, mark: string, isOne?: (text: string) => boolean])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, "[private key]"],
  [/\bBearer\s+[A-Za-z0-9._~+/-]{16,}=*/gi, "Bearer [key]"],
  [
    /\b(?:(?:sk|pk|rk|whsec|ghp|gho|ghs|ghu|github_pat|glpat|hf|xox[abprs])[-_]|AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}/g,
    "[key]",
  ],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, "[token]"],
  [/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu, "[email]"],
  [/(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])/g, "[identity number]", isIdentityNumber],
  [/(?<![\d.])\+\d{1,3}(?:[ -]?\d){7,12}(?!\d)/g, "[phone]"],
  [/(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g, "[card]", isCard],
  [/(?<![\d.])(?:86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?!\d)/g, "[phone]"],
];

const OWN_MARK = "[redacted]";

/**
 * The text without keys, tokens, email addresses, card, identity and phone numbers, and matches of the site's own words
 * and patterns.
 */
export function redact(text: string, own: SensitiveWords): string {
  let clean = text;
  for (const [pattern, mark, isOne] of KINDS) {
    clean = clean.replace(pattern, (found) => (isOne && !isOne(found) ? found : mark));
  }
  for (const word of own.words) clean = clean.replaceAll(new RegExp(RegExp.escape(word), "gi"), OWN_MARK);
  for (const pattern of own.patterns) clean = pattern.replaceAll(clean, OWN_MARK);
  return clean;
}

/** Checks the Luhn digit, so that other long numbers stay. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = digit * 2;
    sum += at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
const CHECKS = "10X98765432";

/** Checks the check digit of Chinese identity numbers (GB 11643). */
function isIdentityNumber(text: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(text[at]), 0);
  return CHECKS[sum % 11] === text[17]?.toUpperCase();
}
