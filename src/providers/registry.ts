import { aiProxy } from "./ai-proxy.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { qianfanV1 } from "./baidu/qianfan.ts";
import { bedrock } from "./bedrock/bedrock.ts";
import { bedrockConverse } from "./bedrock/converse.ts";
import { cohere } from "./cohere.ts";
import { compatibleServices } from "./compatible-services.ts";
import { custom } from "./custom.ts";
import { dashscope } from "./dashscope.ts";
import { dify } from "./dify/dify.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai/openai.ts";
import { palm } from "./palm.ts";
import type { Capability, NoListPrice, Provider, TaskCapability } from "./provider.ts";
import { kling } from "./tasks/kling.ts";
import { midjourney, midjourneyPlus } from "./tasks/midjourney.ts";
import { suno } from "./tasks/suno.ts";
import { vidu } from "./tasks/vidu.ts";
import { hunyuan } from "./tencent/hunyuan.ts";
import { vertex } from "./vertex/vertex.ts";
import { spark } from "./xunfei/spark.ts";
import { chatglm } from "./zhipu/chatglm.ts";

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
