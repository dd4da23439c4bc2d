import type { Conversation, Part, ToolResultPart } from "../conversation/conversation.ts";
import { textOfParts } from "../openai-chat/request/media.ts";

const ERROR_NOTE = /^\W{0,3}(error|failed|failure|exception|traceback)\b/i;

/**
 * A tool's result as text. For formats without an error flag, a failed result begins with an error note unless it
 * already has one.
 */
export function resultText({ parts, isError }: Pick<ToolResultPart, "parts" | "isError">): string {
  const text = textOfParts(parts);
  if (!isError || ERROR_NOTE.test(text)) return text;
  return text === "" ? "Error" : `Error: ${text}`;
}

/** The media in a tool's result: images, documents. */
export const resultMedia = ({ parts }: Pick<ToolResultPart, "parts">): Part[] =>
  parts.filter(({ type }) => type !== "text");

/** Whether the request has a tool whose calls must match its schema. */
export const requestsStrictTools = ({ tools }: Pick<Conversation, "tools">): boolean =>
  tools.some((tool) => tool.type === "function" && tool.strict === true);
