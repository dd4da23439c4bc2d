import type { JsonObject } from "../json.ts";

/** The members that say something: without those that are null or undefined. */
export const compact = (body: JsonObject): JsonObject => {
  const result: JsonObject = {};
  for (const name in body) if (body[name] != null) result[name] = body[name];
  return result;
};
