import { anthropicProvider } from "../formats/anthropic/index.ts";
import type { ProviderCodec } from "../formats/conversation/codec.ts";
import type { ChatDialect } from "../formats/conversation/conversation.ts";
import { geminiProvider } from "../formats/gemini/index.ts";
import { openaiChatProvider } from "../formats/openai-chat/index.ts";
import { openaiResponsesProvider } from "../formats/openai-responses/index.ts";
import { dashscopeProvider } from "./chinese-labs/alibaba/codec.ts";
import { ernieProvider } from "./chinese-labs/baidu/ernie-codec.ts";
import { hunyuanProvider } from "./chinese-labs/tencent/codec.ts";
import { sparkProvider } from "./chinese-labs/xunfei/codec.ts";
import { zhipuProvider } from "./chinese-labs/zhipu/codec.ts";
import { aiProxyProvider } from "./hosts/ai-proxy/codec.ts";
import { converseProvider } from "./hosts/bedrock/converse-codec/index.ts";
import { cohereProvider } from "./labs/cohere/codec.ts";
import { palmProvider } from "./labs/google/palm-codec.ts";
import { difyProvider } from "./self-hosted/dify/codec.ts";
import { ollamaProvider } from "./self-hosted/ollama/codec.ts";

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
