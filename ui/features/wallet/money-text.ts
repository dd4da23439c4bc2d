/** Decimal text in a currency, as people of a language write it: "¥365.00". */
export const moneyText = (money: string, currency: string, language: string): string =>
  new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(
    Number(money),
  );
