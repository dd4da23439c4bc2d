import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { generateImages, rerank, speech, transcribe } from "./formats.ts";

/** Calls that the OpenAI-compatible API lacks, in Workers AI's own format. */
const OWN: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  images: generateImages,
  rerank,
  speech,
  transcriptions: transcribe("transcribe"),
  translations: transcribe("translate"),
};

const compatible = openAiCompatible({
  type: 39,
  name: "Cloudflare",
  owner: "cloudflare",
  baseUrl: "https://api.cloudflare.com",
  apiRoot: "",
  capabilities: ["chat", "embeddings", "images", "rerank", "speech", "transcriptions", "translations"],
  models: [
    "@cf/openai/gpt-oss-120b",
    "@cf/openai/gpt-oss-20b",
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    "@cf/meta/llama-4-scout-17b-16e-instruct",
    "@cf/qwen/qwen3-30b-a3b-fp8",
    "@cf/baai/bge-m3",
    "@cf/baai/bge-reranker-base",
    "@cf/black-forest-labs/flux-1-schnell",
    "@cf/openai/whisper-large-v3-turbo",
    "@cf/deepgram/aura-1",
  ],
});

const accountOf = ({ baseUrl, other }: ProviderChannel): string =>
  `${(baseUrl || "https://api.cloudflare.com").replace(/\/+$/, "")}/client/v4/accounts/${encodeURIComponent(other)}`;

/** Cloudflare's Workers AI. `other` is the account id, which is part of the URL. */
export const cloudflare: Provider = {
  ...compatible,
  url: (channel, params) =>
    OWN[params.capability]
      ? `${accountOf(channel)}/ai/run/${params.model.split("/").map(encodeURIComponent).join("/").replaceAll("%40", "@")}`
      : compatible.url({ ...channel, baseUrl: `${accountOf(channel)}/ai/v1` }, params),
  nativeFormat: ({ capability }) => OWN[capability] ?? null,
  modelList: {
    url: (channel) => `${accountOf(channel)}/ai/models/search?per_page=1000`,
    read: readNamesIn("result"),
  },
};
