import {
  tokenBudgetError,
  tokenCountError,
  tokenIpError,
  tokenNameError,
  tokenQuotaError,
  tokenRateError,
} from "../../../../src/domain/api-keys/api-key-rules.ts";
import { NEVER, type Token } from "../../../api/api-keys/api-key.ts";
import { namesOf } from "../../../lib/json.ts";

/** The drawer's fields. */
export type ApiKeyForm = {
  name: string;
  /** How many keys to create. */
  quantity: string;
  /** Epoch seconds; -1: never; null: not a valid date. */
  expiresAt: number | null;
  unlimited: boolean;
  /** Quota units, as text while being edited. */
  quota: string;
  models: string[];
  allowIps: string;
  /** Empty: the owner's group. */
  group: string;
  /** Groups that are tried after it. */
  furtherGroups: string[];
  /** `day`, `week` or `month`: the quota is refilled when one begins; empty: never. */
  budgetPeriod: string;
  /** 0 or empty: no limit; text while being edited. */
  requestsPerMinute: string;
  tokensPerMinute: string;
  strict: boolean;
  /** The project of the organization that owns the key; 0: none. */
  projectId: number;
};

const NEW_TOKEN_QUOTA = "500000";

export const NEW_TOKEN: ApiKeyForm = {
  name: "",
  quantity: "1",
  expiresAt: NEVER,
  unlimited: false,
  quota: NEW_TOKEN_QUOTA,
  models: [],
  allowIps: "",
  group: "",
  furtherGroups: [],
  budgetPeriod: "",
  requestsPerMinute: "",
  tokensPerMinute: "",
  strict: false,
  projectId: 0,
};

export function formOf(token: Token): ApiKeyForm {
  const [group = "", ...furtherGroups] = token.group.split(",");
  return {
    name: token.name,
    quantity: "1",
    expiresAt: token.expired_time,
    unlimited: token.unlimited_quota,
    quota: String(token.budget_period === "" ? token.remain_quota : token.budget_quota),
    models: token.model_limits_enabled ? token.model_limits.split(",").filter((model) => model !== "") : [],
    allowIps: token.allow_ips,
    group,
    furtherGroups,
    budgetPeriod: token.budget_period,
    requestsPerMinute: rateText(token.requests_per_minute),
    tokensPerMinute: rateText(token.tokens_per_minute),
    strict: token.strict,
    projectId: token.project_id,
  };
}

const rateText = (count: number): string => (count === 0 ? "" : String(count));

/** Whether other groups can follow one: the owner's own has no name here, and auto has a list of its own. */
export const takesFurther = (group: string): boolean => group !== "" && group !== "auto";

export type TokenBody = Readonly<{
  name: string;
  remain_quota?: number;
  unlimited_quota: boolean;
  expired_time?: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  strict: boolean;
  project_id: number;
  requests_per_minute: number;
  tokens_per_minute: number;
  budget_period: string;
  budget_quota?: number;
}>;

/**
 * Body of POST and PUT /api/token/ (PUT adds the id). Omits an unchanged expiry, and an unchanged quota, because calls
 * may have spent some of it since the form was opened.
 */
export function bodyOf(form: ApiKeyForm, name: string, stored?: Token): TokenBody {
  const period = form.unlimited ? "" : form.budgetPeriod;
  const isQuotaUntouched = stored?.budget_period === "" && String(stored.remain_quota) === form.quota;
  const quota = Number(form.quota) || 0;
  return {
    name,
    ...(period !== "" ? { budget_quota: quota } : isQuotaUntouched ? {} : { remain_quota: quota }),
    unlimited_quota: form.unlimited,
    ...(stored && stored.expired_time === form.expiresAt ? {} : { expired_time: form.expiresAt ?? NEVER }),
    model_limits_enabled: form.models.length > 0,
    model_limits: form.models.join(","),
    allow_ips: linesOf(form.allowIps).join("\n"),
    group: takesFurther(form.group) ? [form.group, ...form.furtherGroups].join(",") : form.group,
    strict: form.strict,
    project_id: form.projectId,
    requests_per_minute: Number(form.requestsPerMinute) || 0,
    tokens_per_minute: Number(form.tokensPerMinute) || 0,
    budget_period: period,
  };
}

/** What is wrong with the form, by field: under `apiKeys.form.errors` in the words. */
export function checkTokenForm(form: ApiKeyForm) {
  const count = Number(form.quantity);
  const quotaError = form.budgetPeriod === "" ? tokenQuotaError : tokenBudgetError;
  return {
    name: tokenNameError(form.name, count),
    quantity: tokenCountError(count),
    expiresAt: form.expiresAt === null ? ("expiry" as const) : undefined,
    quota: form.unlimited ? undefined : quotaError(parseNumber(form.quota)),
    requestsPerMinute: tokenRateError(Number(form.requestsPerMinute)),
    tokensPerMinute: tokenRateError(Number(form.tokensPerMinute)),
    allowIps: tokenIpError(form.allowIps),
  };
}

/** NaN while what is typed is empty. */
const parseNumber = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** How many fields differ. */
export function changesOf(before: ApiKeyForm, now: ApiKeyForm): number {
  return namesOf(before).filter((field) => String(before[field]) !== String(now[field])).length;
}
