import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { cohereCodec } from "./codec.ts";
import { cohereRerank } from "./rerank.ts";

const DEFAULT_BASE_URL = "https://api.cohere.ai";

/** OpenAI-compatible embeddings have a URL of their own. */
const compatible = openAiCompatible({
  type: 34,
  name: "Cohere",
  owner: "cohere",
  baseUrl: DEFAULT_BASE_URL,
  apiRoot: "/compatibility/v1",
  capabilities: ["chat", "embeddings", "rerank"],
  keyHint: "…",
  models: [
    "command-a-plus-05-2026",
    "command-a-03-2025",
    "command-a-reasoning-08-2025",
    "command-a-vision-07-2025",
    "command-r7b-12-2024",
    "command-r-08-2024",
    "command-r-plus-08-2024",
    "rerank-v4.0-pro",
    "rerank-v4.0-fast",
    "rerank-v3.5",
    "embed-v4.0",
    "embed-multilingual-v3.0",
    "embed-english-v3.0",
  ],
});

/** Cohere, with chats in its own v2 API. */
export const cohere: Provider = {
  ...compatible,
  url: (channel, params) =>
    params.capability === "embeddings"
      ? compatible.url(channel, params)
      : `${rootOf(channel.baseUrl)}/v2/${params.capability === "rerank" ? "rerank" : "chat"}`,
  nativeFormat: ({ capability }) => (capability === "rerank" ? cohereRerank : null),
  modelList: {
    url: (channel) => `${rootOf(channel.baseUrl)}/v1/models?page_size=1000`,
    read: readNamesIn("models"),
  },
  chat: chatApi({ formats: ["cohere"], codec: cohereCodec }),
};

const rootOf = (baseUrl: string): string => (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/\/v[12]$/, "");
