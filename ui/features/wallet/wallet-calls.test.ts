import { expect, test } from "bun:test";
import { moneyText } from "../../lib/format/money.ts";
import { timesPrice } from "./wallet-calls.ts";

test.each([
  ["365.00", "CNY", "en", "¥365.00"],
  ["1234.5", "USD", "zh", "$1,234.50"],
  ["1500.00", "JPY", "en", "¥1,500"],
])("%s %s in %s", (money, currency, language, text) => expect(moneyText(money, currency, language)).toBe(text));

test.each([
  ["7.3", 50, "365.0000"],
  ["1", 500, "500.0000"],
  ["0.0035", 3, "0.0105"],
])("%s, %p times", (price, count, product) => expect(timesPrice(price, count)).toBe(product));
