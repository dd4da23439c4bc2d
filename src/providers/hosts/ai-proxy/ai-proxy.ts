import { parseJson, recordOf } from "../../../formats/json.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { aiProxyCodec } from "./codec.ts";

const DEFAULT_BASE_URL = "https://api.aiproxy.io";
const BALANCE_URL = "https://aiproxy.io/api/report/getUserOverview";

/** AI Proxy's knowledge base: `other` is the id of the library. */
export const aiProxy: Provider = {
  type: 21,
  name: "AI Proxy knowledge base",
  owner: "aiproxy",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "ap-…",
  models: ["gpt-4o-mini", "gpt-4o"],
  url: ({ baseUrl }) => `${(baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "")}/api/library/ask`,
  balance: {
    // The balance has another host than the calls, unless the channel has a base URL.
    url: ({ baseUrl }) => (baseUrl ? `${baseUrl.replace(/\/+$/, "")}/api/report/getUserOverview` : BALANCE_URL),
    headers: (key) => ({ "api-key": key }),
    read(answer) {
      const points = Number(recordOf(recordOf(answer)?.data)?.totalPoints ?? Number.NaN);
      return Number.isFinite(points) ? points : null;
    },
    currency: () => "points",
  },
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  sign: async ({ body }, { other }) => ({
    body: JSON.stringify({ ...recordOf(parseJson(body)), libraryId: other }),
  }),
  chat: chatApi({ formats: ["ai-proxy"], codec: aiProxyCodec, streaming: { includesUsage: false } }),
};
