import { dashscope } from "./chinese-labs/alibaba/dashscope.ts";
import { qianfanV1 } from "./chinese-labs/baidu/qianfan.ts";
import { hunyuan } from "./chinese-labs/tencent/hunyuan.ts";
import { spark } from "./chinese-labs/xunfei/spark.ts";
import { chatglm } from "./chinese-labs/zhipu/chatglm.ts";
import { compatibleServices } from "./compatible-services.ts";
import type { Capability, NoListPrice, Provider, TaskCapability } from "./contract/provider.ts";
import { aiProxy } from "./hosts/ai-proxy/ai-proxy.ts";
import { azure } from "./hosts/azure.ts";
import { bedrock } from "./hosts/bedrock/claude.ts";
import { bedrockConverse } from "./hosts/bedrock/converse.ts";
import { anthropic } from "./labs/anthropic.ts";
import { cohere } from "./labs/cohere/cohere.ts";
import { gemini } from "./labs/google/gemini.ts";
import { palm } from "./labs/google/palm.ts";
import { vertex } from "./labs/google/vertex.ts";
import { mistral } from "./labs/mistral.ts";
import { openai } from "./labs/openai/openai.ts";
import { kling } from "./media/kling.ts";
import { midjourney, midjourneyPlus } from "./media/midjourney.ts";
import { suno } from "./media/suno.ts";
import { vidu } from "./media/vidu.ts";
import { custom } from "./self-hosted/custom.ts";
import { dify } from "./self-hosted/dify/dify.ts";
import { ollama } from "./self-hosted/ollama/ollama.ts";

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
  ...compatibleServices,
];

const byType: ReadonlyMap<number, Provider> = new Map(providers.map((provider) => [provider.type, provider]));

/** The provider of a channel-type number. */
export const providerOf = (type: number): Provider | undefined => byType.get(type);

/** What the console needs to know of a channel type. */
export type ChannelType = Readonly<{
  id: number;
  name: string;
  /** Null: the channel must have an address; empty: it follows from the key. */
  defaultBaseUrl: string | null;
  capabilities: readonly (Capability | TaskCapability)[];
  keyHint: string;
  /** The upstream can be asked for its models. */
  listsModels: boolean;
  models: readonly string[];
  /** Null: what its models cost comes with the release. */
  noListPrice: NoListPrice | null;
}>;

/** Every channel type there is, by number. */
export const channelTypes: readonly ChannelType[] = providers
  .map((provider) => ({
    id: provider.type,
    name: provider.name,
    defaultBaseUrl: provider.baseUrlOptional ? "" : provider.defaultBaseUrl,
    capabilities: provider.capabilities,
    keyHint: provider.keyHint,
    listsModels: provider.modelListUrl({ baseUrl: "https://x.invalid", other: "", openaiOrganization: "" }) !== null,
    models: provider.models,
    noListPrice: provider.noListPrice ?? null,
  }))
  .toSorted((a, b) => a.id - b.id);
