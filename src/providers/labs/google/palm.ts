import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { palmCodec } from "./palm-codec.ts";

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const FIRST_MODEL = "chat-bison-001";

/** Google's PaLM 2. The service has ended: clients receive the 404 of its URL. */
export const palm: Provider = {
  type: 11,
  name: "Google PaLM2",
  owner: "google palm",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "AIza…",
  models: ["PaLM-2"],
  url({ baseUrl }, { model }) {
    const name = model.toLowerCase() === "palm-2" ? FIRST_MODEL : model;
    return `${(baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "")}/v1beta2/models/${encodeURIComponent(name)}:generateMessage`;
  },
  authHeaders: (_channel, key) => ({ "x-goog-api-key": key }),
  chat: chatApi({
    formats: ["palm"],
    codec: palmCodec,
    streaming: { mode: () => "never", includesUsage: false },
  }),
};
