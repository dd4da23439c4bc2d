import type { Citation } from "../conversation.ts";
import { type JsonObject, numberOf, textOf } from "../json.ts";

export const citationOf = (annotation: JsonObject): Citation => ({
  url: textOf(annotation.url),
  title: textOf(annotation.title),
  citedText: null,
  start: numberOf(annotation.start_index),
  end: numberOf(annotation.end_index),
  native: { dialect: "openai-responses", value: annotation },
});

export function annotationOf({ native, url, title, start, end }: Citation): JsonObject | null {
  if (native?.dialect === "openai-responses") return native.value;
  if (url === null) return null;
  return { type: "url_citation", url, title: title ?? url, start_index: start ?? 0, end_index: end ?? 0 };
}

/** A thought as an item; what seals it is what clients send back. */
export const reasoningItem = (id: string, text: string, sealed: string | null): JsonObject => ({
  id,
  type: "reasoning",
  summary: text === "" ? [] : [{ type: "summary_text", text }],
  ...(sealed !== null && { encrypted_content: sealed }),
});
