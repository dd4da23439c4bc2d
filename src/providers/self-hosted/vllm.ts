import { openAiCompatible } from "../shared/openai-compatible.ts";
import { TEMPLATE_REASONING } from "../shared/reasoning.ts";

/** vLLM, LM Studio and other self-hosted servers. */
export const vllm = openAiCompatible({
  type: 1006,
  name: "vLLM / LM Studio",
  owner: "local",
  baseUrl: null,
  capabilities: ["chat", "completions", "embeddings", "rerank", "images", "speech", "transcriptions"],
  keyHint: "none",
  facts: {
    documented: {
      source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
      version: "v1",
      day: "2026-11-29",
    },
    chat: { reasoningName: "reasoning", reasoning: TEMPLATE_REASONING },
  },
  models: [],
  noListPrice: "own_server",
});
