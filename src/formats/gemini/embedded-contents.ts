import { DecodeError } from "../conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../json.ts";

/** A file of a content to embed: inside the request, or by its address. */
export type EmbeddedMedia = Readonly<{ mimeType: string; data: string } | { mimeType: string; uri: string }>;

/**
 * An entry of `input` for one content of Google's embeddings API: its text, or where it has media, its parts in Google's form
 * (`{parts}`), which only providers with `embedsMedia` receive. Throws DecodeError for an empty or unknown content.
 */
export function embeddedContent(content: unknown): string | JsonObject {
  const parts = recordsOf(recordOf(content)?.parts);
  if (parts.length === 0) throw new DecodeError({ code: "gateway_content_no_text" }, "content");
  const texts = parts.map(({ text }) => textOf(text)).filter((text) => text !== null);
  if (texts.length === parts.length) return texts.join("\n");
  for (const part of parts) {
    if (textOf(part.text) === null && !embeddedMedia(part))
      throw new DecodeError({ code: "gateway_part_not_embedded" }, "content.parts");
  }
  return { parts };
}

/** The media of a part; null: it is text, or nothing that can be embedded. */
export function embeddedMedia(part: JsonObject): EmbeddedMedia | null {
  const inline = recordOf(part.inlineData ?? part.inline_data);
  const file = recordOf(part.fileData ?? part.file_data);
  const mimeType = textOf(inline?.mimeType ?? inline?.mime_type ?? file?.mimeType ?? file?.mime_type) ?? "";
  const data = textOf(inline?.data);
  if (data) return { mimeType, data };
  const uri = textOf(file?.fileUri ?? file?.file_uri);
  return uri ? { mimeType, uri } : null;
}

/** The parts of an entry that has media; null: it is something else. */
export const partsOfEntry = (entry: unknown): readonly JsonObject[] | null => {
  const parts = recordOf(entry)?.parts;
  return Array.isArray(parts) ? recordsOf(parts) : null;
};

/** Whether an embeddings request has contents with media. */
export const embedsMedia = ({ input }: JsonObject): boolean =>
  Array.isArray(input) && input.some((entry) => partsOfEntry(entry) !== null);
