import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact, recordOf, textOf } from "../../../formats/json.ts";
import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { chatApi, type NativeFormat } from "../../contract/chat.ts";
import type { CallParams, Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { cohereCodec } from "./codec.ts";
import { cohereEmbed } from "./embed.ts";

/** Rerank in Cohere's v2 API: documents are texts, and responses never contain them. */
const cohereRerank: NativeFormat = {
  encode(call, model, dropped) {
    // If the client wants documents back, they come from the request.
    recordDropped(call, ["query", "documents", "top_n", "max_tokens_per_doc", "return_documents"], dropped);
    const { query, top_n, max_tokens_per_doc } = call;
    const documents = Array.isArray(call.documents) ? call.documents.map(textOfDocument) : [];
    return compact({ model, query, documents, top_n, max_tokens_per_doc });
  },
  decode: (answer) => (Array.isArray(answer.results) ? answer : null),
};

/** A document with fields other than a text is sent as JSON. */
const textOfDocument = (document: unknown): string =>
  textOf(document) ?? textOf(recordOf(document)?.text) ?? JSON.stringify(document);

const DEFAULT_BASE_URL = "https://api.cohere.ai";

const compatible = openAiCompatible({
  type: 34,
  name: "Cohere",
  owner: "cohere",
  baseUrl: DEFAULT_BASE_URL,
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

const PATHS: Readonly<Partial<Record<CallParams["capability"], string>>> = { embeddings: "embed", rerank: "rerank" };
const FORMATS: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  embeddings: cohereEmbed,
  rerank: cohereRerank,
};

/** Cohere, in its own v2 API. */
export const cohere: Provider = {
  ...compatible,
  url: ({ baseUrl }, { capability }) => `${rootOf(baseUrl)}/v2/${PATHS[capability] ?? "chat"}`,
  nativeFormat: ({ capability }) => FORMATS[capability] ?? null,
  embedsMedia: true,
  modelList: {
    url: (channel) => `${rootOf(channel.baseUrl)}/v1/models?page_size=1000`,
    read: readNamesIn("models"),
  },
  chat: chatApi({ formats: ["cohere"], codec: cohereCodec }),
};

const rootOf = (baseUrl: string): string =>
  (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/(\/compatibility)?\/v[12]$/, "");
