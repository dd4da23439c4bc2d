import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Fireworks. */
export const fireworks = openAiCompatible({
  type: 1002,
  name: "Fireworks",
  owner: "fireworks",
  baseUrl: "https://api.fireworks.ai/inference",
  capabilities: ["chat", "completions", "embeddings"],
  keyHint: "fw_…",
  models: ["accounts/fireworks/models/deepseek-v3p2", "accounts/fireworks/models/qwen3-235b-a22b"],
});
