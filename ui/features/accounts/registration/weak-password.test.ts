import { describe, expect, test } from "bun:test";
import { isEasyToGuess } from "./weak-password.ts";

describe("a password", () => {
  test.each([
    "12345678",
    "87654321x",
    "P@ssw0rd1",
    "aaaaaaaa1",
    "abcdefgh1",
    "qwertyuiop",
    "Ferdinand9",
    "1qaz2wsx",
    "Sunshine1",
    "5201314aa",
    "5ummer24",
    "changeme!",
  ])("%p is easy to guess", (password) => expect(isEasyToGuess(password, "ferdinand")).toBe(true));

  test.each([
    "",
    "correct horse",
    "lock-keeper-9",
    "汉字也可以做密码",
    "x7!kQ2-pA",
    "rooted-oak-tree",
    "a test of locks",
  ])("%p is not", (password) => expect(isEasyToGuess(password, "ferdinand")).toBe(false));
});
