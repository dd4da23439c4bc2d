import type { Capability, TaskCapability } from "../../../providers/contract/provider.ts";

/**
 * Names of OpenTelemetry's semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */

/** `gen_ai.operation.name` of a capability. */
export const operationOf = (capability: Capability | TaskCapability): string => OPERATIONS[capability] ?? capability;

const OPERATIONS: Readonly<Partial<Record<Capability | TaskCapability, string>>> = {
  chat: "chat",
  realtime: "chat",
  completions: "text_completion",
  embeddings: "embeddings",
  images: "generate_content",
  "image-edits": "generate_content",
  "image-variations": "generate_content",
  speech: "generate_content",
  transcriptions: "generate_content",
  translations: "generate_content",
  drawing: "generate_content",
  music: "generate_content",
  video: "generate_content",
};

/** `gen_ai.provider.name` of a channel type; a provider that the conventions do not list has its own name. */
export const providerNameOf = ({ type, name }: Readonly<{ type: number; name: string }>): string =>
  PROVIDERS[type] ?? name.toLowerCase().replace(/[^a-z0-9]+/g, "_");

const PROVIDERS: Readonly<Record<number, string>> = {
  1: "openai",
  3: "azure.ai.openai",
  14: "anthropic",
  24: "gcp.gemini",
  27: "perplexity",
  33: "aws.bedrock",
  34: "cohere",
  41: "gcp.vertex_ai",
  42: "mistral_ai",
  43: "deepseek",
  48: "x_ai",
};
