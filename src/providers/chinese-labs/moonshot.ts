import { type ModelInfo, shippedCatalog } from "../../catalog/catalog.ts";
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

/** Without the sampling fields that a model rejects because their values are fixed. */
const fixedSampling = ({ refuses }: ModelInfo): JsonObject =>
  Object.fromEntries((refuses ?? []).map((field) => [field, undefined]));

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
  models: ["kimi-k3", "kimi-k2.7-code", "kimi-k2.7-code-highspeed", "kimi-k2.6"],
  facts: {
    documented: { source: "https://platform.kimi.ai/docs/api/chat", version: "v1", day: "2026-11-29" },
    hosts: [
      { region: "CN", url: "https://api.moonshot.cn" },
      { region: null, url: "https://api.moonshot.ai" },
      { region: null, url: "https://api.kimi.com/coding/v1", plan: "Kimi Code" },
    ],
    // https://platform.kimi.ai/docs/guide/use-thinking-effort
    chat: {
      reasoning: [
        {
          models: /^kimi-k[3-9]/,
          off: "lowest",
          effort: { path: ["reasoning_effort"], efforts: ["low", "high", "max"] },
          offCosts: "They always reason: the lowest effort is sent, some thousands of tokens a call.",
        },
        {
          models: /^kimi-(k2\.\d|latest)/,
          on: { thinking: { type: "enabled" } },
          off: { thinking: { type: "disabled" } },
        },
        { models: /^kimi-.*thinking/, off: "lowest", offCosts: "They always reason." },
      ],
    },
    requests: {
      temperature: [0, 1],
      rewrite: (body, { model, catalog = shippedCatalog }) => ({
        ...fixedSampling(catalog.find(model)),
        ...blankReasoning(body),
      }),
    },
    addresses: { printed: [[/\/anthropic(\/v1)?$/, "/v1"]] },
    // https://platform.moonshot.cn/docs/api/chat#错误说明
    errors: { no_credit: [{ type: "exceeded_current_quota_error" }, { code: "exceeded_current_quota_error" }] },
  },
});
