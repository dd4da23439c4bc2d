const EXACT = new Intl.NumberFormat("en");
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A number with separators, at most three decimals: "1,234,567". The same in every language. */
export const formatNumber = (value: number): string => EXACT.format(value);

/** A number short enough for a sentence: "128K". */
export const formatShort = (value: number): string => SHORT.format(value);

/** A number with a fixed count of decimals, without separators: "0.10". */
export const formatFixed = (value: number, decimals: number): string => value.toFixed(decimals);

/** A share (0 to 1): "99.93%". */
export const formatShare = (share: number): string => SHARE.format(share);

/** The nearest number with so many decimals. */
export const roundTo = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** A number rounded to so many figures: 123,456 to two is 120,000. */
export const roundToFigures = (value: number, figures: number): number => Number(value.toPrecision(figures));
