import { openAiCompatible } from "../shared/openai-compatible.ts";
import { TEMPLATE_REASONING } from "../shared/reasoning.ts";

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
  facts: {
    documented: {
      source: "https://inference.readthedocs.io/en/latest/models/model_abilities/chat.html",
      version: "v1",
      day: "2026-11-29",
    },
    chat: { reasoning: TEMPLATE_REASONING },
  },
  models: [],
  noListPrice: "own_server",
});
