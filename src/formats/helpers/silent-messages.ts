import type { JsonObject } from "../json.ts";

/** A message of which a narrower format keeps nothing: all of its parts were left out, and it calls no tool. */
export const isSilent = ({ role, content, images, tool_calls }: JsonObject, source: JsonObject): boolean =>
  Array.isArray(source.content) &&
  source.content.length > 0 &&
  role !== "tool" &&
  !images &&
  !tool_calls &&
  (content === "" || (Array.isArray(content) && content.length === 0));
