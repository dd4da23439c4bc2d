import { anthropicCodec } from "../formats/anthropic/index.ts";
import type { ProviderCodec } from "../formats/conversation/codec.ts";
import type { ChatDialect } from "../formats/conversation/conversation.ts";
import { geminiCodec } from "../formats/gemini/index.ts";
import { interactionsCodec } from "../formats/gemini-interactions/index.ts";
import { openaiChatCodec } from "../formats/openai-chat/index.ts";
import { openaiResponsesCodec } from "../formats/openai-responses/index.ts";
import { zeroOneAi } from "./chinese-labs/01-ai.ts";
import { ai360 } from "./chinese-labs/360.ts";
import { dashscope } from "./chinese-labs/alibaba/dashscope.ts";
import { qianfanV1 } from "./chinese-labs/baidu/qianfan.ts";
import { qianfan } from "./chinese-labs/baidu/qianfan-v2.ts";
import { deepSeek } from "./chinese-labs/deepseek.ts";
import { minimax } from "./chinese-labs/minimax/minimax.ts";
import { moka } from "./chinese-labs/moka.ts";
import { moonshot } from "./chinese-labs/moonshot.ts";
import { hunyuan } from "./chinese-labs/tencent/hunyuan.ts";
import { ark } from "./chinese-labs/volcengine/ark.ts";
import { jimeng } from "./chinese-labs/volcengine/jimeng.ts";
import { spark } from "./chinese-labs/xunfei/spark.ts";
import { chatglm } from "./chinese-labs/zhipu/chatglm.ts";
import { glm } from "./chinese-labs/zhipu/glm.ts";
import type { ServiceFacts, ServiceHost, ServiceRegions } from "./contract/facts.ts";
import type { Capability, NoListPrice, Provider, TaskCapability } from "./contract/provider.ts";
import { aiProxy } from "./hosts/ai-proxy/ai-proxy.ts";
import { azure } from "./hosts/azure.ts";
import { bedrock } from "./hosts/bedrock/claude.ts";
import { bedrockConverse } from "./hosts/bedrock/converse.ts";
import { cloudflare } from "./hosts/cloudflare/cloudflare.ts";
import { fireworks } from "./hosts/fireworks.ts";
import { groq } from "./hosts/groq.ts";
import { huggingFace } from "./hosts/hugging-face.ts";
import { nvidia } from "./hosts/nvidia.ts";
import { openRouter } from "./hosts/openrouter.ts";
import { siliconFlow } from "./hosts/siliconflow.ts";
import { together } from "./hosts/together.ts";
import { anthropic } from "./labs/anthropic.ts";
import { cohere } from "./labs/cohere/cohere.ts";
import { gemini } from "./labs/google/gemini.ts";
import { palm } from "./labs/google/palm.ts";
import { vertex } from "./labs/google/vertex.ts";
import { jina } from "./labs/jina.ts";
import { mistral } from "./labs/mistral.ts";
import { openai } from "./labs/openai/openai.ts";
import { perplexity } from "./labs/perplexity.ts";
import { voyage } from "./labs/voyage.ts";
import { xai } from "./labs/xai/xai.ts";
import { blackForestLabs } from "./media/black-forest-labs.ts";
import { elevenLabs } from "./media/elevenlabs.ts";
import { ideogram } from "./media/ideogram.ts";
import { kling } from "./media/kling.ts";
import { midjourney, midjourneyPlus } from "./media/midjourney.ts";
import { recraft } from "./media/recraft.ts";
import { runway } from "./media/runway.ts";
import { suno } from "./media/suno.ts";
import { vidu } from "./media/vidu.ts";
import { custom } from "./self-hosted/custom.ts";
import { dify } from "./self-hosted/dify/dify.ts";
import { fastGpt } from "./self-hosted/fastgpt.ts";
import { ollama } from "./self-hosted/ollama/ollama.ts";
import { vllm } from "./self-hosted/vllm.ts";
import { xinference } from "./self-hosted/xinference.ts";

const providers: readonly Provider[] = [
  openai,
  azure,
  ollama,
  cohere,
  dashscope,
  custom,
  anthropic,
  gemini,
  bedrock,
  vertex,
  mistral,
  bedrockConverse,
  palm,
  qianfanV1,
  chatglm,
  spark,
  aiProxy,
  hunyuan,
  dify,
  midjourney,
  midjourneyPlus,
  suno,
  kling,
  vidu,
  runway,
  blackForestLabs,
  ideogram,
  recraft,
  elevenLabs,
  jimeng,
  voyage,
  openRouter,
  ai360,
  fastGpt,
  moonshot,
  glm,
  zeroOneAi,
  minimax,
  jina,
  siliconFlow,
  xinference,
  xai,
  groq,
  together,
  fireworks,
  perplexity,
  nvidia,
  huggingFace,
  vllm,
  cloudflare,
  ark,
  deepSeek,
  moka,
  qianfan,
];

/** Codecs of every wire format, by its name: shared ones, and those of providers with a format of their own. */
const codecs: ReadonlyMap<ChatDialect, ProviderCodec> = new Map(
  [
    openaiChatCodec,
    openaiResponsesCodec,
    anthropicCodec,
    geminiCodec,
    interactionsCodec,
    ...providers.flatMap(({ chat }) => chat?.codec ?? []),
  ].map((codec) => [codec.dialect, codec]),
);

/** Every wire format that some provider speaks. */
export const wireFormats: readonly ChatDialect[] = [...codecs.keys()];

/** The codec for requests to, and responses of, providers that speak a wire format. Throws Error for an unknown one. */
export function codecOf(format: ChatDialect): ProviderCodec {
  const codec = codecs.get(format);
  if (!codec) throw new Error(`no provider speaks the wire format “${format}”`);
  return codec;
}

const byType: ReadonlyMap<number, Provider> = new Map(providers.map((provider) => [provider.type, provider]));

/** The provider of a channel-type number. */
export const providerOf = (type: number): Provider | undefined => byType.get(type);

/** What is known about the service of a channel type; undefined: nothing. */
export const factsOf = (type: number): ServiceFacts | undefined => byType.get(type)?.facts;

/** What is known about every service, in the order of the providers. */
export const everyFacts: readonly ServiceFacts[] = providers.flatMap(({ facts }) => facts ?? []);

const DEFAULT_VIDEO_SECONDS = 5;

/** Default length of a model's videos, in seconds. */
export function defaultVideoSeconds(model: string): number {
  for (const { videos } of providers) {
    const seconds = videos?.defaultSeconds?.(model) ?? null;
    if (seconds !== null) return seconds;
  }
  return DEFAULT_VIDEO_SECONDS;
}

/** What the console must know about a channel type. */
export type ChannelType = Readonly<{
  id: number;
  name: string;
  /** Null: the channel must have a base URL; empty: it follows from the key. */
  defaultBaseUrl: string | null;
  capabilities: readonly (Capability | TaskCapability)[];
  keyHint: string;
  /** The upstream has a model list. */
  listsModels: boolean;
  models: readonly string[];
  /** Null: the release includes list prices. */
  noListPrice: NoListPrice | null;
  /** The day on which the service ended; null: it has not. */
  endedOn: string | null;
  /** Its addresses, where it has several. */
  hosts: readonly ServiceHost[];
  /** Its regions; null: channels name none. */
  regions: ServiceRegions | null;
}>;

/** Every channel type, by number. */
export const channelTypes: readonly ChannelType[] = providers
  .map((provider) => ({
    id: provider.type,
    name: provider.name,
    defaultBaseUrl: provider.baseUrlOptional ? "" : provider.defaultBaseUrl,
    capabilities: provider.capabilities,
    keyHint: provider.keyHint,
    listsModels:
      (provider.modelList?.url({ baseUrl: "https://x.invalid", other: "", openaiOrganization: "" }) ?? null) !== null,
    models: provider.models,
    noListPrice: provider.noListPrice ?? null,
    endedOn: provider.facts?.ended?.day ?? null,
    hosts: provider.facts?.hosts ?? [],
    regions: provider.facts?.regions ?? null,
  }))
  .toSorted((a, b) => a.id - b.id);
