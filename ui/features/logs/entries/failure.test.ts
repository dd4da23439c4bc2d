import { expect, test } from "bun:test";
import { type FailurePlace, fixOf, needsAdmin } from "./failure.ts";

const FAILURE: FailurePlace = { class: "balance", channelId: 7, modelName: "m/1", tokenName: "app", userId: 5 };
const USER = { userId: 5, isAdmin: false, maySetPrices: false };
const ADMIN = { userId: 1, isAdmin: true, maySetPrices: true };

test("users add credit, administrators open the user", () => {
  expect(fixOf(FAILURE, USER)).toEqual({ name: "credit", to: "/topup" });
  expect(fixOf(FAILURE, ADMIN)).toEqual({ name: "quota", to: "/user/edit/5", search: { quota: 1 } });
  expect(fixOf({ ...FAILURE, userId: 1 }, ADMIN)).toEqual({ name: "credit", to: "/topup" });
});

test("a missing price is set by those who may, others ask for it", () => {
  const unpriced = { ...FAILURE, class: "no_price" } as const;
  const search = { tab: "operation", field: "pricing", prices: "unset", model: "m/1" };
  expect(fixOf(unpriced, ADMIN)).toEqual({ name: "price", to: "/setting", search });
  expect(fixOf(unpriced, USER)).toBeNull();
  expect(needsAdmin("no_price", USER)).toBe(true);
  expect(needsAdmin("no_price", ADMIN)).toBe(false);
});

test("what a provider did leads administrators to its channel", () => {
  expect(fixOf({ ...FAILURE, class: "provider_key" }, ADMIN)).toEqual({ name: "channel", to: "/channel/edit/7" });
  expect(fixOf({ ...FAILURE, class: "provider_key", channelId: 0 }, ADMIN)).toBeNull();
  expect(fixOf({ ...FAILURE, class: "provider_down" }, USER)).toBeNull();
});
