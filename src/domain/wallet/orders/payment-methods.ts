import type { ReminderMethod } from "../../../../db/schema/wallet/plans/plans.ts";
import { divide, integer, multiply, toText } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { DIRECT_METHODS, DIRECT_SERVICES } from "../payments/direct/services.ts";
import { acceptsEpay } from "../payments/epay.ts";
import { groupFactor, type PayMethod, priceBy } from "../payments/quote.ts";
import { takesCards } from "../payments/stripe.ts";
import { periodMethods } from "../plans/renewal/order-period.ts";

export type TopUpWays = {
  /** How one can pay, and what a dollar of quota costs a user of this group (decimal text). */
  ways: { method: PayMethod; price: string; currency: string }[];
  /** How single periods of plans can be paid. */
  periods: ReminderMethod[];
  /** Whole dollars, or quota units where the site shows those. */
  minimum: number;
  /** Where codes are sold; empty: nowhere. */
  link: string;
};

const PRICE_PLACES = 4;

/** How a user of `group` can top up. */
export function topUpWays(settings: SettingsReader, group: string): TopUpWays {
  const unit = settings.get("DisplayInCurrencyEnabled") ? 1 : settings.get("QuotaPerUnit");
  const factor = groupFactor(settings, group);
  const methods: PayMethod[] = [
    ...(acceptsEpay(settings) ? (["zfb", "wx"] as const) : []),
    ...DIRECT_METHODS.filter((method) => DIRECT_SERVICES[method].isSetUp(settings)),
    ...(takesCards(settings) ? (["stripe"] as const) : []),
  ];
  return {
    ways: methods.map((method) => {
      const { option, currency } = priceBy(settings, method);
      const price = divide(multiply(settings.get(option), factor), integer(1), PRICE_PLACES);
      return { method, price: toText(price), currency };
    }),
    periods: periodMethods(settings),
    minimum: Math.max(1, settings.get("MinTopUp") * unit),
    link: settings.get("TopUpLink"),
  };
}
