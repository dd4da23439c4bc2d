import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, countOf, type JsonObject, recordOf, recordsOf } from "../../formats/json.ts";
import { readOpenAiModelList } from "../../formats/openai-chat/model-list.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { NativeFormat } from "../contract/chat.ts";
import type { Provider } from "../contract/provider.ts";
import { embeddingList } from "../shared/embeddings.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Perplexity has the user's location one level higher than OpenAI, without a time zone. */
function flatLocation({ web_search_options }: JsonObject): JsonObject {
  const options = recordOf(web_search_options);
  const location = recordOf(recordOf(options?.user_location)?.approximate);
  if (!location) return {};
  const { country, region, city } = location;
  return { web_search_options: { ...options, user_location: compact({ country, region, city }) } };
}

const timezoneOf = ({ web_search_options }: JsonObject): string[] =>
  recordOf(recordOf(recordOf(web_search_options)?.user_location)?.approximate)?.timezone == null
    ? []
    : ["web_search_options: user_location: timezone"];

/** Chats have no version, the other calls have one. */
const ADDRESSES: AddressForms = {
  fallback: "https://api.perplexity.ai",
  root: "",
  printed: [[/\/v1(\/sonar)?$/, ""]],
};

const DEFAULT_FORMATS: ReadonlySet<unknown> = new Set([undefined, null, "float", "base64"]);

/** Embeddings are signed bytes in base64, https://docs.perplexity.ai/docs/embeddings; clients get numbers, or the format they name. */
const embeddings: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["input", "encoding_format", "dimensions"], dropped);
    const isOwn = !DEFAULT_FORMATS.has(call.encoding_format);
    return compact({
      model,
      input: call.input,
      dimensions: call.dimensions,
      ...(isOwn && { encoding_format: call.encoding_format }),
    });
  },
  decode({ data, usage }, { encoding_format: format }) {
    if (!Array.isArray(data)) return null;
    const isOwn = !DEFAULT_FORMATS.has(format);
    const list = recordsOf(data).map(({ embedding }) =>
      typeof embedding === "string" && !isOwn ? [...new Int8Array(Buffer.from(embedding, "base64"))] : embedding,
    );
    return embeddingList(list, countOf(recordOf(usage)?.prompt_tokens));
  },
};

const compatible = openAiCompatible({
  type: 1003,
  name: "Perplexity",
  owner: "perplexity",
  baseUrl: ADDRESSES.fallback,
  keyHint: "pplx-…",
  capabilities: ["chat", "embeddings"],
  native: { embeddings: { path: "/v1/embeddings", format: embeddings } },
  models: [
    "sonar",
    "sonar-pro",
    "sonar-reasoning-pro",
    "sonar-deep-research",
    "pplx-embed-v1-0.6b",
    "pplx-embed-v1-4b",
  ],
  facts: {
    documented: {
      source: "https://docs.perplexity.ai/api-reference/chat-completions-post",
      version: "v1",
      day: "2026-11-29",
    },
    tiers: {},
    // https://github.com/perplexityai/api-discussion/issues/265
    chat: {
      systemTurns: "first",
      reasoning: [
        {
          models: /reasoning|deep-research/,
          off: "lowest",
          effort: { path: ["reasoning_effort"], efforts: ["minimal", "low", "medium", "high"] },
          offCosts: "They always reason: the lowest effort is sent.",
        },
      ],
    },
    requests: { topP: [0.01, 0.99], rewrite: flatLocation, weakened: timezoneOf },
    addresses: ADDRESSES,
  },
});

/** Perplexity's Sonar models, which always search, and its embeddings. */
export const perplexity: Provider = {
  ...compatible,
  modelList: {
    url: ({ baseUrl }) => `${resolveBase(baseUrl, ADDRESSES).api}/v1/models`,
    read: readOpenAiModelList,
  },
};
