import { type JsonObject, recordsOf } from "../../json.ts";

/** Models of OpenAI's, wherever they are served. */
const KNOWS_IT = /(^|[/:])(gpt-|chatgpt-|o\d|codex-|computer-use-)/;

/** None but OpenAI's own tells developer messages from system messages; many refuse them. Null: there are none. */
export function withoutDeveloper(messages: unknown): JsonObject[] | null {
  const records = recordsOf(messages);
  if (!records.some(({ role }) => role === "developer")) return null;
  return records.map((message) => (message.role === "developer" ? { ...message, role: "system" } : message));
}

/** The same where a service may serve models of OpenAI's too. */
export const developerAsSystem = (messages: unknown, model: string): JsonObject[] | null =>
  KNOWS_IT.test(model) ? null : withoutDeveloper(messages);
