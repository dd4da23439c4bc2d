import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Xinference. */
export const xinference = openAiCompatible({
  type: 47,
  name: "Xinference",
  owner: "xinference",
  baseUrl: null,
  capabilities: [
    "chat",
    "completions",
    "embeddings",
    "rerank",
    "image-edits",
    "translations",
    "images",
    "speech",
    "transcriptions",
  ],
  keyHint: "none",
  models: [],
  noListPrice: "own_server",
});
