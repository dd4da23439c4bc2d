import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";

/** Includes the pages found. */
const SEARCH = { enable: true, enable_trace: true };

const compatible = openAiCompatible({
  type: 46,
  name: "Baidu Wenxin V2",
  owner: "baidu",
  baseUrl: "https://qianfan.baidubce.com",
  capabilities: ["chat", "embeddings", "rerank", "images"],
  keyHint: "bce-v3/ALTAK-…/… or …|appid",
  models: [
    "ernie-5.0-thinking-latest",
    "ernie-4.5-turbo-128k",
    "ernie-4.5-turbo-32k",
    "ernie-4.5-turbo-vl-32k",
    "ernie-x1.1-preview",
    "ernie-x1-turbo-32k",
    "ernie-4.0-turbo-8k",
    "ernie-3.5-8k",
    "ernie-speed-128k",
    "deepseek-v3.2",
    "embedding-v1",
    "bge-large-zh",
  ],
  facts: {
    documented: { source: "https://cloud.baidu.com/doc/qianfan-docs/s/Wm95lyynv", version: "v2", day: "2026-11-29" },
    // https://cloud.baidu.com/doc/qianfan-docs/s/Wm95lyynv
    chat: {
      reasoning: [
        {
          models: /^(deepseek-v(3\.[1-9]|[4-9])|kimi-k2\.[5-9]|glm-)/,
          on: { thinking: { type: "enabled" } },
          off: { thinking: { type: "disabled" } },
        },
        {
          models: /^(qwen3|ernie-5|ernie-4\.5-.*vl)/,
          on: { enable_thinking: true },
          off: { enable_thinking: false },
        },
        { models: /^(ernie-x|deepseek-r)|thinking/, off: "lowest", offCosts: "They always reason." },
      ],
    },
    requests: {
      search: {
        fields: ({ web_search }) => ({ web_search_options: undefined, web_search: web_search ?? SEARCH }),
        supports: [],
      },
      rewrite: (_body, { model }) =>
        model.endsWith("-search") ? { model: model.slice(0, -"-search".length), web_search: SEARCH } : {},
    },
    addresses: {
      root: "/v2",
      printed: [
        [/\/(v2|anthropic)\/coding(\/v1)?$/, "/v2/coding"],
        [/\/anthropic(\/v1)?$/, "/v2"],
      ],
    },
  },
});
/** Baidu Qianfan's v2 API. A key may name its application: `key|appid`. */
export const qianfan: Provider = {
  ...compatible,
  authHeaders(_channel, key) {
    const [secret = "", application] = key.split("|");
    return { authorization: `Bearer ${secret}`, ...(application && { appid: application }) };
  },
};
