import { type JsonObject, recordsOf } from "../../json.ts";

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
