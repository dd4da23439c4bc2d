import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Jina. */
export const jina = openAiCompatible({
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
  quirks: {
    embeddings: ({ encoding_format, embedding_type }) => ({
      changes: {
        ...(encoding_format != null && { encoding_format: undefined }),
        ...(encoding_format === "base64" && { embedding_type: embedding_type ?? "base64" }),
      },
      dropped: ["user"],
    }),
  },
});
