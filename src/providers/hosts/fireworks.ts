import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Fireworks. */
export const fireworks = openAiCompatible({
  type: 1002,
  name: "Fireworks",
  owner: "fireworks",
  baseUrl: "https://api.fireworks.ai/inference",
  capabilities: ["chat", "completions", "embeddings"],
  keyHint: "fw_…",
  // https://docs.fireworks.ai/guides/reasoning
  facts: {
    documented: {
      source: "https://docs.fireworks.ai/api-reference/post-chatcompletions",
      version: "v1",
      day: "2026-11-29",
    },
    chat: {
      reasoning: [
        {
          models: /gpt-oss|thinking|-r1|minimax-m2/,
          off: "lowest",
          effort: { path: ["reasoning_effort"], efforts: ["low", "medium", "high"] },
          offCosts: "They always reason: the lowest effort is sent.",
        },
        { off: { reasoning_effort: "none" }, effort: { path: ["reasoning_effort"] } },
      ],
    },
  },
  models: ["accounts/fireworks/models/deepseek-v3p2", "accounts/fireworks/models/qwen3-235b-a22b"],
});
