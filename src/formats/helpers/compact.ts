import type { JsonObject } from "../json.ts";

/** The members that say something: without those that are null or undefined. */
export const compact = (body: JsonObject): JsonObject => {
  const kept: JsonObject = {};
  for (const name in body) if (body[name] != null) kept[name] = body[name];
  return kept;
};
