import { markInstruction } from "../../conversation/system-turns.ts";
import { type JsonObject, recordsOf, textOf } from "../../json.ts";

/** OpenAI's models, on any service. */
const OPENAI_MODEL = /(^|[/:])(gpt-|chatgpt-|o\d|codex-|computer-use-)/;

/**
 * Only OpenAI's models distinguish developer from system messages, and many services reject the former. Null if there
 * are none.
 */
export function withoutDeveloper(messages: unknown): JsonObject[] | null {
  const records = recordsOf(messages);
  if (!records.some(({ role }) => role === "developer")) return null;
  return records.map((message) => (message.role === "developer" ? { ...message, role: "system" } : message));
}

/** The same for services that may also serve OpenAI's models. */
export const developerAsSystem = (messages: unknown, model: string): JsonObject[] | null =>
  OPENAI_MODEL.test(model) ? null : withoutDeveloper(messages);

const isInstruction = ({ role }: JsonObject): boolean => role === "system" || role === "developer";

/**
 * Messages whose instructions after the first other message are marked as such in user messages, for services that take them
 * only at the beginning. They join a user's message next to them, since many of these services want roles to alternate, and
 * never separate tool calls from their results. Null if there are none.
 */
export function systemMessagesAsUser(messages: unknown): JsonObject[] | null {
  const records = recordsOf(messages);
  const start = records.findIndex((message) => !isInstruction(message));
  if (start < 0 || !records.some((message, at) => at > start && isInstruction(message))) return null;
  const written = records.slice(0, start);
  const held: JsonObject[] = [];
  for (const [at, message] of records.entries()) {
    if (at < start) continue;
    if (!isInstruction(message)) {
      if (message.role !== "tool") for (const one of held.splice(0)) addUserMessage(written, one);
      const joins = message.role === "user" && isInstruction(records[at - 1] ?? {}) && at > start;
      if (joins) addUserMessage(written, message);
      else written.push(message);
    } else if (records.slice(at + 1).find((one) => !isInstruction(one))?.role === "tool")
      held.push(asUserMessage(message));
    else addUserMessage(written, asUserMessage(message));
  }
  for (const one of held) addUserMessage(written, one);
  return written;
}

/** Adds a message, to the user's last one where that is the message before. */
function addUserMessage(messages: JsonObject[], message: JsonObject): void {
  const last = messages.at(-1);
  if (last?.role === "user") messages.splice(-1, 1, { ...last, content: joined(last.content, message.content) });
  else messages.push(message);
}

const joined = (first: unknown, second: unknown): unknown =>
  typeof first === "string" && typeof second === "string"
    ? `${first}\n${second}`
    : [...contentList(first), ...contentList(second)];

const contentList = (content: unknown): JsonObject[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);

function asUserMessage({ content, ...message }: JsonObject): JsonObject {
  const parts = recordsOf(content).map((part) => {
    const text = textOf(part.text);
    return text === null ? part : { ...part, text: markInstruction(text) };
  });
  return { ...message, role: "user", content: typeof content === "string" ? markInstruction(content) : parts };
}
