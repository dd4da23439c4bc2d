/** Decimal text in a currency, as people of a language write it: "¥365.00". */
export const moneyText = (money: string, currency: string, language: string): string =>
  new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(
    Number(money),
  );

const PLACES = 4;

/** Decimal text with up to four places, a whole number of times. */
export function timesPrice(price: string, count: number): string {
  const [whole = "0", fraction = ""] = price.split(".");
  const digits = (BigInt(whole + fraction.padEnd(PLACES, "0")) * BigInt(count)).toString().padStart(PLACES + 1, "0");
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
