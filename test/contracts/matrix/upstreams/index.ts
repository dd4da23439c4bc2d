import type { ProviderName } from "../cells.ts";
import { anthropic, bedrock } from "./anthropic.ts";
import { cohere } from "./cohere.ts";
import { converse } from "./converse.ts";
import { dashscope, dashscopeImitation } from "./dashscope.ts";
import type { FakeUpstream } from "./fake.ts";
import { gemini } from "./gemini.ts";
import { hunyuan } from "./hunyuan.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { aiProxy, chatglm, dify, palm, qianfan, spark } from "./plain.ts";

/** A fake of every column of the matrix. */
export const upstreams: Readonly<Record<ProviderName, FakeUpstream>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  bedrock,
  ollama,
  cohere,
  dashscope,
  mistral,
  converse,
  hunyuan,
  qianfan,
  spark,
  chatglm,
  dify,
  palm,
  "ai-proxy": aiProxy,
};

/** Who answers at an address of the provider; null: nobody. */
export function fakeAt(name: ProviderName, path: string): FakeUpstream | null {
  if (name === "dashscope" && path.startsWith("/compatible-mode/")) return dashscopeImitation;
  // Most servers that imitate OpenAI have no Responses.
  return name === "openai-chat" && path === "/v1/responses" ? null : upstreams[name];
}
