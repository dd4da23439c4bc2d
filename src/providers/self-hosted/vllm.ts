import { openAiCompatible } from "../shared/openai-compatible.ts";

/** vLLM, LM Studio and other self-hosted servers. */
export const vllm = openAiCompatible({
  type: 1006,
  name: "vLLM / LM Studio",
  owner: "local",
  baseUrl: null,
  capabilities: ["chat", "completions", "embeddings", "rerank", "images", "speech", "transcriptions"],
  keyHint: "none",
  models: [],
  noListPrice: "own_server",
});
