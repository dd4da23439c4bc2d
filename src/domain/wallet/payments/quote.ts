import { OperationError } from "../../../lib/operation-error.ts";
import {
  type Decimal,
  decimal,
  divide,
  integer,
  isNegative,
  isZero,
  multiply,
  ONE,
  roundUp,
  subtract,
  toText,
} from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

/** `zfb`, `wx`: Alipay and WeChat Pay through an Epay service; `alipay`, `wechat`: without one; `manual`: to the operator. */
export type PayMethod = "zfb" | "wx" | "alipay" | "wechat" | "paypal" | "stripe" | "manual";

/** What a dollar of quota costs by a way to pay (the option), and in what currency. */
export function priceBy(
  settings: SettingsReader,
  method: PayMethod,
): Readonly<{ option: "Price" | "StripePrice" | "PaypalPrice" | "ManualPaymentPrice"; currency: string }> {
  if (method === "stripe") return { option: "StripePrice", currency: settings.get("StripeCurrency").toUpperCase() };
  if (method === "paypal") return { option: "PaypalPrice", currency: settings.get("PaypalCurrency").toUpperCase() };
  if (method === "manual") {
    return { option: "ManualPaymentPrice", currency: settings.get("ManualPaymentCurrency").toUpperCase() };
  }
  return { option: "Price", currency: "CNY" };
}

/** What a top-up brings and costs. */
export type Quote = Readonly<{
  quotaUnits: number;
  /** To be paid, with exactly two decimals. */
  money: string;
  /** ISO 4217, upper case. */
  currency: string;
}>;

/** Far above any recharge, far below what a balance can hold. */
const MOST_DOLLARS = 1_000_000;
const CENT = decimal("0.01");

/**
 * Prices a top-up for a user of `group`. `amount` is whole dollars, or quota units where the site shows those.
 * Throws OperationError when it is below the minimum, too much, or not worth a cent.
 */
export function quoteTopUp(settings: SettingsReader, group: string, amount: number, method: PayMethod): Quote {
  if (!Number.isSafeInteger(amount)) throw new OperationError("top_up_amount_integer");
  const unit = settings.get("DisplayInCurrencyEnabled") ? settings.get("QuotaPerUnit") : 1;
  return quoteUnits(settings, group, amount * unit, method);
}

/** The same for an amount in quota units, whatever the site shows. Throws OperationError. */
export function quoteUnits(settings: SettingsReader, group: string, quotaUnits: number, method: PayMethod): Quote {
  const unit = settings.get("QuotaPerUnit");
  const worth = settings.get("DisplayInCurrencyEnabled") ? 1 : unit;
  const minimum = Math.max(1, settings.get("MinTopUp") * worth);
  const maximum = MOST_DOLLARS * worth;
  if (quotaUnits * worth < minimum * unit) throw new OperationError("top_up_too_small", { minimum });
  if (quotaUnits * worth > maximum * unit) throw new OperationError("top_up_too_large", { maximum });
  const { option, currency } = priceBy(settings, method);
  const due = divide(
    multiply(multiply(integer(quotaUnits), settings.get(option)), groupFactor(settings, group)),
    integer(unit),
    2,
  );
  if (isNegative(subtract(due, CENT))) throw new OperationError("top_up_price_too_low");
  return { quotaUnits, money: hasNoMinorUnit(currency) ? `${roundUp(due)}.00` : toText(due, 2), currency };
}

/** Currencies without a smaller coin. */
export const hasNoMinorUnit = (currency: string): boolean => currency === "JPY";

/** Factor on the price by the user's group; 0 stands for 1. */
export function groupFactor(settings: SettingsReader, group: string): Decimal {
  const factor = settings.get("TopupGroupRatio").get(group);
  return factor === undefined || isZero(factor) ? ONE : factor;
}
