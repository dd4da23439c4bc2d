import { expect, test } from "bun:test";
import { isAdminPage, isConsolePage } from "./nav.ts";

test("drawers belong to their page, the page for a new password does not", () => {
  expect(["/user", "/user/edit/7", "/channel/add"].map(isAdminPage)).toEqual([true, true, true]);
  expect(["/user/reset", "/user/reset/", "/users"].map(isConsolePage)).toEqual([false, false, false]);
});
