import { describe, expect, test } from "bun:test";
import { checkRegisterForm, checkSetupForm, type SetupForm, setupBody } from "./register-form.ts";

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

const good: SetupForm = {
  username: "root",
  password: "long-enough",
  confirm: "long-enough",
  address: "https://ai.example.com",
  mode: "external",
};

test("a good form has no errors", () => expect<object>(checkSetupForm(good)).toEqual({}));

test("the username must not be blank", () =>
  expect<object>(checkSetupForm({ ...good, username: "  " })).toEqual({ username: "username_required" }));

test("a username has at most 12 characters, also Chinese ones", () => {
  expect<object>(checkSetupForm({ ...good, username: "管".repeat(12) })).toEqual({});
  expect<object>(checkSetupForm({ ...good, username: "管".repeat(13) })).toEqual({ username: "username_too_long" });
});

test("the password has 8 to 20 characters", () => {
  expect<object>(checkSetupForm({ ...good, password: "short", confirm: "short" })).toEqual({
    password: "password_length",
  });
  const long = "x".repeat(21);
  expect<object>(checkSetupForm({ ...good, password: long, confirm: long })).toEqual({ password: "password_length" });
});

test("both passwords must match", () =>
  expect<object>(checkSetupForm({ ...good, confirm: "long-enouhg" })).toEqual({ confirm: "confirm" }));

test("the account is sent only when there is none yet", () => {
  expect(setupBody({ ...good, username: " root ", address: " https://ai.example.com ", mode: "self" }, false)).toEqual({
    username: "root",
    password: "long-enough",
    confirmPassword: "long-enough",
    SelfUseModeEnabled: true,
    DemoSiteEnabled: false,
    ServerAddress: "https://ai.example.com",
  });
  expect(setupBody({ ...good, mode: "demo" }, true)).toEqual({
    SelfUseModeEnabled: false,
    DemoSiteEnabled: true,
    ServerAddress: "https://ai.example.com",
  });
});
