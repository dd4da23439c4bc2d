import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { ollamaCodec } from "./codec.ts";
import { ndjsonToSse } from "./ndjson.ts";

const DEFAULT_BASE_URL = "http://localhost:11434";

/** Everything except chats goes to Ollama's OpenAI-compatible endpoints. */
const compatible = openAiCompatible({
  type: 4,
  name: "Ollama",
  owner: "ollama",
  baseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat", "completions", "embeddings"],
  keyHint: "ollama",
  models: ["llama3.3", "qwen3", "gpt-oss:20b", "gemma3", "deepseek-r1", "mistral", "nomic-embed-text"],
  noListPrice: "own_server",
});

/** Ollama, with chats in its own format: newline-delimited JSON, images inside the request. */
export const ollama: Provider = {
  ...compatible,
  url: (channel, params) =>
    params.capability === "chat" ? `${rootOf(channel.baseUrl)}/api/chat` : compatible.url(channel, params),
  modelList: { url: (channel) => `${rootOf(channel.baseUrl)}/api/tags`, read: readNamesIn("models") },
  chat: chatApi({
    formats: ["ollama"],
    codec: ollamaCodec,
    streaming: { framing: ndjsonToSse },
    features: { inlineMediaOnly: true },
  }),
};

const rootOf = (baseUrl: string): string => (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/\/v1$/, "");
