import { type Decimal, decimal, integer, isZero, multiply, truncate, ZERO } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

/** Percent of a recharge that the inviter gets, and the least recharge (quota units) that counts. */
export function cashbackTerms(settings: SettingsReader): { rate: Decimal; minimum: number } {
  const rate = settings.get("RechargeCashbackRate");
  const minimum = settings.get("MinRechargeCashbackQuota");
  if (!isZero(rate)) return { rate, minimum };
  return { rate: settings.get("RebateEnabled") ? settings.get("RebatePercentage") : ZERO, minimum };
}

/** `rate` percent of an amount of quota units, rounded down. */
export const shareOf = (quotaUnits: number, rate: Decimal): number =>
  truncate(multiply(multiply(integer(quotaUnits), rate), PERCENT));

const PERCENT = decimal("0.01");
