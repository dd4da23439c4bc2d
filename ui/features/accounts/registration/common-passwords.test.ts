import { expect, test } from "bun:test";
import { FILTER_BITS, filterBits, isCommonPassword } from "./common-passwords.ts";

test.each(["mercedes", "Metallica", "nintendo", "adidas11", "SEATTLE2", "wonderwall", "kumar123"])(
  "%p is known from leaks, in whatever case",
  (password) => expect(isCommonPassword(password)).toBe(true),
);

test("of passwords that are not, few are taken for one", () => {
  const others = Array.from({ length: 20_000 }, (_, index) => `lock ${index} keeper`);
  const mistaken = others.filter(isCommonPassword).length;
  expect(mistaken).toBeLessThan(100);
  expect(isCommonPassword("")).toBe(false);
  expect(isCommonPassword("汉字也可以做密码")).toBe(false);
});

test("a password's places are spread over the filter", () => {
  const places = Array.from({ length: 1000 }, (_, index) => filterBits(`password ${index}`)).flat();
  expect(new Set(places).size).toBeGreaterThan(0.9 * places.length);
  expect(Math.max(...places)).toBeGreaterThan(0.99 * FILTER_BITS);
  expect(Math.max(...places)).toBeLessThan(FILTER_BITS);
});
