import { type JsonObject, recordOf, recordsOf } from "../../formats/json.ts";
import type { CallParams, Provider, Signable } from "../contract/provider.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";
import { bodyJson } from "../shared/signed-body.ts";

/**
 * Accounts have one balance per currency, mostly yuan. Calls are charged to any of them, so an empty one counts only if
 * all are empty.
 */
const balanceEntryOf = (answer: unknown): JsonObject | undefined => {
  const purses = recordsOf(recordOf(answer)?.balance_infos);
  const filled = purses.filter(({ total_balance }) => Number(total_balance) > 0);
  const counted = filled.length > 0 ? filled : purses;
  return counted.find(({ currency }) => currency === "CNY") ?? counted[0];
};

/** Models reject log probabilities while they reason, which they do by default. */
function withoutLogprobs(body: JsonObject, { model }: CallParams): JsonObject {
  const own = recordOf(body.thinking)?.type;
  const reasons =
    own !== "disabled" && (own === "enabled" || body.reasoning_effort != null || model !== "deepseek-chat");
  if (!reasons) return {};
  return {
    ...(body.logprobs != null && { logprobs: undefined }),
    ...(body.top_logprobs != null && { top_logprobs: undefined }),
  };
}

/** DeepSeek supports JSON output without a schema, so an instruction in the prompt has the schema. */
function formatOf(body: JsonObject): JsonObject {
  const jsonSchema = recordOf(recordOf(body.response_format)?.json_schema);
  if (!jsonSchema) return {};
  const wish = `Answer with JSON alone, which keeps to this JSON Schema:\n${JSON.stringify(jsonSchema.schema ?? {})}`;
  const [first, ...rest] = recordsOf(body.messages);
  const isSystem = first?.role === "system" && typeof first.content === "string";
  const messages = isSystem
    ? [{ ...first, content: `${first.content}\n\n${wish}` }, ...rest]
    : [{ role: "system", content: wish }, ...recordsOf(body.messages)];
  return { response_format: { type: "json_object" }, messages };
}

const chats = openAiCompatible({
  type: 43,
  name: "DeepSeek",
  owner: "deepseek",
  baseUrl: "https://api.deepseek.com",
  capabilities: ["chat", "completions"],
  balance: {
    path: "/user/balance",
    read: (answer) => balanceEntryOf(answer)?.total_balance,
    currency: (_channel, answer) => String(balanceEntryOf(answer)?.currency ?? "CNY"),
  },
  models: ["deepseek-v4-pro", "deepseek-v4-flash"],
  facts: {
    documented: { source: "https://api-docs.deepseek.com", version: "v1", day: "2026-11-29" },
    // https://api-docs.deepseek.com/guides/thinking_mode
    chat: {
      reasoning: [
        {
          off: { thinking: { type: "disabled" } },
          effort: { path: ["reasoning_effort"], efforts: ["low", "high", "max"] },
        },
      ],
    },
    requests: {
      limitField: "max_tokens",
      rejected: ["logit_bias", "n", "seed"],
      rewrite: (body, params) => ({ ...withoutLogprobs(body, params), ...formatOf(body) }),
      weakened: ({ response_format }) => (recordOf(response_format)?.json_schema ? ["response_format"] : []),
    },
    addresses: {
      printed: [
        [/\/anthropic(\/v1)?$/, "/v1"],
        [/\/beta$/, "/beta"],
      ],
    },
    errors: { no_credit: [{ status: 402 }] },
  },
});

const OWN_HOST = /^https:\/\/api\.deepseek\.com\//;

/**
 * Whether a chat uses what only the beta URL has: an answer that is begun (`prefix`), and strict tools, which all must be, at
 * DeepSeek itself (https://api-docs.deepseek.com/guides/chat_prefix_completion and /guides/function_calling).
 */
function needsBeta(request: Signable): boolean {
  const { url, body, parts } = request;
  if (!parts && !/"(prefix|strict)"\s*:\s*true/.test(body)) return false;
  const chat = bodyJson(request);
  if (recordsOf(chat?.messages).at(-1)?.prefix === true) return true;
  const tools = recordsOf(chat?.tools);
  return OWN_HOST.test(url) && tools.length > 0 && tools.every((tool) => recordOf(tool.function)?.strict === true);
}

/** DeepSeek, which completes text (also fill-in-the-middle) only under its beta URL. */
export const deepSeek: Provider = {
  ...chats,
  url(channel, params) {
    const url = chats.url(channel, params);
    return params.capability === "completions" ? url.replace(/(\/beta|\/v1)*\/completions$/, "/beta/completions") : url;
  },
  sign: async (request) =>
    needsBeta(request)
      ? { url: request.url.replace(/(\/beta|\/v1)*\/chat\/completions$/, "/beta/chat/completions") }
      : {},
};
