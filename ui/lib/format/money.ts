import { reused } from "./reused.ts";

/**
 * US dollars, sign in front, with so many decimals: "−$1,234.50". An amount too small for them is never shown as nothing:
 * "<$0.01", "−<$0.01".
 */
export function formatDollars(usd: number, fewest: number, most = fewest): string {
  const sign = usd < 0 ? "−" : "";
  const least = 10 ** -most;
  if (usd !== 0 && Math.abs(usd) < least / 2) return `${sign}<$${least.toFixed(most)}`;
  return `${sign}$${decimals(fewest, most).format(Math.abs(usd))}`;
}

const decimals = reused(
  (fewest: number, most: number) =>
    new Intl.NumberFormat("en", { minimumFractionDigits: fewest, maximumFractionDigits: most }),
);

/** An amount of a currency in the reader's language: "¥365.00", "−$5.00". Throws RangeError where the code is none of ISO 4217. */
export const formatCurrency = (
  amount: number,
  currency: string,
  language: string,
  currencyDisplay: "symbol" | "narrowSymbol" = "symbol",
): string =>
  new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay }).format(amount).replace("-", "−");

/** Formats decimal text as a currency in a language: "¥365.00". */
export const moneyText = (money: string, currency: string, language: string): string =>
  formatCurrency(Number(money), currency, language, "narrowSymbol");
