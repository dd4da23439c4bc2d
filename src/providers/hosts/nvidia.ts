import { openAiCompatible } from "../shared/openai-compatible.ts";

/** NVIDIA NIM. */
export const nvidia = openAiCompatible({
  type: 1004,
  name: "NVIDIA NIM",
  owner: "nvidia",
  baseUrl: "https://integrate.api.nvidia.com",
  capabilities: ["chat", "embeddings"],
  keyHint: "nvapi-…",
  models: ["nvidia/llama-3.1-nemotron-70b-instruct", "meta/llama-3.3-70b-instruct", "openai/gpt-oss-120b"],
  noListPrice: "unlisted",
});
