import { expect, test } from "bun:test";
import { contrastOf, hexOf, isHexColor, readableOn, readColor, textOn } from "./color.ts";

test.each(["#fff", "#0f766e", "#ABCDEF"])("%s is a color", (text) => {
  expect(isHexColor(text)).toBe(true);
  expect(hexOf(readColor(text))).toHaveLength(7);
});

test.each(["", "fff", "#ff", "red", "#0f766e;}", "#0f766g"])("%p is none", (text) => {
  expect(isHexColor(text)).toBe(false);
  expect(() => readColor(text)).toThrow();
});

test("contrast is that of WCAG", () => {
  expect(contrastOf(readColor("#000"), readColor("#fff"))).toBeCloseTo(21);
  expect(contrastOf(readColor("#767676"), readColor("#ffffff"))).toBeGreaterThan(4.5);
  expect(contrastOf(readColor("#777777"), readColor("#ffffff"))).toBeLessThan(4.5);
});

test.each(["#ffff00", "#0000ff", "#0f766e", "#ffffff", "#000000", "#808080"])("%s stays readable", (text) => {
  for (const ground of ["#ffffff", "#0f161e"]) {
    const color = readableOn(readColor(text), readColor(ground));
    expect(contrastOf(color, readColor(ground))).toBeGreaterThanOrEqual(4.5);
    expect(contrastOf(textOn(color), color)).toBeGreaterThanOrEqual(4.5);
  }
});

test("a color that is readable stays as it is", () => {
  expect(hexOf(readableOn(readColor("#0f766e"), readColor("#fff")))).toBe("#0f766e");
});
