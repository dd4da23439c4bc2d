import Big from "big.js";

/** An exact decimal number for money; never floating point. */
export type Decimal = Readonly<Big>;

/** At most three digits of exponent, because a larger number would take megabytes as text. */
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

/** a × b, exactly. */
export const multiply = (a: Decimal, b: Decimal): Decimal => a.times(b);
/** a + b, exactly. */
export const add = (a: Decimal, b: Decimal): Decimal => a.plus(b);
/** a − b, exactly. */
export const subtract = (a: Decimal, b: Decimal): Decimal => a.minus(b);

/** a ÷ b to `places` decimals, halves away from zero. Throws RangeError when b is 0. */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  if (isZero(b)) throw new RangeError("division by zero");
  const Divisible = Big();
  Divisible.DP = places;
  return new Big(new Divisible(a).div(b));
}

/** Whether a is 0. */
export const isZero = (a: Decimal): boolean => a.eq(ZERO);
/** Whether a is below 0. */
export const isNegative = (a: Decimal): boolean => a.lt(ZERO);

/** Nearest integer, halves away from zero, clamped to ±(2^53 − 1). */
export const roundToInteger = (a: Decimal): number => clamped(a.round(0, Big.roundHalfUp));

/** Smallest integer not below `a`, clamped likewise. */
export const roundUp = (a: Decimal): number => clamped(a.round(0, a.gt(ZERO) ? Big.roundUp : Big.roundDown));

/** The number without its decimals, clamped likewise. */
export const truncate = (a: Decimal): number => clamped(a.round(0, Big.roundDown));

/** Decimal text without exponent: the shortest, or with `places` decimals, halves away from zero. */
export const toText = (a: Decimal, places?: number): string => a.toFixed(places);

// `+ 0` turns -0 into 0.
const clamped = (a: Decimal): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, a.toNumber())) + 0;

/**
 * A decimal as an integer number of 10^-scale. Sums of integers times such a factor are as exact as with decimals and
 * cost less: 4 of 94 µs of CPU a call.
 */
export type FixedPoint = Readonly<{ units: bigint; scale: number }>;

/** The same number; with at least `minScale` decimals. */
export function fixedPoint({ s, e, c }: Decimal, minScale = 0): FixedPoint {
  const decimals = c.length - 1 - e;
  const scale = Math.max(decimals, minScale);
  return { units: BigInt(s) * BigInt(c.join("")) * powerOfTen(scale - decimals), scale };
}

/** Decimal text of `units` × 10^-`scale`, the shortest, without exponent. */
export function fixedText(units: bigint, scale: number): string {
  if (units < 0n) return `-${fixedText(-units, scale)}`;
  const digits = units.toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits[end - 1] === "0") end -= 1;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** `units` × 10^-`scale` as the nearest integer, halves up, or as the next one above; 0 to 2^53 − 1, negatives are 0. */
export function fixedInteger(units: bigint, scale: number, rounding: "nearest" | "up"): number {
  if (units <= 0n) return 0;
  const one = powerOfTen(scale);
  const rounded = rounding === "up" ? (units + one - 1n) / one : (2n * units + one) / (2n * one);
  return Math.min(Number(rounded), Number.MAX_SAFE_INTEGER);
}

/** 10^`exponent`. */
export function powerOfTen(exponent: number): bigint {
  const power = POWERS[exponent];
  return power ?? 10n ** BigInt(exponent);
}

const POWERS: readonly bigint[] = Array.from({ length: 32 }, (_, exponent) => 10n ** BigInt(exponent));
