import { type JsonObject, recordOf, recordsOf } from "../dialects/json.ts";
import { compatible } from "./compatible.ts";
import type { Provider } from "./provider.ts";

/** One purse a currency; accounts mostly have yuan. Calls are paid from any, so an empty one counts only if all are. */
const purseOf = (answer: unknown): JsonObject | undefined => {
  const purses = recordsOf(recordOf(answer)?.balance_infos);
  const filled = purses.filter(({ total_balance }) => Number(total_balance) > 0);
  const counted = filled.length > 0 ? filled : purses;
  return counted.find(({ currency }) => currency === "CNY") ?? counted[0];
};

const chats = compatible({
  type: 43,
  name: "DeepSeek",
  owner: "deepseek",
  base: "https://api.deepseek.com",
  capabilities: ["chat", "completions"],
  balance: {
    path: "/user/balance",
    read: (answer) => purseOf(answer)?.total_balance,
    currency: (_channel, answer) => String(purseOf(answer)?.currency ?? "CNY"),
  },
  models: ["deepseek-v4-pro", "deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner"],
  quirks: { limitField: "max_tokens", refused: ["logit_bias", "n", "seed"] },
});

/** DeepSeek, which completes text (also in the middle) under the address of its beta alone. */
export const deepSeek: Provider = {
  ...chats,
  url(channel, ask) {
    const url = chats.url(channel, ask);
    return ask.capability === "completions" ? url.replace(/(\/beta)?\/v1\/completions$/, "/beta/completions") : url;
  },
};
