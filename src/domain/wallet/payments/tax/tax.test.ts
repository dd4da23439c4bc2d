import { expect, test } from "bun:test";
import { fixedSettings } from "../../../../../test/support/lib/settings.ts";
import { COUNTRIES } from "./country-rules.ts";
import { addTax } from "./tax.ts";
import { hasTaxIdFormat, normalizeTaxId } from "./tax-id.ts";

const RATES = JSON.stringify({ DE: 19, FR: 20, CH: 8.1, JP: 10, XX: 5.125 });
const set = (isIncluded: boolean) =>
  fixedSettings({ TaxRates: RATES, TaxCountry: "de", TaxIncluded: String(isIncluded) });
const quote = (money: string, currency = "EUR") => ({ quotaUnits: 1, money, currency });
const NOBODY = { country: "", taxId: "" };

test("without rates nothing changes", () => {
  expect(addTax(fixedSettings({}), quote("9.99"), NOBODY)).toEqual({ ...quote("9.99"), tax: null });
});

test.each([
  [false, "10.00", "", "11.90", "1.90", "19"],
  [true, "11.90", "", "11.90", "1.90", "19"],
  [true, "10.00", "", "10.00", "1.60", "19"],
  [false, "0.01", "", "0.01", "0.00", "19"],
  [false, "0.03", "", "0.04", "0.01", "19"],
  [false, "99.99", "CH", "108.09", "8.10", "8.1"],
  [false, "10.00", "XX", "10.51", "0.51", "5.125"],
  [false, "10.00", "US", "10.00", "0.00", "0"],
])("included %p: %s in %p is paid with %s, of it %s tax", (isIncluded, money, country, paid, amount, rate) => {
  const taxed = addTax(set(isIncluded), quote(money), { country, taxId: "" });
  expect(taxed).toMatchObject({ money: paid, tax: { amount, rate, isReverseCharge: false } });
});

test("yen have no smaller coin", () => {
  const taxed = addTax(set(false), quote("105.00", "JPY"), { country: "JP", taxId: "" });
  expect(taxed).toMatchObject({ money: "116.00", tax: { amount: "11.00" } });
});

test("a business in another member state accounts for the tax itself; at home, outside, or without an id it does not", () => {
  const tax = (country: string, taxId: string) => addTax(set(false), quote("10.00"), { country, taxId }).tax;
  expect(tax("FR", "FR12345678901")).toMatchObject({ amount: "0.00", rate: "0", isReverseCharge: true });
  expect(tax("FR", "")).toMatchObject({ amount: "2.00", isReverseCharge: false });
  expect(tax("FR", "DE123456789")).toMatchObject({ amount: "2.00", isReverseCharge: false });
  expect(tax("DE", "DE123456789")).toMatchObject({ amount: "1.90", isReverseCharge: false });
  expect(tax("CH", "CHE123456789")).toMatchObject({ amount: "0.81", isReverseCharge: false });
});

test("tax ids are compared without what stands between their parts", () => {
  const isRight = (input: string, country: string) => hasTaxIdFormat(normalizeTaxId(input), country);
  expect(isRight("de 123 456 789", "DE")).toBe(true);
  expect(isRight("CHE-123.456.789 MWST", "CH")).toBe(true);
  expect(isRight("EL123456789", "GR")).toBe(true);
  expect(isRight("NL123456789B01", "NL")).toBe(true);
  expect(isRight("91350211M000100Y43", "CN")).toBe(true);
  expect(isRight("DE12345678", "DE")).toBe(false);
  expect(isRight("FR123", "FR")).toBe(false);
  expect(isRight("anything", "KE")).toBe(true);
});

test("every price is net and tax to the coin, included or not", () => {
  for (let cents = 1; cents < 3000; cents += 7) {
    for (const isIncluded of [true, false]) {
      const { money, tax } = addTax(set(isIncluded), quote((cents / 100).toFixed(2)), { country: "CH", taxId: "" });
      const [paid, amount] = [Math.round(Number(money) * 100), Math.round(Number(tax?.amount) * 100)];
      const net = paid - amount;
      expect(Math.abs(amount - net * 0.081)).toBeLessThanOrEqual(0.55);
      expect(isIncluded ? paid : net).toBe(cents);
    }
  }
});

test("countries stand in order, each once", () => {
  expect(COUNTRIES).toEqual([...new Set(COUNTRIES)].sort());
  expect(COUNTRIES).toHaveLength(249);
});
