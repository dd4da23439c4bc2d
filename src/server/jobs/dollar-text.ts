const DIGITS = 6;

/** Quota units as dollars with six digits, cut off, not rounded: "$1.234567". */
export function dollarText(quotaUnits: number, unitsPerDollar: number): string {
  const millionths = (BigInt(quotaUnits) * 10n ** BigInt(DIGITS)) / BigInt(unitsPerDollar);
  const text = millionths.toString().padStart(DIGITS + 1, "0");
  return `$${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`;
}
