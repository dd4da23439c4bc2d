import { openAiCompatible } from "../shared/openai-compatible.ts";
import { GPT_OSS_REASONING } from "../shared/reasoning.ts";

/** Groq. */
export const groq = openAiCompatible({
  type: 1000,
  name: "Groq",
  files: true,
  owner: "groq",
  baseUrl: "https://api.groq.com/openai",
  capabilities: ["chat", "speech", "transcriptions", "translations"],
  keyHint: "gsk_…",
  models: ["openai/gpt-oss-120b", "openai/gpt-oss-20b"],
  facts: {
    documented: { source: "https://console.groq.com/docs/api-reference", version: "v1", day: "2026-11-29" },
    // https://console.groq.com/docs/reasoning
    chat: {
      reasoningName: "reasoning",
      reasoningDetails: false,
      reasoning: [
        GPT_OSS_REASONING,
        { models: /qwen3/, on: { reasoning_effort: "default" }, off: { reasoning_effort: "none" } },
      ],
    },
    requests: { rejected: ["logprobs", "top_logprobs", "logit_bias"] },
    // https://console.groq.com/docs/service-tiers
    tiers: { auto: "auto", default: "on_demand", flex: "flex", priority: "performance", fast: "performance" },
  },
});
