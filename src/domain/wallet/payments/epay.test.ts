import { expect, test } from "bun:test";
import { isSignedByEpay, signEpay } from "./epay.ts";

const FIELDS = { device: "devicev", money: "moneyv" };
const SIGN = "3854cc9f022e0fb821bd2e002260245d";

test("signs as published", () => {
  expect(signEpay(FIELDS, "1234567")).toBe(SIGN);
  expect(signEpay({ money: "moneyv", sign: "x", sign_type: "MD5", device: "devicev", param: "" }, "1234567")).toBe(
    SIGN,
  );
});

test.each([
  ["the right one", { ...FIELDS, sign: SIGN }, "1234567", true],
  ["upper case", { ...FIELDS, sign: SIGN.toUpperCase() }, "1234567", true],
  ["none", FIELDS, "1234567", false],
  ["another key", { ...FIELDS, sign: SIGN }, "1234568", false],
  ["a changed field", { ...FIELDS, money: "2", sign: SIGN }, "1234567", false],
  ["a field more", { ...FIELDS, sign: SIGN, type: "x" }, "1234567", false],
  ["an empty key", { ...FIELDS, sign: signEpay(FIELDS, "") }, "", false],
])("%s", (_, fields, key, is) =>
  expect(isSignedByEpay(fields as Record<string, string>, key as string)).toBe(is as boolean),
);
