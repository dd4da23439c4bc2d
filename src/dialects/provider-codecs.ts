import { anthropicProvider } from "./anthropic/index.ts";
import type { ProviderCodec } from "./codec.ts";
import { cohereProvider } from "./cohere/index.ts";
import type { ChatDialect } from "./conversation.ts";
import { dashscopeProvider } from "./dashscope/index.ts";
import { geminiProvider } from "./gemini/index.ts";
import { ollamaProvider } from "./ollama/index.ts";
import { openaiChatProvider } from "./openai-chat/index.ts";
import { openaiResponsesProvider } from "./openai-responses/index.ts";

/** The upstream side of every chat format. */
export const providerCodecs: Readonly<Record<ChatDialect, ProviderCodec>> = {
  "openai-chat": openaiChatProvider,
  "openai-responses": openaiResponsesProvider,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
  ollama: ollamaProvider,
  cohere: cohereProvider,
  dashscope: dashscopeProvider,
};
