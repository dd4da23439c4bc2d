import { expect, test } from "bun:test";
import { checkPasswordForm } from "./PasswordPanel.tsx";

const good = { original: "old-secret", password: "new-secret", confirm: "new-secret" };

test("a good change has no errors", () => expect(checkPasswordForm(good, true)).toEqual({}));

test("the current password is needed", () =>
  expect(checkPasswordForm({ ...good, original: "" }, true)).toEqual({ original: "original" }));

test.each(["1234567", "123456789012345678901"])("%s has not 8 to 20 characters", (password) =>
  expect(checkPasswordForm({ ...good, password, confirm: password }, true)).toEqual({ password: "length" }),
);

test("the new password must be new", () =>
  expect(checkPasswordForm({ original: "same-secret", password: "same-secret", confirm: "same-secret" }, true)).toEqual(
    {
      password: "same",
    },
  ));

test("both entries must match", () =>
  expect(checkPasswordForm({ ...good, confirm: "new-sacred" }, true)).toEqual({ confirm: "confirm" }));
