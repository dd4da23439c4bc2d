import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { seedanceVideos } from "./videos.ts";

const BASE_URL = "https://ark.cn-beijing.volces.com";

const chats = openAiCompatible({
  type: 45,
  name: "Volcano Ark",
  owner: "volcengine",
  baseUrl: BASE_URL,
  apiRoot: "/api/v3",
  capabilities: ["chat", "embeddings", "images"],
  responses: true,
  models: [
    "doubao-seed-2-0-pro",
    "doubao-seed-2-0-lite",
    "doubao-seed-2-0-mini",
    "doubao-seed-2-0-code",
    "doubao-seed-1-8",
    "doubao-seed-1-6-251015",
    "doubao-1-5-pro-32k-250115",
    "doubao-1-5-lite-32k-250115",
    "deepseek-v3-2",
    "doubao-embedding-large",
  ],
  quirks: { rejected: ["n"] },
});
/** Volcano Ark, which serves bots under a path of their own, and videos by Seedance as tasks. */
export const ark: Provider = {
  ...chats,
  ...seedanceVideos(BASE_URL),
  capabilities: [...chats.capabilities, "video"],
  url(channel, params) {
    const url = chats.url(channel, params);
    return params.model.startsWith("bot") ? url.replace("/chat/completions", "/bots/chat/completions") : url;
  },
};
