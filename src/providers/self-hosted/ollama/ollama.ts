import { recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { Provider } from "../../contract/provider.ts";
import { compatible } from "../../shared/openai-compatible.ts";

const DEFAULT_BASE_URL = "http://localhost:11434";

/** Everything but chats goes to the addresses that imitate OpenAI. */
const imitation = compatible({
  type: 4,
  name: "Ollama",
  owner: "ollama",
  base: DEFAULT_BASE_URL,
  capabilities: ["chat", "completions", "embeddings"],
  keyHint: "ollama",
  models: ["llama3.3", "qwen3", "gpt-oss:20b", "gemma3", "deepseek-r1", "mistral", "nomic-embed-text"],
  noListPrice: "own_server",
});

/** Ollama, its chats in its own format: lines of JSON, images inside the request. */
export const ollama: Provider = {
  ...imitation,
  dialects: ["ollama"],
  url: (channel, ask) =>
    ask.capability === "chat" ? `${rootOf(channel.baseUrl)}/api/chat` : imitation.url(channel, ask),
  modelListUrl: (channel) => `${rootOf(channel.baseUrl)}/api/tags`,
  readModelList: (answer) => recordsOf(recordOf(answer)?.models).flatMap(({ name }) => textOf(name) ?? []),
  framing: "ndjson",
  inlineMedia: true,
};

const rootOf = (baseUrl: string): string => (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/\/v1$/, "");
