import { openAiCompatible } from "../shared/openai-compatible.ts";
import { TEMPLATE_REASONING } from "../shared/reasoning.ts";

/** NVIDIA NIM. */
export const nvidia = openAiCompatible({
  type: 1004,
  name: "NVIDIA NIM",
  owner: "nvidia",
  baseUrl: "https://integrate.api.nvidia.com",
  capabilities: ["chat", "embeddings"],
  keyHint: "nvapi-…",
  facts: {
    documented: {
      source: "https://docs.nvidia.com/nim/large-language-models/reference/api-reference",
      version: "v1",
      day: "2026-11-29",
    },
    chat: { reasoning: TEMPLATE_REASONING },
  },
  models: ["nvidia/llama-3.1-nemotron-70b-instruct", "meta/llama-3.3-70b-instruct", "openai/gpt-oss-120b"],
  noListPrice: "unlisted",
});
