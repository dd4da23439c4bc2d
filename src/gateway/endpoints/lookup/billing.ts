import type { StandingSubject } from "../../../domain/api-keys/budget.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { divide, integer, toText } from "../../../lib/values/decimal.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import type { GatewayServer } from "../../request/arrival.ts";
import { invalidRequest } from "../../request/client-body.ts";
import type { RespondToKeyContext } from "./models.ts";
import { respondToKey } from "./models.ts";

/** What these functions work with. */
export type BillingContext = RespondToKeyContext & Uses<"readSpending" | "readStanding">;

/** The reported limit of an unlimited key: the response format has no "unlimited". */
const UNLIMITED = 100_000_000;
const DOLLAR_PLACES = 6;

/** GET /v1/dashboard/billing/subscription: the key's total limit, in the format for OpenAI dashboards. */
export const billingSubscription = (context: BillingContext, request: Request, server: GatewayServer | null) =>
  respondToKey(context, request, server, openaiChatClientCodec, async (caller) => {
    const token = tokenOf(caller);
    const isOfToken = context.services.settings.values.DisplayTokenStatEnabled;
    const { remaining, used } = await context.services.readStanding(subjectOf(context, caller));
    const limit = isOfToken && token.unlimitedQuota ? UNLIMITED : displayedAmount(context, remaining + used);
    return {
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: isOfToken ? untilOf(token.expiredTime) : 0,
    };
  });

/**
 * GET /v1/dashboard/billing/usage: usage in hundredths, of the days (UTC) from `start_date` until before `end_date`; without dates
 * all there has been.
 */
export const billingUsage = (context: BillingContext, request: Request, server: GatewayServer | null) =>
  respondToKey(context, request, server, openaiChatClientCodec, async (caller) => {
    const subject = subjectOf(context, caller);
    const range = rangeOf(new URL(request.url).searchParams);
    const used = range
      ? await context.services.readSpending(subject, range)
      : (await context.services.readStanding(subject)).used;
    return { object: "list", total_usage: displayedAmount(context, used * 100) };
  });

const DAY_S = 86_400;

function rangeOf(query: URLSearchParams): Readonly<{ start: number; end: number }> | null {
  const start = dayOf(query, "start_date");
  const end = dayOf(query, "end_date");
  if (start === null && end === null) return null;
  return { start: start ?? 0, end: end ?? (Math.floor(nowSeconds() / DAY_S) + 1) * DAY_S };
}

/** The begin of the day (UTC) that a parameter names, in epoch seconds; null where it is missing. */
function dayOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (!text) return null;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / 1000 : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw invalidRequest({ code: "gateway_field_invalid", params: { field: name, expected: "2026-01-31" } }, name);
}

/** The balance and limits of an API key, in quota units. */
export type KeyStanding = Readonly<{
  object: "token_usage";
  name: string;
  total_granted: number;
  total_used: number;
  total_available: number;
  unlimited_quota: boolean;
  model_limits: Readonly<Record<string, boolean>>;
  model_limits_enabled: boolean;
  /** Unix time in seconds; 0: never. */
  expires_at: number;
}>;

/** The response of GET /api/usage/token. */
export type KeyStandingResponse = Readonly<{ code: true; message: string; data: KeyStanding }>;

/** GET /api/usage/token: the key's balance and limits in quota units, for tools that look up keys. */
export const tokenUsage = (context: BillingContext, request: Request, server: GatewayServer | null) =>
  respondToKey(context, request, server, openaiChatClientCodec, async (caller): Promise<KeyStandingResponse> => {
    const token = tokenOf(caller);
    const { remaining, used } = await context.services.readStanding({ tokenId: token.id });
    return {
      code: true,
      message: "ok",
      data: {
        object: "token_usage",
        name: token.name,
        total_granted: remaining + used,
        total_used: used,
        total_available: remaining,
        unlimited_quota: token.unlimitedQuota,
        model_limits: Object.fromEntries([...(token.modelLimits ?? [])].map((model) => [model, true])),
        model_limits_enabled: token.modelLimits !== null,
        expires_at: untilOf(token.expiredTime),
      },
    };
  });

/** The subject to report: the key, or its owner if the settings say so. */
const subjectOf = ({ services }: Uses<"settings">, caller: Caller): StandingSubject =>
  services.settings.values.DisplayTokenStatEnabled ? { tokenId: tokenOf(caller).id } : { userId: caller.user.id };

/** Quota units as the site displays them: in dollars, or unchanged. */
function displayedAmount({ services: { settings } }: Uses<"settings">, quotaUnits: number): number {
  if (!settings.values.DisplayInCurrencyEnabled) return quotaUnits;
  return Number(toText(divide(integer(quotaUnits), integer(settings.values.QuotaPerUnit), DOLLAR_PLACES)));
}

/** Unix time in seconds; 0: never. */
const untilOf = (expiredTime: number): number => (expiredTime === -1 ? 0 : expiredTime);

function tokenOf({ token }: Caller) {
  if (!token) throw new GatewayError(401, "missing_api_key", { code: "gateway_no_key_sent" });
  return token;
}
