import { DecodeError } from "../../../formats/conversation/codec.ts";
import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { embeddedMedia, partsOfEntry } from "../../../formats/gemini/embedded-contents.ts";
import { compact, countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { dimensionsOf, embeddingList, inputsOf, searchSideOf, textInput } from "../../shared/embeddings.ts";

/** Members of Cohere's API that clients may set. */
const OWN = ["truncate", "max_tokens", "priority"] as const;
const SUPPORTED = ["input", "encoding_format", "dimensions", "output_dimension", "task_type", "input_type", ...OWN];

/**
 * Embeddings of texts and images in Cohere's v2 API: https://docs.cohere.com/reference/embed. Its OpenAI-compatible API has
 * texts only. Lists of numbers are requested; the endpoint writes base64 where the client wants it.
 */
export const cohereEmbed: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, SUPPORTED, dropped);
    return compact({
      model,
      input_type: inputTypeOf(call),
      ...contentsOf(inputsOf(call)),
      embedding_types: ["float"],
      output_dimension: dimensionsOf(call),
      ...Object.fromEntries(OWN.map((name) => [name, call[name]])),
    });
  },
  decode({ embeddings, meta }) {
    const made = recordOf(embeddings)?.float;
    if (!Array.isArray(made)) return null;
    const billed = recordOf(recordOf(meta)?.billed_units);
    const [texts, images, count] = [billed?.input_tokens, billed?.image_tokens, billed?.images].map(countOf);
    if (texts == null && images == null && count == null) return embeddingList(made, null);
    const imageTokens = images ?? 0;
    return embeddingList(made, {
      tokens: (texts ?? 0) + imageTokens,
      imageTokens,
      media: { embedded_image: count ?? 0 },
    });
  },
};

/** All models since version 3 require a type. Google's clients say what the embedding is for; others set Cohere's own member. */
function inputTypeOf(call: JsonObject): string {
  const own = textOf(call.input_type);
  if (own !== null) return own;
  const task = textOf(call.task_type);
  if (task === "CLASSIFICATION") return "classification";
  if (task === "CLUSTERING" || task === "SEMANTIC_SIMILARITY") return "clustering";
  return searchSideOf(call) === "query" ? "search_query" : "search_document";
}

/** Texts alone and single images, which all models take, or contents that mix them, which version 4 takes. */
function contentsOf(entries: readonly unknown[]): JsonObject {
  const contents = entries.map(partsOfEntry);
  if (contents.every((parts) => parts === null)) return { texts: entries.map((entry) => textInput(entry, "Cohere")) };
  if (contents.every((parts) => parts?.length === 1))
    return { images: contents.flatMap((parts) => (parts ?? []).map(imageOf)), input_type: "image" };
  return {
    inputs: contents.map((parts, at) => ({
      content: parts?.map(partOf) ?? [{ type: "text", text: textInput(entries[at], "Cohere") }],
    })),
  };
}

function partOf(part: JsonObject): JsonObject {
  const text = textOf(part.text);
  return text === null ? { type: "image_url", image_url: { url: imageOf(part) } } : { type: "text", text };
}

/** The image of a part as a data URI. Throws DecodeError for other media and for images by their address. */
function imageOf(part: JsonObject): string {
  const media = embeddedMedia(part);
  if (media?.mimeType.startsWith("image/") && "data" in media) return `data:${media.mimeType};base64,${media.data}`;
  throw new DecodeError("Cohere's models embed text and images inside the request (inlineData).", "content.parts");
}
