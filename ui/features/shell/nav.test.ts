import { expect, test } from "bun:test";
import { isAdminPage, isConsolePage, isSiderPage } from "./nav.ts";

test("drawers belong to their page, the page for a new password does not", () => {
  expect(["/user", "/user/edit/7", "/channel/add"].map(isAdminPage)).toEqual([true, true, true]);
  expect(["/user/reset", "/user/reset/", "/users"].map(isConsolePage)).toEqual([false, false, false]);
});

test("all pages have the sidebar except home, chats and sign-in pages", () => {
  const withSider = ["/token", "/pricing", "/about", "/log/some-request", "/no/such/page"];
  const alone = [
    "/",
    "/setup",
    "/login",
    "/oauth/github",
    "/user/reset",
    "/user/reset/",
    "/chat",
    "/chat/1",
    "/chat2link",
  ];
  expect(withSider.filter((path) => !isSiderPage(path))).toEqual([]);
  expect(alone.filter(isSiderPage)).toEqual([]);
});
