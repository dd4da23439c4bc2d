import { describe, expect, test } from "bun:test";
import {
  add,
  type Decimal,
  decimal,
  divide,
  fixedInteger,
  fixedPoint,
  fixedText,
  integer,
  multiply,
  roundToInteger,
  roundUp,
  subtract,
  toText,
  truncate,
  ZERO,
} from "./decimal.ts";

describe("decimal", () => {
  test.each([
    ["1.25", "1.25"],
    ["-0.50", "-0.5"],
    ["2e-3", "0.002"],
    ["1.5e2", "150"],
    [".5", "0.5"],
    ["0", "0"],
  ])("%s reads as %s", (text, shortest) => expect(toText(decimal(text))).toBe(shortest));

  test("numbers are read by their shortest text", () => {
    expect(toText(decimal(0.1))).toBe("0.1");
    expect(toText(decimal(1e-7))).toBe("0.0000001");
  });

  test.each(["", ".", "abc", "1,5", "NaN", "Infinity", "0x10", "1e9999"])("%p is refused", (text) =>
    expect(() => decimal(text)).toThrow(RangeError),
  );

  test("0.1 + 0.2 is exactly 0.3", () => expect(toText(add(decimal("0.1"), decimal("0.2")))).toBe("0.3"));
  test("subtracts", () => expect(toText(subtract(decimal("1"), decimal("0.25")))).toBe("0.75"));
  test("multiplies without loss", () =>
    expect(toText(multiply(decimal("1.3333333333333333"), decimal("3")))).toBe("3.9999999999999999"));

  test.each([
    ["2.5", "0.3", "8.333333"],
    ["0.27", "2", "0.135"],
    ["-2", "3", "-0.666667"],
    ["1", "-8", "-0.125"],
    ["0", "7", "0"],
  ])("%s ÷ %s = %s", (a, b, quotient) => expect(toText(divide(decimal(a), decimal(b), 6))).toBe(quotient));
  test("division by zero is refused", () => expect(() => divide(decimal(1), decimal(0), 6)).toThrow(RangeError));

  test.each([
    ["0.5", 1],
    ["-0.5", -1],
    ["1.4999", 1],
    ["2.5", 3],
    ["0", 0],
  ])("%s rounds to %d, halves away from zero", (text, rounded) => expect(roundToInteger(decimal(text))).toBe(rounded));

  test("ceil", () => {
    expect(roundUp(decimal("1.01"))).toBe(2);
    expect(roundUp(decimal("-1.5"))).toBe(-1);
    expect(roundUp(integer(7))).toBe(7);
  });

  test("towards zero", () => {
    expect(truncate(decimal("1.99"))).toBe(1);
    expect(truncate(decimal("-1.99"))).toBe(-1);
  });

  test("with so many decimals", () => {
    expect(toText(decimal("1.005"), 2)).toBe("1.01");
    expect(toText(decimal("7"), 2)).toBe("7.00");
  });

  test("amounts beyond 2^53 are clamped, never wrapped to a negative charge", () => {
    const huge = multiply(integer(Number.MAX_SAFE_INTEGER), integer(Number.MAX_SAFE_INTEGER));
    expect(roundToInteger(huge)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("the same sums as with integers alone, around 2^53 and with up to 20 decimals", () => {
  const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
  const edges = [
    0n,
    1n,
    5n,
    49n,
    50n,
    51n,
    99_999n,
    94_906_265n,
    94_906_266n,
    SAFE / 2n,
    SAFE - 1n,
    SAFE,
    SAFE + 1n,
    SAFE * 7n,
  ];
  const digits = edges.flatMap((edge) => [edge, -edge]);
  const all: [bigint, number][] = digits.flatMap((each) =>
    [0, 1, 2, 9, 15, 16, 20].map((p): [bigint, number] => [each, p]),
  );
  const text = ([value, places]: [bigint, number]) => `${value}e-${places}`;
  /** To so many places, which lose nothing of either. */
  const PLACES = 40;
  const scaled = (value: Decimal) => {
    const [integer = "", fraction = ""] = toText(value).split(".");
    return BigInt(integer + fraction.padEnd(PLACES, "0"));
  };
  const clamp = (value: bigint) => Number(value > SAFE ? SAFE : value < -SAFE ? -SAFE : value);

  test("sums, differences and products", () => {
    for (const a of all) {
      for (const b of all) {
        const [left, right] = [decimal(text(a)), decimal(text(b))];
        const at = ([value, places]: [bigint, number]) => value * 10n ** BigInt(PLACES - places);
        if (scaled(add(left, right)) !== at(a) + at(b)) throw new Error(`${text(a)} + ${text(b)}`);
        if (scaled(subtract(left, right)) !== at(a) - at(b)) throw new Error(`${text(a)} - ${text(b)}`);
        const product = a[0] * b[0] * 10n ** BigInt(PLACES - a[1] - b[1]);
        if (scaled(multiply(left, right)) !== product) throw new Error(`${text(a)} × ${text(b)}`);
      }
    }
  });

  test("rounding and text", () => {
    for (const a of all) {
      const value = decimal(text(a));
      const unit = 10n ** BigInt(a[1]);
      const magnitude = a[0] < 0n ? -a[0] : a[0];
      const rounded = (magnitude * 2n + unit) / (unit * 2n);
      expect([text(a), roundToInteger(value)]).toEqual([text(a), clamp(a[0] < 0n ? -rounded : rounded)]);
      const quotient = a[0] / unit;
      const up = a[0] > 0n && a[0] % unit !== 0n ? quotient + 1n : quotient;
      expect([text(a), roundUp(value)]).toEqual([text(a), clamp(up)]);
      expect(scaled(decimal(toText(value)))).toBe(scaled(value));
    }
  });

  test("fixed-point numbers have the same text and rounding", () => {
    for (const a of all) {
      const value = decimal(text(a));
      for (const minScale of [0, 25]) {
        const { units, scale } = fixedPoint(value, minScale);
        expect([text(a), fixedText(units, scale)]).toEqual([text(a), toText(add(value, ZERO))]);
        expect([text(a), fixedInteger(units, scale, "nearest")]).toEqual([text(a), Math.max(0, roundToInteger(value))]);
        expect([text(a), fixedInteger(units, scale, "up")]).toEqual([text(a), Math.max(0, roundUp(value))]);
      }
    }
    expect(fixedPoint(decimal("2e40"))).toEqual({ units: 2n * 10n ** 40n, scale: 0 });
  });
});
