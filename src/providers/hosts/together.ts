import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Together. */
export const together = openAiCompatible({
  type: 1001,
  name: "Together",
  owner: "together",
  baseUrl: "https://api.together.xyz",
  capabilities: ["chat", "completions", "embeddings", "rerank", "images", "speech", "transcriptions"],
  models: [
    "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "deepseek-ai/DeepSeek-V3.1",
    "Qwen/Qwen3-235B-A22B-Instruct-2507-tput",
  ],
});
