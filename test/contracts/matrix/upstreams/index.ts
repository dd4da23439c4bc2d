import type { ProviderName } from "../cells.ts";
import { anthropic, bedrock } from "./anthropic.ts";
import type { FakeUpstream } from "./fake.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { cohere } from "./own-formats/cohere.ts";
import { converse } from "./own-formats/converse.ts";
import { dashscope, dashscopeImitation } from "./own-formats/dashscope.ts";
import { hunyuan } from "./own-formats/hunyuan.ts";
import { ollama } from "./own-formats/ollama.ts";
import { aiProxy, chatglm, dify, palm, qianfan, spark } from "./own-formats/plain.ts";

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
  // Proxies of Gemini's API have `generateContent`; interactions at Google itself pass through.
  if (name === "gemini" && path === "/v1beta/interactions") return null;
  // Most servers that imitate OpenAI have no Responses.
  return name === "openai-chat" && path === "/v1/responses" ? null : upstreams[name];
}
