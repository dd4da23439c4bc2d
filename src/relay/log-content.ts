import type { JsonObject } from "../dialects/json.ts";
import { recordOf, textOf } from "../dialects/json.ts";
import { eachContentText } from "../dialects/openai-chat/request.ts";
import type { SensitiveWords } from "../settings/sensitive-words.ts";
import type { SettingsReader } from "../settings/settings.ts";
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
    return input === undefined ? content : { ...content, input_content: cut(textOf(input) ?? JSON.stringify(input)) };
  }
  const messages = body.messages.map((message) => recordOf(message) ?? {});
  const isSystem = (message: JsonObject) => message.role === "system" || message.role === "developer";
  const last = messages.findLastIndex((message) => message.role === "user");
  const system = messages.filter(isSystem).map(contentText).join("\n");
  const others = messages.filter((message, index) => index !== last && !isSystem(message));
  if (system !== "") content.system_prompt = cut(system);
  if (last >= 0) content.input_content = cut(contentText(messages[last] ?? {}));
  if (others.length > 0) {
    content.context = cut(
      JSON.stringify(others.map((message) => ({ role: message.role, content: contentText(message) }))),
    );
  }
  return content;
}

function contentText(message: JsonObject): string {
  const texts: string[] = [];
  eachContentText(message.content, (text) => texts.push(text));
  return texts.join("\n");
}

function kept(text: string, { maxCharacters, redacts, patterns }: ContentRules): string {
  const near = text.length > maxCharacters + SLACK ? text.slice(0, maxCharacters + SLACK) : text;
  const clean = redacts ? redact(near, patterns) : near;
  return clean.length > maxCharacters ? `${clean.slice(0, maxCharacters)}…` : clean;
}
