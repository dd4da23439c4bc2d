import type { Conversation, Part, ToolResultPart } from "../conversation/conversation.ts";
import { textOfParts } from "../openai-chat/request/media.ts";

const SAYS_SO = /^\W{0,3}(error|failed|failure|exception|traceback)\b/i;

/** What a tool answered, as text. Formats that have no mark for a failure get it in words, unless the text begins with it. */
export function resultText({ parts, isError }: Pick<ToolResultPart, "parts" | "isError">): string {
  const text = textOfParts(parts);
  if (!isError || SAYS_SO.test(text)) return text;
  return text === "" ? "Error" : `Error: ${text}`;
}

/** What a tool answered besides text: images, documents. */
export const resultMedia = ({ parts }: Pick<ToolResultPart, "parts">): Part[] =>
  parts.filter(({ type }) => type !== "text");

/** Whether calls must keep to the schema of some tool. */
export const requestsStrictTools = ({ tools }: Pick<Conversation, "tools">): boolean =>
  tools.some((tool) => tool.type === "function" && tool.strict === true);
