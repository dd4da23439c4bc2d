import type { tokens } from "../../../db/schema/api-keys.ts";
import { OperationError, throwRuleError } from "../../lib/operation-error.ts";
import { invalidIpEntries } from "../../lib/security/ip-list.ts";
import { refuseBrokenPatterns } from "../../lib/values/patterns/name-patterns.ts";
import {
  isGroupList,
  MOST_KEY_GROUPS,
  namesInGroup,
  usableGroups,
  usableInOrder,
} from "../accounts/users/usable-groups.ts";
import { TOKEN_LIMITS, tokenNameError, tokenQuotaError, tokenRateError } from "./api-key-rules.ts";
import type { BudgetInput } from "./budget.ts";
import type { ApiKeyDeps, Owner } from "./operation.ts";

/** An API key as the console and the ecosystem's tools send it; what is absent stays as it is. */
export type ApiKeyInput = BudgetInput & {
  name?: string;
  remain_quota?: number;
  unlimited_quota?: boolean;
  expired_time?: number;
  model_limits_enabled?: boolean;
  model_limits?: string | readonly string[];
  allow_ips?: string | null;
  group?: string;
  strict?: boolean;
  /** 0: no limit. */
  requests_per_minute?: number;
  tokens_per_minute?: number;
  /** The project of the organization that owns the key; 0: none. */
  project_id?: number;
};

export type TokenValues = Partial<typeof tokens.$inferInsert>;

const NEVER = -1;
/** The year 9999. */
const LAST_SECOND = 253_402_300_799;

/** Checks the fields that are present, but for a budget, and turns them into column values. Throws OperationError. */
export function readTokenInput(input: ApiKeyInput, owner: Owner, settings: ApiKeyDeps["settings"]): TokenValues {
  const values: TokenValues = {};
  if (input.name !== undefined) values.name = readName(input.name);
  if (input.remain_quota !== undefined)
    values.remainQuota = readQuota(input.remain_quota, input.unlimited_quota === true);
  if (input.unlimited_quota !== undefined) values.unlimitedQuota = input.unlimited_quota;
  if (input.expired_time !== undefined) values.expiredTime = readExpiry(input.expired_time);
  if (input.model_limits_enabled !== undefined) values.modelLimitsEnabled = input.model_limits_enabled;
  if (input.model_limits !== undefined) values.modelLimits = readModels(input.model_limits);
  if (input.allow_ips !== undefined) values.allowIps = readAllowIps(input.allow_ips ?? "");
  if (input.group !== undefined) values.group = readGroup(input.group, owner, settings);
  if (input.project_id !== undefined) values.projectId = input.project_id || null;
  if (input.strict !== undefined) values.strict = input.strict;
  if (input.requests_per_minute !== undefined) values.requestsPerMinute = readRate(input.requests_per_minute);
  if (input.tokens_per_minute !== undefined) values.tokensPerMinute = readRate(input.tokens_per_minute);
  return values;
}

function readName(input: string): string {
  throwRuleError(tokenNameError(input), { max: TOKEN_LIMITS.name });
  return input.trim();
}

/** Unlimited keys come with whatever the form held, which does not matter. */
function readQuota(quota: number, unlimited: boolean): number {
  if (unlimited) return Math.max(0, Number.isSafeInteger(quota) ? quota : 0);
  throwRuleError(tokenQuotaError(quota));
  return quota;
}

function readRate(count: number): number {
  throwRuleError(tokenRateError(count));
  return count;
}

/** A moment in the past is allowed: it ends the key at once. */
function readExpiry(time: number): number {
  if (time === NEVER) return NEVER;
  if (!Number.isSafeInteger(time) || time < 1 || time > LAST_SECOND) throw new OperationError("token_expiry_invalid");
  return time;
}

function readModels(input: string | readonly string[]): string[] {
  const names = (typeof input === "string" ? input.split(",") : input).map((name) => name.trim()).filter(Boolean);
  refuseBrokenPatterns(names);
  return [...new Set(names)];
}

function readAllowIps(input: string): string {
  const [wrong] = invalidIpEntries(input);
  if (wrong !== undefined) throw new OperationError("token_ip_invalid", { entry: wrong.slice(0, 60) });
  return input.trim();
}

function readGroup(input: string, owner: Owner, settings: ApiKeyDeps["settings"]): string {
  if (isGroupList(settings, input.trim())) return readGroups(namesInGroup(input), owner, settings);
  const group = input.trim();
  if (group === "") return "";
  if (!usableGroups(settings, owner.group).has(group)) throw new OperationError("token_group_not_usable", { group });
  if (!settings.get("GroupRatio").has(group)) throw new OperationError("token_group_unknown", { group });
  return group;
}

/** Several groups, each of which the owner may use, as they are stored. Throws OperationError. */
function readGroups(names: readonly string[], owner: Owner, settings: ApiKeyDeps["settings"]): string {
  if (names.length > MOST_KEY_GROUPS) throw new OperationError("token_groups_many", { max: MOST_KEY_GROUPS });
  for (const group of names) {
    if (usableInOrder(settings, owner.group, group).length === 0)
      throw new OperationError("token_group_not_usable", { group });
  }
  return names.join(",");
}
