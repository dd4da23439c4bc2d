import Big from "big.js";

/** An exact decimal number for money; never floating point. */
export type Decimal = Readonly<Big>;

/** Three digits of exponent at most: text with more would take megabytes when it is written out. */
const DECIMAL_TEXT = /^\+?(-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)$/;

export const ZERO: Decimal = new Big(0);
export const ONE: Decimal = new Big(1);

/**
 * Parses decimal text ("1.25", "2e-3") or a JS number (by its shortest decimal text).
 * Throws RangeError when it is no finite decimal number.
 */
export function decimal(value: string | number | bigint): Decimal {
  const text = String(value).trim();
  const number = DECIMAL_TEXT.exec(text)?.[1];
  if (number === undefined) throw new RangeError(`not a decimal number: ${text.slice(0, 40)}`);
  return new Big(number);
}

/** Integer → Decimal. */
export const integer = (value: number): Decimal => new Big(value);

export const multiply = (a: Decimal, b: Decimal): Decimal => a.times(b);
export const add = (a: Decimal, b: Decimal): Decimal => a.plus(b);
export const subtract = (a: Decimal, b: Decimal): Decimal => a.minus(b);

/** a ÷ b to `places` decimals, halves away from zero. Throws RangeError when b is 0. */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  if (isZero(b)) throw new RangeError("division by zero");
  const Divisible = Big();
  Divisible.DP = places;
  return new Big(new Divisible(a).div(b));
}

export const isZero = (a: Decimal): boolean => a.eq(ZERO);
export const isNegative = (a: Decimal): boolean => a.lt(ZERO);

/** Nearest integer, halves away from zero, clamped to ±(2^53 − 1). */
export const roundToInteger = (a: Decimal): number => clamped(a.round(0, Big.roundHalfUp));

/** Smallest integer not below `a`, clamped likewise. */
export const roundUp = (a: Decimal): number => clamped(a.round(0, a.gt(ZERO) ? Big.roundUp : Big.roundDown));

/** Drops the decimals; clamped like the others. */
export const truncate = (a: Decimal): number => clamped(a.round(0, Big.roundDown));

/** Decimal text without exponent: the shortest, or with so many decimals, halves away from zero. */
export const toText = (a: Decimal, places?: number): string => a.toFixed(places);

// A negative zero would show.
const clamped = (a: Decimal): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, a.toNumber())) + 0;
