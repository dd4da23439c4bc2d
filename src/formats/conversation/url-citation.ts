import { type JsonObject, numberOf, textOf } from "../json.ts";
import type { ChatDialect, Citation } from "./conversation.ts";

/** Reads a `url_citation` of a dialect. `base`: where in the answer's text the annotated piece begins. */
export function urlCitationOf(annotation: JsonObject, base: number, dialect: ChatDialect): Citation {
  const start = numberOf(annotation.start_index);
  const end = numberOf(annotation.end_index);
  return {
    url: textOf(annotation.url),
    // A place on a map has a name.
    title: textOf(annotation.title) ?? textOf(annotation.name),
    citedText: null,
    start: start === null ? null : start + base,
    end: end === null ? null : end + base,
    native: { dialect, value: annotation },
  };
}

/**
 * Writes a citation as a `url_citation` of a dialect; null: it cannot express it. `base`: where the annotated piece begins in the
 * answer's text.
 */
export function urlAnnotationOf(citation: Citation, base: number, dialect: ChatDialect): JsonObject | null {
  const { native, url, title, start, end } = citation;
  if (native?.dialect === dialect) return native.value;
  if (url === null) return null;
  const placed = (at: number | null) => Math.max(0, (at ?? 0) - base);
  return { type: "url_citation", url, title: title ?? url, start_index: placed(start), end_index: placed(end) };
}
