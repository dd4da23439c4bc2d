import type { Provider } from "../../contract/provider.ts";

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const FIRST_MODEL = "chat-bison-001";

/** Google's PaLM 2. Its service has ended: what the address answers (404) is told on as it is. */
export const palm: Provider = {
  type: 11,
  name: "Google PaLM2",
  owner: "google palm",
  dialects: ["palm"],
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "AIza…",
  models: ["PaLM-2"],
  url({ baseUrl }, { model }) {
    const name = model.toLowerCase() === "palm-2" ? FIRST_MODEL : model;
    return `${(baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "")}/v1beta2/models/${encodeURIComponent(name)}:generateMessage`;
  },
  modelListUrl: () => null,
  authHeaders: (_channel, key) => ({ "x-goog-api-key": key }),
  streams: "never",
  streamUsage: false,
};
