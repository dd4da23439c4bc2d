import { compact, type JsonObject, recordOf } from "../../formats/json.ts";

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

/** Perplexity's Sonar models, which always search. */
export const perplexity = openAiCompatible({
  type: 1003,
  name: "Perplexity",
  owner: "perplexity",
  baseUrl: "https://api.perplexity.ai",
  keyHint: "pplx-…",
  withoutModelList: true,
  models: ["sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"],
  facts: {
    // https://github.com/perplexityai/api-discussion/issues/265
    chat: { systemTurns: "first" },
    requests: { topP: [0.01, 0.99], rewrite: flatLocation, weakened: timezoneOf },
    addresses: { root: "" },
  },
});
