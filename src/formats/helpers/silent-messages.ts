import type { JsonObject } from "../json.ts";

/**
 * A message of which a narrower format keeps nothing: all of its parts, or its reasoning, were left out, and it calls no tool. A
 * client's own empty message says what it did before.
 */
export const isSilent = ({ role, content, images, thinking, tool_calls }: JsonObject, source: JsonObject): boolean =>
  ((Array.isArray(source.content) && source.content.length > 0) || hasReasoning(source)) &&
  role !== "tool" &&
  !images &&
  !thinking &&
  !tool_calls &&
  (content === "" || (Array.isArray(content) && content.length === 0));

const hasReasoning = ({ reasoning_content, reasoning_details }: JsonObject): boolean =>
  Boolean(reasoning_content ?? reasoning_details);
