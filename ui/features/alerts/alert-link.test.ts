import { expect, test } from "bun:test";
import { alertAddress, presetOf, unusualSpending, warnedBalance } from "./alert-link.ts";

const addressOf = (search: Readonly<Record<string, unknown>>) => ({
  text: (key: string) => String(search[key] ?? ""),
  number: (key: string) => (search[key] === undefined ? undefined : Number(search[key])),
});

test.each([
  [{ scope: "own", event: "balance_low", threshold: 1_500_000 }, "/personal"],
  [{ scope: "organization", event: "balance_low", threshold: 30 }, "/organization"],
  [{ scope: "site", event: "spending", threshold: 9, per: "user", subject: "mina" }, "/alerts"],
  [{ scope: "site", event: "channel_balance_low" }, "/alerts"],
] as const)("a proposed rule arrives at its form: %p", (link, place) => {
  const { to, search } = alertAddress(link);
  expect(to).toBe(place);
  const { scope, ...preset } = link;
  expect(presetOf(addressOf(search), scope)).toEqual(preset);
});

test("an address asks for nothing that its page does not have", () => {
  expect(presetOf(addressOf({}), "own")).toBeNull();
  expect(presetOf(addressOf({ alert: "journal_lost" }), "own")).toBeNull();
  expect(presetOf(addressOf({ alert: "spending", per: "channel" }), "own")).toEqual({ event: "spending" });
});

test("proposed amounts are round", () => {
  expect(warnedBalance(123_456)).toBe(370_000);
  expect(unusualSpending(123_456)).toBe(250_000);
});
