import { numberOf, recordOf } from "../../formats/json.ts";
import type { Compatible } from "../shared/openai-compatible.ts";

/**
 * Any key tells what is left of its own limit. One without a limit has the account's credits, which OpenRouter tells to
 * management keys, and some others: to those that may not know it says that there are none and never were.
 */
export const openRouterBalance: Compatible["balance"] = {
  path: "/v1/key",
  elsePath: "/v1/credits",
  read(answer) {
    const data = recordOf(recordOf(answer)?.data);
    const left = numberOf(data?.limit_remaining);
    if (left !== null) return left;
    const bought = numberOf(data?.total_credits);
    return bought ? bought - Number(data?.total_usage) : null;
  },
};
