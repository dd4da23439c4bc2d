import { expect, test } from "bun:test";
import { type Code, isSpent, windowState } from "./code.ts";
import { bodyOf, checkCodeForm, formOf, NEW_CODE } from "./code-form.ts";

const code: Code = {
  id: 1,
  user_id: 1,
  name: "spring",
  key: "abc",
  status: 1,
  quota: 10,
  plan_id: null,
  plan_name: null,
  is_gift: true,
  max_uses: 3,
  used_count: 1,
  valid_from: 5,
  valid_until: 9,
  created_time: 0,
  redeemed_time: 0,
  used_user_id: 0,
  used_username: "",
};

test("a new code is fine as it stands and is called what it is worth", () => {
  expect<object>(checkCodeForm(NEW_CODE)).toEqual({});
  expect(bodyOf(NEW_CODE, "$0.20")).toMatchObject({ name: "$0.20", quota: 100_000, count: 1, max_uses: -1 });
});

test("a code for a plan is called after it and needs no quota", () => {
  const form = { ...NEW_CODE, planId: 7, quota: "" };
  expect<object>(checkCodeForm(form)).toEqual({});
  expect(bodyOf(form, "Pro")).toMatchObject({ name: "Pro", quota: 0, plan_id: 7 });
});

test("each field has its fault", () => {
  const bad = { name: "n".repeat(21), quota: "0", count: "101", isGift: true, maxUses: "0", validFrom: null };
  expect<object>(checkCodeForm({ ...NEW_CODE, ...bad })).toEqual({
    name: "code_name_length",
    quota: "code_quota_invalid",
    count: "code_count_invalid",
    maxUses: "code_max_uses_invalid",
    validFrom: "date",
  });
  expect<object>(checkCodeForm({ ...NEW_CODE, key: "a b", validFrom: 9, validUntil: 9 })).toEqual({
    key: "code_key_invalid",
    validUntil: "code_window_invalid",
  });
});

test("a chosen key makes one code", () => {
  expect(bodyOf({ ...NEW_CODE, name: "a", key: " K " }, "")).toMatchObject({ key: "K", count: 1 });
  expect(checkCodeForm({ ...NEW_CODE, key: "K", count: "50" }).count).toBe("code_key_single");
  expect(checkCodeForm({ ...NEW_CODE, count: "50" }).count).toBeUndefined();
});

test("a stored code survives a round through the form", () => {
  expect(bodyOf(formOf(code), "")).toMatchObject({ name: "spring", quota: 10, valid_from: 5, valid_until: 9 });
});

test("what is used up or disabled is spent", () => {
  expect(isSpent(code)).toBe(false);
  expect(isSpent({ ...code, used_count: 3 })).toBe(true);
  expect(isSpent({ ...code, used_count: 3, max_uses: -1 })).toBe(false);
  expect(isSpent({ ...code, status: 2 })).toBe(true);
  expect([4, 7, 10].map((now) => windowState(code, now))).toEqual(["early", "open", "expired"]);
});
