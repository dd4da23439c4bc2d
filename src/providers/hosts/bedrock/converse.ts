import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import {
  BEDROCK_REGIONS,
  bearerHeader,
  bedrockModelId,
  credentialOf,
  eventStreamToSse,
  hostOf,
  signForAws,
} from "./bedrock.ts";
import { CONVERSE_TIERS } from "./converse-codec/encode-request.ts";
import { converseCodec } from "./converse-codec/index.ts";
import { bedrockEmbeddings } from "./embeddings.ts";

/** Models of every family on AWS Bedrock, by its Converse API; embeddings by InvokeModel. */
export const bedrockConverse: Provider = {
  type: 1007,
  name: "AWS Bedrock (Converse)",
  owner: "aws",
  defaultBaseUrl: null,
  baseUrlOptional: true,
  capabilities: ["chat", "embeddings"],
  nativeFormat: ({ capability, model }) => (capability === "embeddings" ? bedrockEmbeddings(model) : null),
  keyHint: "accessKey|secretKey|region or apiKey|region",
  models: [
    "us.amazon.nova-2-lite-v1:0",
    "us.amazon.nova-premier-v1:0",
    "us.amazon.nova-pro-v1:0",
    "us.amazon.nova-lite-v1:0",
    "us.amazon.nova-micro-v1:0",
    "us.meta.llama4-maverick-17b-instruct-v1:0",
    "us.meta.llama4-scout-17b-instruct-v1:0",
    "us.meta.llama3-3-70b-instruct-v1:0",
    "us.deepseek.r1-v1:0",
    "deepseek.v3-v1:0",
    "openai.gpt-oss-120b-1:0",
    "openai.gpt-oss-20b-1:0",
    "qwen.qwen3-235b-a22b-2507-v1:0",
    "qwen.qwen3-32b-v1:0",
    "us.mistral.pixtral-large-2502-v1:0",
    "cohere.command-r-plus-v1:0",
    "ai21.jamba-1-5-large-v1:0",
  ],
  url(channel, params) {
    const { region } = credentialOf(params.key ?? "");
    const id = encodeURIComponent(bedrockModelId(params, region));
    if (params.capability === "embeddings") return `${hostOf(channel, region)}/model/${id}/invoke`;
    return `${hostOf(channel, region)}/model/${id}/${params.stream ? "converse-stream" : "converse"}`;
  },
  authHeaders: (_channel, key) => bearerHeader(key),
  sign: (request, _channel, key) => signForAws(request, key),
  facts: {
    documented: {
      source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
      version: "2023-09-30",
      day: "2026-11-29",
    },
    regions: BEDROCK_REGIONS,
    tiers: CONVERSE_TIERS,
    chat: { inlineMediaOnly: true },
    errors: { bad_key: [{ type: "UnrecognizedClientException" }, { code: "UnrecognizedClientException" }] },
  },
  chat: chatApi({
    formats: ["converse"],
    codec: converseCodec,
    streaming: { framing: eventStreamToSse },
  }),
};
