import type { ReasoningControl } from "../../../formats/conversation/service.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { AddressForms } from "../../contract/base-address.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";

const DEFAULT_SEARCH_ENGINE = "search_std";

/** Each of Zhipu's search engines has its own price; a client may name one in Zhipu's own tool. */
function pricedSearchTool({ tools }: JsonObject): string {
  const engine = recordsOf(tools).flatMap(({ web_search }) => textOf(recordOf(web_search)?.search_engine) ?? [])[0];
  return `zhipu_${engine ?? DEFAULT_SEARCH_ENGINE}`;
}

/** Web search is a tool; it returns its results only on request. */
const searchTool = ({ tools }: JsonObject): JsonObject => ({
  web_search_options: undefined,
  tools: [
    ...recordsOf(tools),
    { type: "web_search", web_search: { enable: true, search_engine: DEFAULT_SEARCH_ENGINE, search_result: true } },
  ],
});

/** The only tool choice is "auto", and sampling is switched off instead of a temperature of 0. */
const automaticTools = ({ tool_choice, temperature }: JsonObject): JsonObject => ({
  ...(tool_choice != null && tool_choice !== "auto" && { tool_choice: undefined }),
  ...(tool_choice === "none" && { tools: undefined }),
  ...(temperature === 0 && { temperature: undefined, do_sample: false }),
});

/**
 * An agent's reasoning between its tool calls is retained only if the request says so; without it GLM discards what the client has
 * returned (https://docs.z.ai/guides/capabilities/thinking-mode).
 */
function retainReasoning({ messages, thinking, reasoning_effort }: JsonObject): JsonObject {
  const own = recordOf(thinking);
  if (own?.type === "disabled" || own?.clear_thinking != null || reasoning_effort === "none") return {};
  const isAgent = recordsOf(messages).some(
    ({ tool_calls, reasoning_content }) => recordsOf(tool_calls).length > 0 && Boolean(textOf(reasoning_content)),
  );
  return isAgent ? { thinking: { type: "enabled", ...own, clear_thinking: false } } : {};
}

/** What `automaticTools` expresses otherwise. */
const expressed = ({ tool_choice, temperature }: JsonObject): string[] => [
  ...(tool_choice === "none" ? ["tool_choice", "tools"] : []),
  ...(temperature === 0 ? ["temperature"] : []),
];

/** Anthropic's API stands at the same host. Coding plans (`/api/coding/paas/v4`) have a version at their end, so they stay. */
export const ZHIPU_ADDRESSES: AddressForms = {
  fallback: "https://open.bigmodel.cn",
  root: "/api/paas/v4",
  printed: [[/\/api\/anthropic(\/v1)?$/, "/api/paas/v4"]],
};

const THINKING = { on: { thinking: { type: "enabled" } }, off: { thinking: { type: "disabled" } } };

/** https://docs.bigmodel.cn/cn/guide/capabilities/thinking-mode. GLM-5.3 takes an unknown effort, such as "none", as "max". */
export const GLM_REASONING: readonly ReasoningControl[] = [
  {
    models: /^glm-5\.[3-9]/,
    on: THINKING.on,
    off: "lowest",
    effort: { path: ["reasoning_effort"], efforts: ["low", "high", "max"] },
    offCosts: "They always reason: the lowest effort is sent.",
  },
  { models: /^glm-5\.2/, ...THINKING, effort: { path: ["reasoning_effort"], efforts: ["high", "max"] } },
  { models: /^glm-(4\.[5-9]|5)/, ...THINKING },
  { models: /^glm-(z1|zero)/, off: "lowest", offCosts: "They always reason." },
];

/** Zhipu's GLM models by its v4 API. */
export const glm = openAiCompatible({
  type: 26,
  name: "Zhipu GLM-4V",
  files: true,
  owner: "zhipu",
  baseUrl: ZHIPU_ADDRESSES.fallback,
  capabilities: ["chat", "embeddings", "rerank", "moderations", "images", "speech", "transcriptions"],
  keyHint: "id.secret",
  models: [
    "glm-5.3",
    "glm-5.2",
    "glm-5.1",
    "glm-5",
    "glm-4.7",
    "glm-4.7-flash",
    "glm-4.6",
    "glm-4.6v",
    "glm-4.5",
    "glm-4.5-air",
    "glm-4-plus",
    "glm-4-flash-250414",
    "glm-4v-plus",
    "embedding-3",
  ],
  facts: {
    documented: { source: "https://docs.bigmodel.cn/api-reference", version: "v4", day: "2026-11-29" },
    hosts: [
      { region: "CN", url: "https://open.bigmodel.cn" },
      { region: null, url: "https://api.z.ai" },
      { region: "CN", url: "https://open.bigmodel.cn/api/coding/paas/v4", plan: "GLM Coding Plan" },
      { region: null, url: "https://api.z.ai/api/coding/paas/v4", plan: "GLM Coding Plan" },
    ],
    tiers: {},
    chat: { reasoning: GLM_REASONING },
    requests: {
      topP: [0.01, 0.99],
      temperature: [0, 1],
      limitField: "max_tokens",
      rejected: ["n", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias"],
      rewrite: (body) => ({ ...automaticTools(body), ...retainReasoning(body) }),
      search: { fields: searchTool, supports: [], pricedAs: pricedSearchTool },
      expressed: expressed,
    },
    addresses: ZHIPU_ADDRESSES,
    // https://docs.bigmodel.cn/cn/api/api-code
    errors: { no_credit: [{ code: "1113" }], context_overflow: [{ code: "1261" }] },
  },
});
