import { eq } from "drizzle-orm";
import { billingProfiles } from "../../../../../db/schema/wallet/statements.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { moneyOf, smallestUnits } from "../currency-units.ts";
import { type PayMethod, type Quote, quoteTopUp } from "../quote.ts";
import { isInEuropeanUnion } from "./country-rules.ts";
import { hasTaxIdFormat } from "./tax-id.ts";

/** The tax in an order; `amount` is decimal text in the order's currency, with two decimals. */
export type OrderTax = Readonly<{
  country: string;
  /** Percent, as decimal text. */
  rate: string;
  amount: string;
  /** The customer's, where it says who accounts for the tax. */
  taxId: string;
  /** A business in another member state of the European Union accounts for the tax itself. */
  isReverseCharge: boolean;
}>;

/** A quote whose `money` is what is to be paid, its tax included; null: no tax is set up. */
export type TaxedQuote = Quote & Readonly<{ tax: OrderTax | null }>;

type Customer = Readonly<{ country: string; taxId: string }>;

/** What a top-up costs an account, with the tax of its country. Throws OperationError. */
export async function quoteWithTax(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  user: Readonly<{ id: number; group: string }>,
  amount: number,
  method: PayMethod,
): Promise<TaxedQuote> {
  return addAccountTax({ db, settings }, user.id, quoteTopUp(settings, user.group, amount, method));
}

/** Adds the tax of an account's country to a price. */
export async function addAccountTax(
  { db, settings }: Readonly<{ db: DbOrTx; settings: SettingsReader }>,
  userId: number,
  quote: Quote,
): Promise<TaxedQuote> {
  const [profile] = await db
    .select({ country: billingProfiles.country, taxId: billingProfiles.taxId })
    .from(billingProfiles)
    .where(eq(billingProfiles.userId, userId));
  return addTax(settings, quote, profile ?? { country: "", taxId: "" });
}

/**
 * Adds the tax of the customer's country to a price, or finds it in a price that includes it. Who has not stated where they are
 * is taxed as at home. What remains after the tax is rounded to the currency's smallest coin, and net and tax add up to what
 * is paid.
 */
export function addTax(
  settings: Pick<SettingsReader, "get">,
  quote: Quote,
  { country: stated, taxId }: Customer,
): TaxedQuote {
  const rates = settings.get("TaxRates");
  if (rates.size === 0) return { ...quote, tax: null };
  const home = settings.get("TaxCountry").toUpperCase();
  const country = stated || home;
  const isReverseCharge =
    country !== home &&
    [country, home].every(isInEuropeanUnion) &&
    taxId !== "" &&
    rates.has(country) &&
    hasTaxIdFormat(taxId, country);
  const thousandths = isReverseCharge ? 0 : (rates.get(country) ?? 0);
  const isIncluded = settings.get("TaxIncluded");
  const { currency } = quote;
  const price = smallestUnits(quote.money, currency);
  const tax = share(price, thousandths, isIncluded ? HUNDRED_PERCENT + thousandths : HUNDRED_PERCENT);
  const paid = isIncluded ? price : price + tax;
  return {
    ...quote,
    money: text(paid, currency),
    tax: { country, rate: String(thousandths / 1000), amount: text(tax, currency), taxId, isReverseCharge },
  };
}

/** Thousandths of a percent. */
const HUNDRED_PERCENT = 100_000;

/** `units` × `part` / `total`, rounded half up. */
const share = (units: number, part: number, total: number): number =>
  Number((2n * BigInt(units) * BigInt(part) + BigInt(total)) / (2n * BigInt(total)));

const text = (units: number, currency: string): string => Number(moneyOf(units, currency)).toFixed(2);
