import { compatible } from "../shared/openai-compatible.ts";

/** Xinference. */
export const xinference = compatible({
  type: 47,
  name: "Xinference",
  owner: "xinference",
  base: null,
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
