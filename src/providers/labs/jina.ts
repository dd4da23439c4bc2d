import { DecodeError } from "../../formats/conversation/codec.ts";
import { embeddedMedia, embedsMedia, partsOfEntry } from "../../formats/gemini/embedded-contents.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { Provider } from "../contract/provider.ts";
import { inputsOf } from "../shared/embeddings.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

const compatible = openAiCompatible({
  type: 38,
  name: "Jina",
  owner: "jina",
  baseUrl: "https://api.jina.ai",
  capabilities: ["embeddings", "rerank"],
  keyHint: "jina_…",
  models: [
    "jina-reranker-v3",
    "jina-reranker-m0",
    "jina-reranker-v2-base-multilingual",
    "jina-embeddings-v5-text-small",
    "jina-embeddings-v4",
    "jina-embeddings-v3",
    "jina-clip-v2",
  ],
  // Jina rejects unknown fields; OpenAI's clients request base64 by default.
  facts: {
    documented: { source: "https://api.jina.ai/openapi.json", version: "v1", day: "2026-11-29" },
    requests: {
      embeddings: ({ input, encoding_format, embedding_type }) => ({
        changes: {
          ...(embedsMedia({ input }) && { input: inputsOf({ input }).map(entryOf) }),
          ...(encoding_format != null && { encoding_format: undefined }),
          ...(encoding_format === "base64" && { embedding_type: embedding_type ?? "base64" }),
        },
        dropped: ["user"],
      }),
    },
  },
});

/** Jina, whose multimodal models embed images: https://api.jina.ai/openapi.json */
export const jina: Provider = { ...compatible, embedsMedia: true };

/** An entry of a list with an image: a text, or the image as base64 or by its URL. Throws DecodeError for other media. */
function entryOf(entry: unknown): JsonObject {
  const parts = partsOfEntry(entry);
  if (!parts) return { text: entry };
  const [part, ...others] = parts;
  const media = part && embeddedMedia(part);
  if (!media?.mimeType.startsWith("image/") || others.length > 0)
    throw new DecodeError("Jina's models embed one text or one image at a time.", "content.parts");
  return { image: "data" in media ? media.data : media.uri };
}
