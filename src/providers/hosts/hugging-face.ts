import { openAiCompatible } from "../shared/openai-compatible.ts";
import { GPT_OSS_REASONING } from "../shared/reasoning.ts";

/** Hugging Face's router. */
export const huggingFace = openAiCompatible({
  type: 1005,
  name: "Hugging Face",
  owner: "huggingface",
  baseUrl: "https://router.huggingface.co",
  keyHint: "hf_…",
  models: ["openai/gpt-oss-120b", "deepseek-ai/DeepSeek-V3.2", "Qwen/Qwen3-235B-A22B-Instruct-2507"],
  facts: {
    documented: {
      source: "https://huggingface.co/docs/inference-providers/tasks/chat-completion",
      version: "v1",
      day: "2026-11-29",
    },
    // The router hands the effort on: https://huggingface.co/docs/inference-providers/tasks/chat-completion
    chat: {
      reasoning: [
        GPT_OSS_REASONING,
        { models: /thinking|-R1|QwQ|MiniMax-M2/i, off: "lowest", offCosts: "They always reason." },
        { off: { reasoning_effort: "none" }, effort: { path: ["reasoning_effort"] } },
      ],
    },
    errors: { no_credit: [{ message: /exceeded your monthly included credits/i }] },
  },
});
