import type { PlanPeriod, PlanWindow, plans } from "../../../../db/schema/billing/plans.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { decimal, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, flagOf, integerIn, textOf } from "../values.ts";

const DAY_S = 86_400;
const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 500;
const MOST_PERIODS = 120;

type PlanValues = Required<Omit<typeof plans.$inferInsert, "id">>;
type Terms = Readonly<{ values: PlanValues; remarks: readonly string[] }>;

const WINDOWS: Readonly<Record<string, PlanWindow>> = {
  never: "period",
  daily: "day",
  weekly: "week",
  monthly: "month",
};
const CUSTOM_WINDOWS: Readonly<Record<number, PlanWindow>> = {
  18000: "5h",
  [DAY_S]: "day",
  [7 * DAY_S]: "week",
};

/** A plan of new-api as it is here; text: why there is nothing like it. `unitsAUsd`: quota units in a dollar. */
export function readPlan(row: SourceRow, unitsAUsd: string): Terms | string {
  const windowQuota = balanceOf(row, "total_amount");
  if (windowQuota === 0) return "unlimited quota has no counterpart here";
  const period = readPeriod(row);
  if (period === null)
    return `its duration (${textOf(row, "duration_unit")}) is no whole number of days, months or years`;
  const reset = textOf(row, "quota_reset_period") || "never";
  const seconds = integerIn(row, "quota_reset_custom_seconds");
  const window = reset === "custom" ? CUSTOM_WINDOWS[seconds] : WINDOWS[reset];
  if (window === undefined)
    return `quota that comes back every ${reset === "custom" ? `${seconds} s` : reset} has no counterpart here`;
  const currency = textOf(row, "currency").toUpperCase() || "USD";
  const isOffered = flagOf(row, "enabled", true);
  const isSellable = currency === "USD" && flagOf(row, "allow_balance_pay", true);
  const remarks = [
    ...(currency === "USD" ? [] : [`hidden, its price is in ${currency}: enter it in quota`]),
    ...(flagOf(row, "allow_balance_pay", true) ? [] : ["hidden, it could not be paid from the balance"]),
    ...(integerIn(row, "max_purchase_per_user") > 0 ? ["its limit of purchases has no counterpart here"] : []),
  ];
  const values = {
    ...{ ...period, window, windowQuota },
    name: textOf(row, "title").slice(0, LONGEST_NAME) || "Plan",
    description: textOf(row, "subtitle").slice(0, LONGEST_DESCRIPTION),
    price: Math.max(0, roundToInteger(multiply(decimal(textOf(row, "price_amount") || "0"), decimal(unitsAUsd)))),
    userGroup: textOf(row, "upgrade_group"),
    trialDays: 0,
    allowsOverage: flagOf(row, "allow_wallet_overflow", true),
    isVisible: isOffered && isSellable,
    // Its plans include quota alone.
    windowCalls: 0,
    ...{ isRetired: false, seats: null, seatPrice: 0, models: [], requestsPerMinute: 0, tokensPerMinute: 0 },
    createdAt: integerIn(row, "created_at") || nowSeconds(),
  };
  return { values, remarks };
}

function readPeriod(row: SourceRow): { period: PlanPeriod; periodCount: number } | null {
  const unit = textOf(row, "duration_unit");
  const count = integerIn(row, "duration_value", 1);
  const seconds = unit === "hour" ? count * 3600 : unit === "custom" ? integerIn(row, "custom_seconds") : 0;
  const days = seconds / DAY_S;
  const found =
    unit === "day" || unit === "month" || unit === "year"
      ? ({ period: unit, periodCount: count } as const)
      : ({ period: "day", periodCount: days } as const);
  return Number.isSafeInteger(found.periodCount) && found.periodCount >= 1 && found.periodCount <= MOST_PERIODS
    ? found
    : null;
}
