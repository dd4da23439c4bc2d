import { DecodeError } from "../../formats/conversation/codec.ts";
import { embeddedMedia, partsOfEntry } from "../../formats/gemini/embedded-contents.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, countOf, type JsonObject, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { NativeFormat } from "../contract/chat.ts";
import type { Provider } from "../contract/provider.ts";
import { dimensionsOf, embeddingList, inputsOf, searchSideOf, textInput } from "../shared/embeddings.ts";

const DEFAULT_BASE_URL = "https://api.voyageai.com";
/** Keys that MongoDB Atlas issues begin with `al-` and belong to its own host. */
const ATLAS_BASE_URL = "https://ai.mongodb.com";
const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/v1" };
const ATLAS_ADDRESSES: AddressForms = { fallback: ATLAS_BASE_URL, root: "/v1" };
const MULTIMODAL = /^voyage-multimodal/;

/** Members of Voyage's API that clients may set: none of them changes the price. */
const OWN = ["truncation", "output_dtype"] as const;
const SUPPORTED = ["input", "encoding_format", "dimensions", "output_dimension", "task_type", "input_type", ...OWN];

const optionsOf = (call: JsonObject): JsonObject => ({
  input_type: textOf(call.input_type) ?? searchSideOf(call),
  output_dimension: dimensionsOf(call),
  ...Object.fromEntries(OWN.map((name) => [name, call[name]])),
});

/** Texts: https://docs.voyageai.com/reference/embeddings-api. Usage has no number but `total_tokens`. */
const textEmbeddings: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, SUPPORTED, dropped);
    return compact({ model, input: inputsOf(call).map(textOfInput), ...optionsOf(call) });
  },
  decode: ({ data, usage }) => listOf(data, countOf(recordOf(usage)?.total_tokens)),
};

/**
 * Texts, images and videos: https://docs.voyageai.com/reference/multimodal-embeddings-api. Text is billed by the token, media
 * by the pixel, so the tokens that pixels count as for the context's limit are not billed.
 */
const multimodalEmbeddings: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, SUPPORTED, dropped);
    const inputs = inputsOf(call).map((entry) => ({
      content: partsOfEntry(entry)?.map(partOf) ?? [{ type: "text", text: textInput(entry, "Voyage AI") }],
    }));
    return compact({ model, inputs, ...optionsOf(call) });
  },
  decode({ data, usage: reported }) {
    const usage = recordOf(reported);
    const tokens = countOf(usage?.text_tokens) ?? countOf(usage?.total_tokens);
    const pixels = (countOf(usage?.image_pixels) ?? 0) + (countOf(usage?.video_pixels) ?? 0);
    return listOf(data, tokens === null ? null : { tokens, media: { embedded_pixel: pixels } });
  },
};

const listOf = (data: unknown, usage: Parameters<typeof embeddingList>[1]): JsonObject | null =>
  Array.isArray(data)
    ? embeddingList(
        recordsOf(data).map(({ embedding }) => embedding),
        usage,
      )
    : null;

/** Throws DecodeError for token ids and for media, which only the multimodal models take. */
function textOfInput(entry: unknown): string {
  if (partsOfEntry(entry))
    throw new DecodeError("This model embeds only text; Voyage's multimodal models take images.", "content.parts");
  return textInput(entry, "Voyage AI");
}

/** A part in Voyage's form. Throws DecodeError for media that are neither images nor videos. */
function partOf(part: JsonObject): JsonObject {
  const text = textOf(part.text);
  if (text !== null) return { type: "text", text };
  const media = embeddedMedia(part);
  const kind = /^(image|video)\//.exec(media?.mimeType ?? "")?.[1];
  if (!media || !kind) throw new DecodeError("Voyage's models embed texts, images and videos.", "content.parts");
  const [type, value] =
    "data" in media ? [`${kind}_base64`, `data:${media.mimeType};base64,${media.data}`] : [`${kind}_url`, media.uri];
  return { type, [type]: value };
}

/** Rankings: https://docs.voyageai.com/reference/reranker-api */
const rerank: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["query", "documents", "top_n", "return_documents", "truncation"], dropped);
    const { query, top_n, return_documents, truncation } = call;
    const documents = inputsOf({ input: call.documents }).map(
      (document) => textOf(document) ?? textOf(recordOf(document)?.text) ?? JSON.stringify(document),
    );
    return compact({ model, query, documents, top_k: top_n, return_documents, truncation });
  },
  decode: ({ data, usage }) => (Array.isArray(data) ? { object: "list", results: data, usage } : null),
};

/** Voyage AI, which belongs to MongoDB: embeddings of texts, images and videos, and rankings. */
export const voyage: Provider = {
  type: 1016,
  name: "Voyage AI",
  owner: "voyage",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["embeddings", "rerank"],
  keyHint: "pa-…",
  facts: {
    documented: { source: "https://docs.voyageai.com/reference/embeddings-api", version: "v1", day: "2026-11-29" },
  },
  models: [
    "voyage-4-large",
    "voyage-4",
    "voyage-4-lite",
    "voyage-code-3",
    "voyage-finance-2",
    "voyage-law-2",
    "voyage-multimodal-3.5",
    "voyage-multimodal-3",
    "voyage-3-large",
    "voyage-3.5",
    "voyage-3.5-lite",
    "rerank-2.5",
    "rerank-2.5-lite",
  ],
  url({ baseUrl }, { capability, model, key }) {
    const forms = key?.startsWith("al-") ? ATLAS_ADDRESSES : ADDRESSES;
    const path = capability === "rerank" ? "rerank" : MULTIMODAL.test(model) ? "multimodalembeddings" : "embeddings";
    return `${resolveBase(baseUrl, forms).api}/${path}`;
  },
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  nativeFormat({ capability, model }) {
    if (capability === "rerank") return rerank;
    if (capability !== "embeddings") return null;
    return MULTIMODAL.test(model) ? multimodalEmbeddings : textEmbeddings;
  },
  embedsMedia: true,
};
