import { openAiCompatible } from "../shared/openai-compatible.ts";
import { GPT_OSS_REASONING } from "../shared/reasoning.ts";

/** Together. */
export const together = openAiCompatible({
  type: 1001,
  name: "Together",
  owner: "together",
  baseUrl: "https://api.together.ai",
  capabilities: ["chat", "completions", "embeddings", "rerank", "images", "speech", "transcriptions"],
  // https://docs.together.ai/docs/reasoning-overview
  facts: {
    documented: { source: "https://docs.together.ai/reference/chat-completions-1", version: "v1", day: "2026-11-29" },
    tiers: {},
    chat: {
      reasoningName: "reasoning",
      reasoning: [
        GPT_OSS_REASONING,
        { models: /thinking|-R1|QwQ|MiniMax-M2/i, off: "lowest", offCosts: "They always reason." },
        {
          models: /DeepSeek-V(3\.[1-9]|[4-9])|Qwen3\.[5-9]|Kimi-K2\.[5-9]|GLM-(4\.[5-9]|5)/i,
          on: { reasoning: { enabled: true } },
          off: { reasoning: { enabled: false } },
        },
      ],
    },
  },
  models: [
    "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "deepseek-ai/DeepSeek-V3.1",
    "Qwen/Qwen3-235B-A22B-Instruct-2507-tput",
  ],
});
