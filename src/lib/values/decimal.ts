/**
 * Exact decimal numbers for money: an integer and a number of decimal places. The integer is a JS number while it is safe
 * (then sums and products of integers are exact, and cost no memory), else a bigint; fractions are never floating point.
 */
export type Decimal = Readonly<{ digits: number | bigint; places: number }>;

export const ZERO: Decimal = { digits: 0, places: 0 };
export const ONE: Decimal = { digits: 1, places: 0 };

const DECIMAL_TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Parses decimal text ("1.25", "2e-3") or a JS number (by its shortest decimal text).
 * Throws RangeError when it is no finite decimal number.
 */
export function decimal(value: string | number | bigint): Decimal {
  const text = String(value).trim();
  const match = DECIMAL_TEXT.exec(text);
  if (!match || (!match[2] && !match[3])) throw new RangeError(`not a decimal number: ${text.slice(0, 40)}`);
  const fraction = match[3] ?? "";
  const exponent = Number(match[4] ?? 0);
  const digits = BigInt(`${match[2] ?? ""}${fraction}` || "0") * (match[1] === "-" ? -1n : 1n);
  const places = fraction.length - exponent;
  return normalize(places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places });
}

/** Whole number → Decimal without parsing. */
export const whole = (value: number): Decimal => ({
  digits: Number.isSafeInteger(value) ? value : BigInt(value),
  places: 0,
});

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  digits: product(a.digits, b.digits),
  places: a.places + b.places,
});

export function add(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  return { digits: sum(atPlaces(a, places), atPlaces(b, places)), places };
}

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, { digits: -b.digits, places: b.places });

/** a ÷ b to `places` decimals, halves away from zero. Throws RangeError when b is 0. */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  if (isZero(b)) throw new RangeError("division by zero");
  const scaled = BigInt(a.digits) * 10n ** BigInt(places + b.places);
  const unit = BigInt(b.digits) * 10n ** BigInt(a.places);
  const negative = scaled < 0n !== unit < 0n;
  const magnitude = (abs(scaled) * 2n + abs(unit)) / (abs(unit) * 2n);
  return { digits: shrunk(negative ? -magnitude : magnitude), places };
}

export const isZero = (a: Decimal): boolean => !a.digits;
export const isNegative = (a: Decimal): boolean => a.digits < 0;

/** Nearest whole number, halves away from zero, clamped to ±(2^53 − 1). */
export function roundToWhole({ digits, places }: Decimal): number {
  if (places === 0) return clamped(digits);
  const unit = powerOfTen(places);
  if (typeof digits === "number" && typeof unit === "number") {
    const magnitude = Math.abs(digits);
    const rest = magnitude % unit;
    // What is left after the rest is a multiple of the unit, so the division is exact; half of a power of ten is whole.
    const rounded = (magnitude - rest) / unit + (rest >= unit / 2 ? 1 : 0);
    return digits < 0 ? 0 - rounded : rounded;
  }
  const large = BigInt(unit);
  const magnitude = (abs(BigInt(digits)) * 2n + large) / (large * 2n);
  return clamped(digits < 0 ? -magnitude : magnitude);
}

/** Smallest whole number not below `a`, clamped like roundToWhole. */
export function ceilToWhole({ digits, places }: Decimal): number {
  if (places === 0) return clamped(digits);
  const unit = powerOfTen(places);
  if (typeof digits === "number" && typeof unit === "number") {
    const rest = digits % unit;
    return (digits - rest) / unit + (rest > 0 ? 1 : 0);
  }
  const [large, divisor] = [BigInt(digits), BigInt(unit)];
  const quotient = large / divisor;
  return clamped(large > 0n && large % divisor !== 0n ? quotient + 1n : quotient);
}

/** Shortest decimal text, without exponent. */
export function toText(a: Decimal): string {
  const { digits, places } = a.places === 0 ? a : normalize(a);
  if (places === 0) return String(digits);
  const text = String(digits < 0 ? -digits : digits).padStart(places + 1, "0");
  return `${digits < 0 ? "-" : ""}${text.slice(0, -places)}.${text.slice(-places)}`;
}

const SAFE = Number.MAX_SAFE_INTEGER;
const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

const powerOfTen = (exponent: number): number | bigint => POWERS[exponent] ?? 10n ** BigInt(exponent);

const isSafe = (value: number): boolean => value <= SAFE && value >= -SAFE;

/** As a number where it is safe as one. */
const shrunk = (value: bigint): number | bigint => (value <= SAFE && value >= -SAFE ? Number(value) : value);

/** A product of safe integers that is itself safe has lost nothing. */
function product(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === "number" && typeof b === "number") {
    const quick = a * b;
    // A negative zero would show.
    if (isSafe(quick)) return quick + 0;
  }
  return shrunk(BigInt(a) * BigInt(b));
}

function sum(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === "number" && typeof b === "number") {
    const quick = a + b;
    if (isSafe(quick)) return quick;
  }
  return shrunk(BigInt(a) + BigInt(b));
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

const clamped = (value: number | bigint): number => Number(value > SAFE ? SAFE : value < -SAFE ? -SAFE : value);

const atPlaces = (a: Decimal, places: number): number | bigint =>
  places === a.places ? a.digits : product(a.digits, powerOfTen(places - a.places));

function normalize({ digits, places }: Decimal): Decimal {
  let p = places;
  if (typeof digits === "number") {
    let d = digits;
    while (p > 0 && d % 10 === 0) {
      d /= 10;
      p -= 1;
    }
    return { digits: d, places: p };
  }
  let d = digits;
  while (p > 0 && d % 10n === 0n) {
    d /= 10n;
    p -= 1;
  }
  return { digits: shrunk(d), places: p };
}
