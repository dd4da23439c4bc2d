import { type JsonObject, recordOf, textOf } from "../../formats/json.ts";

const MOST_TAGS = 10;
const LONGEST_TAG = 64;

/**
 * The tags of a call that are stored with its log row: the entries of `X-Sluice-Tags` and of the request's `metadata.tags`, a
 * list or a text with commas. The first ten that differ count, each up to 64 characters.
 */
export function callTags(headers: Headers, body: JsonObject): string[] {
  const named = recordOf(body.metadata)?.tags;
  const text = textOf(named);
  const inBody = Array.isArray(named) ? named.filter((tag) => typeof tag === "string") : splitTags(text ?? "");
  const tags = [...splitTags(headers.get("x-sluice-tags") ?? ""), ...inBody];
  if (tags.length === 0) return [];
  const cut = tags.map((tag) => [...tag.trim()].slice(0, LONGEST_TAG).join("").trim()).filter((tag) => tag !== "");
  return [...new Set(cut)].slice(0, MOST_TAGS);
}

/** The entries of a text with commas. */
export const splitTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
