import type { TFunction } from "i18next";
import type { PlanInput, SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { formatNumber } from "../../../lib/format/number.ts";

/** How often a plan is paid: "per month", "every 3 months". Without a number where it is one, which many languages need. */
export const periodText = ({ period, periodCount }: Pick<PlanInput, "period" | "periodCount">, t: TFunction): string =>
  periodCount === 1 ? t(`plans.every.${period}`) : t(`plans.per.${period}`, { count: periodCount });

/** The rate limits of a plan; empty where it has none. */
export const rateText = (requests: number, tokens: number, t: TFunction): string =>
  [
    ...(requests > 0 ? [t("plans.requestRate", { limit: formatNumber(requests) })] : []),
    ...(tokens > 0 ? [t("plans.tokenRate", { limit: formatNumber(tokens) })] : []),
  ].join(" · ");

/** How many included calls of a window are left: "3 of 50". */
export const leftOfCalls = (
  { calls_left: left, window_calls: calls }: Pick<SubscriptionView, "calls_left" | "window_calls">,
  t: TFunction,
): string => t("plans.leftOf", { left: formatNumber(left), quota: formatNumber(calls) });
