import { type JsonObject, recordOf, recordsOf } from "../../formats/json.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Kimi requires the reasoning of earlier tool calls; it accepts a blank text for it, but not an empty one. */
function blankReasoning(body: JsonObject): JsonObject {
  const messages = recordsOf(body.messages);
  if (!messages.some(({ reasoning_content }) => reasoning_content === "")) return {};
  return {
    messages: messages.map((message) =>
      message.reasoning_content === "" ? { ...message, reasoning_content: " " } : message,
    ),
  };
}

/** Kimi K2 and K3 reject sampling fields: their values are fixed. */
const fixedSampling = (body: JsonObject): JsonObject =>
  /^kimi-k[23]/.test(String(body.model))
    ? {
        temperature: undefined,
        top_p: undefined,
        n: undefined,
        presence_penalty: undefined,
        frequency_penalty: undefined,
      }
    : {};

/** Moonshot's Kimi. */
export const moonshot = openAiCompatible({
  type: 25,
  name: "Moonshot",
  files: true,
  owner: "moonshot",
  baseUrl: "https://api.moonshot.cn",
  balance: {
    path: "/v1/users/me/balance",
    read: (answer) => recordOf(recordOf(answer)?.data)?.available_balance,
    currency: ({ baseUrl }) => (baseUrl.includes("moonshot.ai") ? "USD" : "CNY"),
  },
  models: [
    "kimi-k3",
    "kimi-k2.7-code",
    "kimi-k2.7-code-highspeed",
    "kimi-k2.6",
    "moonshot-v1-8k",
    "moonshot-v1-32k",
    "moonshot-v1-128k",
    "moonshot-v1-auto",
  ],
  quirks: {
    temperature: [0, 1],
    rewrite: (body) => ({ ...fixedSampling(body), ...blankReasoning(body) }),
  },
});
