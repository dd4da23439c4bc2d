import { compact } from "../formats/helpers/compact.ts";
import { type JsonObject, recordOf } from "../formats/json.ts";
import type { Provider } from "./contract/provider.ts";
import { type Compatible, compatible } from "./shared/openai-compatible.ts";

const EVERYTHING = ["chat", "completions", "embeddings"] as const;
const MEDIA = ["images", "speech", "transcriptions"] as const;

/** Services that the ecosystem has no numbers for: ours begin at 1000. */
const tables: readonly Compatible[] = [
  {
    type: 1000,
    name: "Groq",
    objects: true,
    owner: "groq",
    base: "https://api.groq.com/openai",
    capabilities: ["chat", "speech", "transcriptions", "translations"],
    keyHint: "gsk_…",
    models: [
      "llama-3.3-70b-versatile",
      "openai/gpt-oss-120b",
      "openai/gpt-oss-20b",
      "moonshotai/kimi-k2-instruct-0905",
    ],
    quirks: { refused: ["logprobs", "top_logprobs", "logit_bias"] },
  },
  {
    type: 1001,
    name: "Together",
    owner: "together",
    base: "https://api.together.xyz",
    capabilities: [...EVERYTHING, "rerank", ...MEDIA],
    models: [
      "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      "deepseek-ai/DeepSeek-V3.1",
      "Qwen/Qwen3-235B-A22B-Instruct-2507-tput",
    ],
  },
  {
    type: 1002,
    name: "Fireworks",
    owner: "fireworks",
    base: "https://api.fireworks.ai/inference",
    capabilities: EVERYTHING,
    keyHint: "fw_…",
    models: ["accounts/fireworks/models/deepseek-v3p2", "accounts/fireworks/models/qwen3-235b-a22b"],
  },
  {
    type: 1003,
    name: "Perplexity",
    owner: "perplexity",
    base: "https://api.perplexity.ai",
    root: "",
    keyHint: "pplx-…",
    listsNoModels: true,
    models: ["sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"],
    quirks: { topP: [0.01, 0.99], further: flatLocation },
  },
  {
    type: 1004,
    name: "NVIDIA NIM",
    owner: "nvidia",
    base: "https://integrate.api.nvidia.com",
    capabilities: ["chat", "embeddings"],
    keyHint: "nvapi-…",
    models: ["nvidia/llama-3.1-nemotron-70b-instruct", "meta/llama-3.3-70b-instruct", "openai/gpt-oss-120b"],
    noListPrice: "unlisted",
  },
  {
    type: 1005,
    name: "Hugging Face",
    owner: "huggingface",
    base: "https://router.huggingface.co",
    keyHint: "hf_…",
    models: ["openai/gpt-oss-120b", "deepseek-ai/DeepSeek-V3.2", "Qwen/Qwen3-235B-A22B-Instruct-2507"],
  },
  {
    type: 1006,
    name: "vLLM / LM Studio",
    owner: "local",
    base: null,
    capabilities: [...EVERYTHING, "rerank", ...MEDIA],
    keyHint: "none",
    models: [],
    noListPrice: "own_server",
  },
];

export const furtherServices: readonly Provider[] = tables.map(compatible);

/** Perplexity has the user's place one level higher than OpenAI, and without a time zone. */
function flatLocation({ web_search_options }: JsonObject): JsonObject {
  const options = recordOf(web_search_options);
  const place = recordOf(recordOf(options?.user_location)?.approximate);
  if (!place) return {};
  const { country, region, city } = place;
  return { web_search_options: { ...options, user_location: compact({ country, region, city }) } };
}
