import { expect, test } from "bun:test";
import { moneyText } from "./money-text.ts";

test.each([
  ["365.00", "CNY", "en", "¥365.00"],
  ["1234.5", "USD", "zh", "$1,234.50"],
  ["1500.00", "JPY", "en", "¥1,500"],
])("%s %s in %s", (money, currency, language, text) => expect(moneyText(money, currency, language)).toBe(text));
