import { expect, test } from "bun:test";
import { safeReturnTo } from "./login-redirect.ts";

test.each(["/log?type=2#top", "/channel", "/token"])("%s is a page of ours", (path) =>
  expect(safeReturnTo(path)).toBe(path),
);

test.each([
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "javascript:alert(1)",
  "/login?returnTo=/x",
  "",
  undefined,
  "token",
  "/\t/evil.example",
  "/.//evil.example",
])("%p leads to the default page", (path) => expect(safeReturnTo(path)).toBe("/console"));
