import type { JsonObject } from "../json.ts";

/** The object without members that are null or undefined. */
export const compact = (body: JsonObject): JsonObject => {
  const result: JsonObject = {};
  for (const name in body) if (body[name] != null) result[name] = body[name];
  return result;
};
