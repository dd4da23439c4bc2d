import type { JsonObject } from "../../formats/json.ts";
import { recordOf, textOf } from "../../formats/json.ts";
import { eachContentText } from "../../formats/openai-chat/request/summary.ts";
import type { SensitiveWords } from "../../settings/sensitive-words.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { redact } from "./redact.ts";

/** Contents of a call for the log (option LogChatContentEnabled), each cut to a size a log row can bear. */
export type LoggedContent = {
  system_prompt?: string;
  input_content?: string;
  /** The other messages, as JSON. */
  context?: string;
  output_content?: string;
};

/** How contents are kept. */
export type ContentRules = Readonly<{
  /** Of each text. */
  maxCharacters: number;
  /** Keys, addresses and numbers of people are taken out, and what `patterns` name. */
  redacts: boolean;
  patterns: SensitiveWords;
}>;

/** So much beyond the limit is looked at, for a secret that lies across it. */
const SLACK = 4000;

/** The rules of the site; null: contents are not kept. */
export const contentRules = (settings: SettingsReader): ContentRules | null =>
  settings.get("LogChatContentEnabled")
    ? {
        maxCharacters: settings.get("LogContentMaxCharacters"),
        redacts: settings.get("LogContentRedactEnabled"),
        patterns: settings.get("LogContentRedactPatterns"),
      }
    : null;

/** System messages joined, the last user message, the messages between, and the answer's text. */
export function contentToLog(body: JsonObject, output: string, rules: ContentRules): LoggedContent {
  const cut = (text: string) => kept(text, rules);
  const content: LoggedContent = { output_content: cut(output) };
  if (!Array.isArray(body.messages)) {
    const input = body.prompt ?? body.input;
    const text = textOf(input);
    return input === undefined
      ? content
      : { ...content, input_content: text === null ? keptJson(input, rules) : cut(text) };
  }
  const messages = body.messages.map((message) => recordOf(message) ?? {});
  const isSystem = (message: JsonObject) => message.role === "system" || message.role === "developer";
  const last = messages.findLastIndex((message) => message.role === "user");
  const system = messages.filter(isSystem).map(contentText).join("\n");
  const others = messages.filter((message, index) => index !== last && !isSystem(message));
  if (system !== "") content.system_prompt = cut(system);
  if (last >= 0) content.input_content = cut(contentText(messages[last] ?? {}));
  if (others.length > 0) {
    const told = others.map((message) => ({ role: message.role, content: contentText(message) }));
    content.context = keptJson(told, rules);
  }
  return content;
}

function contentText(message: JsonObject): string {
  const texts: string[] = [];
  eachContentText(message.content, (text) => texts.push(text));
  return texts.join("\n");
}

function kept(text: string, rules: ContentRules): string {
  const near = text.slice(0, rules.maxCharacters + SLACK);
  return cutOff(rules.redacts ? redact(near, rules.patterns) : near, rules);
}

/** The value as JSON. Its texts are redacted one by one: in JSON, line ends and quotes are not what patterns look for. */
function keptJson(value: unknown, rules: ContentRules): string {
  let left = rules.maxCharacters + SLACK;
  const clean = (text: string) => {
    if (left === 0) return "";
    const cleaned = rules.redacts ? redact(text.slice(0, left), rules.patterns) : text.slice(0, left);
    left = Math.max(0, left - cleaned.length);
    return cleaned;
  };
  return cutOff(JSON.stringify(mapTexts(value, clean)), rules);
}

/** The value with every text in it mapped, names of members and numbers that do not stay what they are included. */
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
