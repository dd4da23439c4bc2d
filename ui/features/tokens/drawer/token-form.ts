import { readData } from "../../../api/client.ts";
import { tokenApi } from "../../../api/groups.ts";
import { NEVER, type Token } from "../token.ts";

/** The drawer's fields. */
export type TokenForm = {
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
  /** `day`, `week` or `month`: the quota is refilled when one begins; empty: never. */
  budgetPeriod: string;
  /** 0 or empty: no limit; text while being edited. */
  requestsPerMinute: string;
  tokensPerMinute: string;
  strict: boolean;
};

const NEW_TOKEN_QUOTA = "500000";

export const NEW_TOKEN: TokenForm = {
  name: "",
  quantity: "1",
  expiresAt: NEVER,
  unlimited: false,
  quota: NEW_TOKEN_QUOTA,
  models: [],
  allowIps: "",
  group: "",
  budgetPeriod: "",
  requestsPerMinute: "",
  tokensPerMinute: "",
  strict: false,
};

export function formOf(token: Token): TokenForm {
  return {
    name: token.name,
    quantity: "1",
    expiresAt: token.expired_time,
    unlimited: token.unlimited_quota,
    quota: String(token.budget_period === "" ? token.remain_quota : token.budget_quota),
    models: token.model_limits_enabled ? token.model_limits.split(",").filter((model) => model !== "") : [],
    allowIps: token.allow_ips,
    group: token.group,
    budgetPeriod: token.budget_period,
    requestsPerMinute: rateText(token.requests_per_minute),
    tokensPerMinute: rateText(token.tokens_per_minute),
    strict: token.strict,
  };
}

const rateText = (count: number): string => (count === 0 ? "" : String(count));

type TokenBody = Readonly<{
  name: string;
  remain_quota?: number;
  unlimited_quota: boolean;
  expired_time?: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  strict: boolean;
  requests_per_minute: number;
  tokens_per_minute: number;
  budget_period: string;
  budget_quota?: number;
}>;

/**
 * Body of POST and PUT /api/token/ (PUT adds the id). Omits an unchanged expiry, because the server rejects a moment in
 * the past, and an unchanged quota, because calls may have spent some of it since the form was opened.
 */
export function bodyOf(form: TokenForm, name: string, stored?: Token): TokenBody {
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
    group: form.group,
    strict: form.strict,
    requests_per_minute: Number(form.requestsPerMinute) || 0,
    tokens_per_minute: Number(form.tokensPerMinute) || 0,
    budget_period: period,
  };
}

type TokenFault = "name" | "nameLength" | "quantity" | "expiry" | "quota" | "budget" | "rate" | "ip";
export type TokenFaults = Partial<Record<keyof TokenForm, TokenFault>>;

const MAX_NAME = 30;
const MAX_QUANTITY = 100;
const SUFFIX_LENGTH = 6;
const RATE = /^\s*\d{0,9}\s*$/;

/** Validation errors by field. */
export function checkTokenForm(form: TokenForm): TokenFaults {
  const faults: TokenFaults = {};
  const quantity = Number(form.quantity);
  const name = form.name.trim();
  const longest = MAX_NAME - (quantity > 1 ? SUFFIX_LENGTH + 1 : 0);
  if (name === "") faults.name = "name";
  else if ([...name].length > longest) faults.name = "nameLength";
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) faults.quantity = "quantity";
  if (form.expiresAt === null) faults.expiresAt = "expiry";
  if (!form.unlimited && !/^\s*\d{1,15}\s*$/.test(form.quota)) faults.quota = "quota";
  else if (!form.unlimited && form.budgetPeriod !== "" && Number(form.quota) === 0) faults.quota = "budget";
  if (!RATE.test(form.requestsPerMinute)) faults.requestsPerMinute = "rate";
  if (!RATE.test(form.tokensPerMinute)) faults.tokensPerMinute = "rate";
  if (!linesOf(form.allowIps).every(looksLikeAddress)) faults.allowIps = "ip";
  return faults;
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** An IPv4 or IPv6 address, with or without a prefix length; the server decides finally. */
function looksLikeAddress(line: string): boolean {
  const [address = "", prefix, ...rest] = line.split("/");
  if (rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
  const bits = prefix === undefined ? 0 : Number(prefix);
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address))
    return bits <= 32 && address.split(".").every((part) => Number(part) <= 255);
  return address.includes(":") && /^[\da-f:.]+$/i.test(address) && bits <= 128;
}

/** How many fields differ. */
export function changesOf(before: TokenForm, now: TokenForm): number {
  const fields = Object.keys(before) as (keyof TokenForm)[];
  return fields.filter((field) => String(before[field]) !== String(now[field])).length;
}

/** Creates several identical keys, all or none; the server adds a suffix to the names after the first. */
export const createTokens = async (body: TokenBody, count: number) =>
  [await readData(tokenApi.post({ ...body, count }))].flat();

export const updateToken = (id: number, body: Partial<TokenBody>): Promise<Token> =>
  readData(tokenApi.put({ ...body, id }));

/** Enables (1) or disables (2) a key; the server rejects enabling an expired or exhausted one. */
export const setTokenStatus = (id: number, status: number): Promise<Token> =>
  readData(tokenApi.put({ id, status }, { query: { status_only: "true" } }));

/** Rotates the key's secret; the old one works for a grace period. */
export const rotateToken = (id: number, graceSeconds: number): Promise<Token> =>
  readData(tokenApi({ id }).rotate.post({ grace_seconds: graceSeconds }));

export const deleteToken = (id: number) => readData(tokenApi({ id }).delete());
