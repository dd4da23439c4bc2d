import type { Dropped } from "../../conversation/codec.ts";
import type { Conversation } from "../../conversation/conversation.ts";

const OPENAI_MODEL = /(^|[/:])(gpt-(?!oss)|chatgpt-|o\d)/;

/**
 * The conversation for OpenAI's models, whose structured output must be an object. If a client of another format wants
 * a list or a bare value, an instruction in the prompt asks for it instead.
 */
export function withoutRootlessFormat(conversation: Conversation, model: string, dropped: Dropped): Conversation {
  const { format, system, extra } = conversation;
  if (format?.type !== "schema" || extra.dialect.startsWith("openai") || !OPENAI_MODEL.test(model)) return conversation;
  const { schema } = format;
  if (schema.type === undefined || schema.type === "object") return conversation;
  dropped.add("response_format");
  const text = `Answer with one JSON value and nothing else, without a code fence. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
  return { ...conversation, system: [...system, { type: "text", text }], format: null };
}
