import { compatible } from "../shared/openai-compatible.ts";

/** NVIDIA NIM. */
export const nvidia = compatible({
  type: 1004,
  name: "NVIDIA NIM",
  owner: "nvidia",
  base: "https://integrate.api.nvidia.com",
  capabilities: ["chat", "embeddings"],
  keyHint: "nvapi-…",
  models: ["nvidia/llama-3.1-nemotron-70b-instruct", "meta/llama-3.3-70b-instruct", "openai/gpt-oss-120b"],
  noListPrice: "unlisted",
});
