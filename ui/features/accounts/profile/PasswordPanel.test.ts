import { expect, test } from "bun:test";
import { checkPasswordForm } from "./PasswordPanel.tsx";

const good = { original: "old-secret", password: "new-secret", confirm: "new-secret" };

test("a good change has no errors", () => expect<object>(checkPasswordForm(good, true)).toEqual({}));

test("the current password is needed", () =>
  expect<object>(checkPasswordForm({ ...good, original: "" }, true)).toEqual({ original: "original" }));

test.each(["1234567", "123456789012345678901"])("%s has not 8 to 20 characters", (password) =>
  expect<object>(checkPasswordForm({ ...good, password, confirm: password }, true)).toEqual({
    password: "password_length",
  }),
);

test("the new password must be new", () =>
  expect<object>(
    checkPasswordForm({ original: "same-secret", password: "same-secret", confirm: "same-secret" }, true),
  ).toEqual({
    password: "same",
  }));

test("both entries must match", () =>
  expect<object>(checkPasswordForm({ ...good, confirm: "new-sacred" }, true)).toEqual({ confirm: "confirm" }));
