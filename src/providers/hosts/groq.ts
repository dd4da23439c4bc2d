import { openAiCompatible } from "../shared/openai-compatible.ts";

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
    requests: { rejected: ["logprobs", "top_logprobs", "logit_bias"] },
  },
});
