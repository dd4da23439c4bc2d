import { describe, expect, test } from "bun:test";
import { checkRegisterForm } from "./register-form.ts";

const GOOD = {
  username: "十二个汉字的用户名很长啊",
  password: "long enough",
  confirm: "long enough",
  email: "",
  code: "",
};

describe("the registration form", () => {
  test("counts characters, not bytes or code units", () => {
    expect<object>(checkRegisterForm(GOOD, false)).toEqual({});
    expect<object>(checkRegisterForm({ ...GOOD, username: "😀".repeat(12) }, false)).toEqual({});
    expect<object>(checkRegisterForm({ ...GOOD, username: "😀".repeat(13) }, false)).toEqual({
      username: "username_too_long",
    });
    expect<object>(checkRegisterForm({ ...GOOD, password: "密".repeat(8), confirm: "密".repeat(8) }, false)).toEqual(
      {},
    );
  });

  test("names everything that is missing", () => {
    const empty = { username: " ", password: "", confirm: "x", email: "", code: " " };
    expect<object>(checkRegisterForm(empty, true)).toEqual({
      username: "username_required",
      password: "password_length",
      confirm: "confirm",
      email: "email",
      code: "code",
    });
  });
});
