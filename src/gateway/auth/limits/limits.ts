import type { ApiKeyLimits, ModelRequestLimit } from "../rate-limit.ts";
import type { LimitRuleCounts } from "./limit-rules.ts";
import type { PlanLimits } from "./plan-limits.ts";
import type { UserLimits } from "./user-limits.ts";

/** The limits that count calls. */
export type Limits = Readonly<{
  requestLimit: ModelRequestLimit;
  userLimits: UserLimits;
  tokenLimits: ApiKeyLimits;
  planLimits: PlanLimits;
  limitRules: LimitRuleCounts;
}>;
