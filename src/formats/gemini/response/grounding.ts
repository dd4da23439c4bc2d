import type { Citation } from "../../conversation/conversation.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { GROUNDING, type Searched } from "../../tools/web-search.ts";

/** Reads the grounding metadata of one candidate, which may arrive in several events. Positions are in UTF-8 bytes. */
export class Grounding {
  #reported = new Set<string>();
  #metadata: JsonObject | null = null;

  /** The citations in `metadata` that no earlier event had; `text`: the candidate's text so far. */
  read(metadata: JsonObject, text: string): Citation[] {
    const before = this.#metadata;
    const queries = [...textsOf(before?.webSearchQueries), ...textsOf(metadata.webSearchQueries)];
    this.#metadata = { ...before, ...metadata, ...(queries.length > 0 && { webSearchQueries: [...new Set(queries)] }) };
    const pages = recordsOf(metadata.groundingChunks).map(pageOf);
    const placed = recordsOf(metadata.groundingSupports).flatMap((support) => {
      const place = placeOf(recordOf(support.segment), text);
      const indices = Array.isArray(support.groundingChunkIndices) ? support.groundingChunkIndices : [];
      return indices.flatMap((at) => citationsOf(pages[numberOf(at) ?? -1] ?? null, place));
    });
    const cited = new Set(placed.map(({ url }) => url));
    const others = pages.flatMap((page) => citationsOf(page, NOWHERE)).filter(({ url }) => !cited.has(url));
    return [...placed, ...others].filter((citation) => this.#isNew(citation));
  }

  /** Pages that the text recites; Google reports these separately. */
  recited(metadata: JsonObject, text: string): Citation[] {
    const sources = recordsOf(metadata.citationSources ?? metadata.citations);
    return sources
      .flatMap((source) => citationsOf(source, placeOf(source, text)))
      .filter((citation) => this.#isNew(citation));
  }

  /** All metadata so far in Google's shape; null if there was no search. */
  get metadata(): JsonObject | null {
    return this.#metadata && { [GROUNDING]: this.#metadata };
  }

  /** True once per page and position; a citation without a position counts only if the page has no other. */
  #isNew({ url, start, end }: Citation): boolean {
    const name = `${url}`;
    const place = `${name} ${start} ${end}`;
    if (this.#reported.has(place) || (start === null && this.#reported.has(name))) return false;
    this.#reported.add(place).add(name);
    return true;
  }
}

/** A web page, a place on the map, a searched file, or the page of an image. */
function pageOf({ web, maps, retrievedContext, image }: JsonObject): JsonObject | null {
  const found = recordOf(image);
  return recordOf(web) ?? recordOf(maps) ?? recordOf(retrievedContext) ?? (found && { ...found, uri: found.sourceUri });
}

type Place = Pick<Citation, "start" | "end">;
const NOWHERE: Place = { start: null, end: null };

function placeOf(segment: JsonObject | null, text: string): Place {
  const end = numberOf(segment?.endIndex);
  if (!segment || end === null) return NOWHERE;
  const bytes = Buffer.from(text);
  const characters = (upTo: number) => bytes.subarray(0, upTo).toString().length;
  return { start: characters(numberOf(segment.startIndex) ?? 0), end: characters(end) };
}

function citationsOf(page: JsonObject | null, place: Place): Citation[] {
  const url = textOf(page?.uri);
  return url === null ? [] : [{ url, title: textOf(page?.title), citedText: null, ...place }];
}

/**
 * Writes searches and their results as grounding metadata; null if there are none. `text`: the candidate's full text.
 */
export function groundingOf(
  citations: readonly Citation[],
  searches: readonly Searched[],
  text: string,
): JsonObject | null {
  const queries = searches.flatMap((search) => search.queries);
  const pages = new Map<string, string>();
  for (const { url, title } of citations) if (url !== null) pages.set(url, title ?? pages.get(url) ?? url);
  for (const { url, title } of searches.flatMap(({ found }) => found)) if (!pages.has(url)) pages.set(url, title);
  const urls = [...pages.keys()];
  const supports = citations.flatMap(({ url, start, end }): JsonObject[] => {
    if (url === null || !end) return [];
    const segment = {
      startIndex: Buffer.byteLength(text.slice(0, start ?? 0)),
      endIndex: Buffer.byteLength(text.slice(0, end)),
      text: text.slice(start ?? 0, end),
    };
    return [{ segment, groundingChunkIndices: [urls.indexOf(url)] }];
  });
  if (queries.length + urls.length === 0) return null;
  return compact({
    webSearchQueries: queries.length > 0 ? queries : null,
    groundingChunks: urls.length > 0 ? urls.map((uri) => ({ web: { uri, title: pages.get(uri) } })) : null,
    groundingSupports: supports.length > 0 ? supports : null,
  });
}
