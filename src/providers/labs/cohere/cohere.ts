import { DecodeError } from "../../../formats/conversation/codec.ts";
import { embeddedMedia, partsOfEntry } from "../../../formats/gemini/embedded-contents.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi, type NativeFormat } from "../../contract/chat.ts";
import type { CallParams, Provider } from "../../contract/provider.ts";
import { dimensionsOf, embeddingList, inputsOf, searchSideOf, textInput } from "../../shared/embeddings.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { cohereCodec } from "./codec.ts";

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

/** Rerank in Cohere's v2 API: documents are texts, and responses never contain them. */
const cohereRerank: NativeFormat = {
  encode(call, model, dropped) {
    // If the client wants documents back, they come from the request.
    recordDropped(call, ["query", "documents", "top_n", "max_tokens_per_doc", "return_documents"], dropped);
    const { query, top_n, max_tokens_per_doc } = call;
    const documents = Array.isArray(call.documents) ? call.documents.map(textOfDocument) : [];
    return compact({ model, query, documents, top_n, max_tokens_per_doc });
  },
  decode: (answer) => (Array.isArray(answer.results) ? answer : null),
};

/** A document with fields other than a text is sent as JSON. */
const textOfDocument = (document: unknown): string =>
  textOf(document) ?? textOf(recordOf(document)?.text) ?? JSON.stringify(document);

const DEFAULT_BASE_URL = "https://api.cohere.com";

const compatible = openAiCompatible({
  type: 34,
  name: "Cohere",
  owner: "cohere",
  baseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat", "embeddings", "rerank"],
  keyHint: "…",
  facts: { documented: { source: "https://docs.cohere.com/reference/chat", version: "v2", day: "2026-11-29" } },
  models: [
    "command-a-plus-05-2026",
    "command-a-03-2025",
    "command-a-reasoning-08-2025",
    "command-a-vision-07-2025",
    "command-r7b-12-2024",
    "command-r-08-2024",
    "command-r-plus-08-2024",
    "rerank-v4.0-pro",
    "rerank-v4.0-fast",
    "rerank-v3.5",
    "embed-v4.0",
    "embed-multilingual-v3.0",
    "embed-english-v3.0",
  ],
});

const PATHS: Readonly<Partial<Record<CallParams["capability"], string>>> = { embeddings: "embed", rerank: "rerank" };
const FORMATS: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  embeddings: cohereEmbed,
  rerank: cohereRerank,
};

/** Cohere, in its own v2 API. */
export const cohere: Provider = {
  ...compatible,
  url: ({ baseUrl }, { capability }) => `${rootOf(baseUrl)}/v2/${PATHS[capability] ?? "chat"}`,
  nativeFormat: ({ capability }) => FORMATS[capability] ?? null,
  embedsMedia: true,
  modelList: {
    url: (channel) => `${rootOf(channel.baseUrl)}/v1/models?page_size=1000`,
    read: readNamesIn("models"),
  },
  chat: chatApi({ formats: ["cohere"], codec: cohereCodec }),
};

const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: "",
  printed: [[/(\/compatibility)?\/v[12](\/(chat|embed))?$/, ""]],
};

const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).api;
