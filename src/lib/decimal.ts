/** Exact decimal numbers for money: an integer and a number of decimal places. Nothing here touches floating point. */
export type Decimal = Readonly<{ digits: bigint; places: number }>;

export const ZERO: Decimal = { digits: 0n, places: 0 };
export const ONE: Decimal = { digits: 1n, places: 0 };

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
  return normalise(places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places });
}

/** Whole number → Decimal without parsing. */
export const whole = (value: number): Decimal => ({ digits: BigInt(value), places: 0 });

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  places: a.places + b.places,
});

export function add(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  return { digits: atPlaces(a, places) + atPlaces(b, places), places };
}

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, { digits: -b.digits, places: b.places });

/** a ÷ b to `places` decimals, halves away from zero. Throws RangeError when b is 0. */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  if (b.digits === 0n) throw new RangeError("division by zero");
  const scaled = a.digits * 10n ** BigInt(places + b.places);
  const unit = b.digits * 10n ** BigInt(a.places);
  const negative = scaled < 0n !== unit < 0n;
  const magnitude = (abs(scaled) * 2n + abs(unit)) / (abs(unit) * 2n);
  return { digits: negative ? -magnitude : magnitude, places };
}

export const isZero = (a: Decimal): boolean => a.digits === 0n;
export const isNegative = (a: Decimal): boolean => a.digits < 0n;

/** Nearest whole number, halves away from zero, clamped to ±(2^53 − 1). */
export function roundToWhole(a: Decimal): number {
  const unit = 10n ** BigInt(a.places);
  const magnitude = a.digits < 0n ? -a.digits : a.digits;
  const rounded = (magnitude * 2n + unit) / (unit * 2n);
  const clamped = rounded > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(rounded);
  return a.digits < 0n ? -clamped : clamped;
}

/** Smallest whole number not below `a`, clamped like roundToWhole. */
export function ceilToWhole(a: Decimal): number {
  const unit = 10n ** BigInt(a.places);
  const quotient = a.digits / unit;
  const up = a.digits > 0n && a.digits % unit !== 0n ? quotient + 1n : quotient;
  return up > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(up);
}

/** Shortest decimal text, without exponent. */
export function toText(a: Decimal): string {
  const { digits, places } = normalise(a);
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  return places === 0 ? sign + text : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

const atPlaces = (a: Decimal, places: number): bigint =>
  places === a.places ? a.digits : a.digits * 10n ** BigInt(places - a.places);

function normalise({ digits, places }: Decimal): Decimal {
  let d = digits;
  let p = places;
  while (p > 0 && d % 10n === 0n) {
    d /= 10n;
    p -= 1;
  }
  return { digits: d, places: p };
}
