import type { Channel } from "./channel.ts";

/** A balance in its own currency; dollars where the provider does not say which. */
export const balanceText = (
  { balance, balance_currency: currency }: Pick<Channel, "balance" | "balance_currency">,
  language: string,
): string => {
  try {
    return new Intl.NumberFormat(language, { style: "currency", currency: currency || "USD" }).format(balance);
  } catch {
    // Not an ISO code: as the provider writes it.
    return `${balance.toFixed(2)} ${currency}`;
  }
};
