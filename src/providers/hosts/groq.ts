import { compatible } from "../shared/openai-compatible.ts";

/** Groq. */
export const groq = compatible({
  type: 1000,
  name: "Groq",
  objects: true,
  owner: "groq",
  base: "https://api.groq.com/openai",
  capabilities: ["chat", "speech", "transcriptions", "translations"],
  keyHint: "gsk_…",
  models: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b", "openai/gpt-oss-20b", "moonshotai/kimi-k2-instruct-0905"],
  quirks: { refused: ["logprobs", "top_logprobs", "logit_bias"] },
});
