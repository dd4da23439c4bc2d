/** US dollars, sign in front, with so many decimals: "−$1,234.50". */
export function formatDollars(usd: number, fewest: number, most = fewest): string {
  const text = Math.abs(usd).toLocaleString("en", { minimumFractionDigits: fewest, maximumFractionDigits: most });
  return `${usd < 0 ? "−" : ""}$${text}`;
}

/** An amount of a currency in the reader's language: "¥365.00". Throws RangeError where the code is none of ISO 4217. */
export const formatCurrency = (
  amount: number,
  currency: string,
  language: string,
  currencyDisplay: "symbol" | "narrowSymbol" = "symbol",
): string => new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay }).format(amount);
