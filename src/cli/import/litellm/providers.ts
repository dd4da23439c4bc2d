/** How a provider of LiteLLM is reached from here. */
export type ProviderOf = Readonly<{
  /** LiteLLM's name of it. */
  name: string;
  /** Type of the channel. */
  type: number;
  /** `optional`: it may have none; `aws`, `vertex`: made of several parameters. */
  key?: "optional" | "aws" | "vertex";
  /** Where it is unless the deployment says so. */
  baseUrl?: string;
  /** `own`: the channel's base URL is LiteLLM's; else one that ends in `/v1` loses it. */
  paths?: "own";
  /** The parameter that is the channel's further field. */
  other?: string;
}>;

const OPENAI = 1;
const compatible = (baseUrl: string) => ({ type: OPENAI, baseUrl });

const PROVIDERS: Readonly<Record<string, Omit<ProviderOf, "name">>> = {
  openai: { type: OPENAI },
  "text-completion-openai": { type: OPENAI },
  custom_openai: { type: OPENAI, key: "optional" },
  openai_like: { type: OPENAI, key: "optional" },
  litellm_proxy: { type: OPENAI },
  llamafile: { type: OPENAI, key: "optional" },
  baseten: compatible("https://inference.baseten.co"),
  cerebras: compatible("https://api.cerebras.ai"),
  sambanova: compatible("https://api.sambanova.ai"),
  azure: { type: 3, paths: "own", other: "api_version" },
  ollama: { type: 4, key: "optional", paths: "own" },
  ollama_chat: { type: 4, key: "optional", paths: "own" },
  anthropic: { type: 14 },
  dashscope: compatible("https://dashscope.aliyuncs.com/compatible-mode"),
  openrouter: { type: 20 },
  gemini: { type: 24 },
  moonshot: { type: 25 },
  bedrock: { type: 1007, key: "aws" },
  bedrock_converse: { type: 1007, key: "aws" },
  cohere: { type: 34 },
  cohere_chat: { type: 34 },
  jina_ai: { type: 38 },
  vertex_ai: { type: 41, key: "vertex", other: "vertex_location" },
  mistral: { type: 42 },
  deepseek: { type: 43 },
  volcengine: { type: 45 },
  xinference: { type: 47, key: "optional" },
  xai: { type: 48 },
  groq: { type: 1000 },
  together_ai: { type: 1001 },
  fireworks_ai: { type: 1002 },
  perplexity: { type: 1003 },
  nvidia_nim: { type: 1004 },
  hosted_vllm: { type: 1006, key: "optional" },
  vllm: { type: 1006, key: "optional" },
  lm_studio: { type: 1006, key: "optional" },
};

const table: ReadonlyMap<string, ProviderOf> = new Map(
  Object.entries(PROVIDERS).map(([name, provider]) => [name, { name, ...provider }]),
);

/** The provider that LiteLLM calls so; undefined: there is nothing like it here. */
export const findProvider = (name: string): ProviderOf | undefined => table.get(name);

/** Names of providers that LiteLLM reads before the slash; others are part of a model's name. */
const WITHOUT_COUNTERPART = ["azure_ai", "sagemaker", "replicate", "watsonx", "databricks", "predibase", "oci"];

/** A model of LiteLLM, "azure/my-gpt", in its provider and the name that the provider knows it by. */
export function splitModel(text: string, named: string): Readonly<{ provider: string; model: string }> {
  const [prefix = "", ...rest] = text.split("/");
  if (rest.length > 0 && (table.has(prefix) || WITHOUT_COUNTERPART.includes(prefix))) {
    return { provider: named || prefix, model: named && named !== prefix ? text : rest.join("/") };
  }
  return { provider: named || (/^claude/.test(text) ? "anthropic" : "openai"), model: text };
}
