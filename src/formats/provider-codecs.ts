import { aiProxyProvider } from "./ai-proxy/index.ts";
import { anthropicProvider } from "./anthropic/index.ts";
import type { ProviderCodec } from "./codec.ts";
import { cohereProvider } from "./cohere/index.ts";
import type { ChatDialect } from "./conversation.ts";
import { converseProvider } from "./converse/index.ts";
import { dashscopeProvider } from "./dashscope/index.ts";
import { difyProvider } from "./dify/index.ts";
import { ernieProvider } from "./ernie/index.ts";
import { geminiProvider } from "./gemini/index.ts";
import { hunyuanProvider } from "./hunyuan/index.ts";
import { ollamaProvider } from "./ollama/index.ts";
import { openaiChatProvider } from "./openai-chat/index.ts";
import { openaiResponsesProvider } from "./openai-responses/index.ts";
import { palmProvider } from "./palm/index.ts";
import { sparkProvider } from "./spark/index.ts";
import { zhipuProvider } from "./zhipu/index.ts";

/** The upstream side of every chat format. */
export const providerCodecs: Readonly<Record<ChatDialect, ProviderCodec>> = {
  "openai-chat": openaiChatProvider,
  "openai-responses": openaiResponsesProvider,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
  ollama: ollamaProvider,
  cohere: cohereProvider,
  dashscope: dashscopeProvider,
  hunyuan: hunyuanProvider,
  ernie: ernieProvider,
  spark: sparkProvider,
  zhipu: zhipuProvider,
  dify: difyProvider,
  palm: palmProvider,
  "ai-proxy": aiProxyProvider,
  converse: converseProvider,
};
