import { developerAsSystem } from "../../formats/openai-chat/request/developer-role.ts";
import { chatApi } from "../contract/chat.ts";
import { EVERY_CAPABILITY, type Provider } from "../contract/provider.ts";

/** Any service that takes OpenAI's chat format at one complete URL; `{model}` in it becomes the upstream model name. */
export const custom: Provider = {
  type: 8,
  name: "Custom",
  owner: "custom",
  defaultBaseUrl: null,
  capabilities: EVERY_CAPABILITY,
  keyHint: "sk-…",
  models: [],
  url: (channel, { model }) => channel.baseUrl.replaceAll("{model}", encodeURIComponent(model)),
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  prepare(body, { capability, model }) {
    const messages = capability === "chat" ? developerAsSystem(body.messages, model) : null;
    return messages && { model, changes: { messages }, dropped: [] };
  },
  chat: chatApi({ formats: ["openai-chat"] }),
};
