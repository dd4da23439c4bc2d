import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Hugging Face's router. */
export const huggingFace = openAiCompatible({
  type: 1005,
  name: "Hugging Face",
  owner: "huggingface",
  baseUrl: "https://router.huggingface.co",
  keyHint: "hf_…",
  models: ["openai/gpt-oss-120b", "deepseek-ai/DeepSeek-V3.2", "Qwen/Qwen3-235B-A22B-Instruct-2507"],
  facts: {
    errors: { no_credit: [{ message: /exceeded your monthly included credits/i }] },
  },
});
