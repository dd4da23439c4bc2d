import { expect, test } from "bun:test";
import { hasSiderBeside, isAdminPage, isConsolePage } from "./nav.ts";

test("drawers belong to their page, the page for a new password does not", () => {
  expect(["/user", "/user/edit/7", "/channel/add"].map(isAdminPage)).toEqual([true, true, true]);
  expect(["/user/reset", "/user/reset/", "/users"].map(isConsolePage)).toEqual([false, false, false]);
});

test("the sider stands beside all pages but the home page, chats and ways in", () => {
  const beside = ["/token", "/pricing", "/about", "/log/some-request", "/no/such/page"];
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
  expect(beside.filter((path) => !hasSiderBeside(path))).toEqual([]);
  expect(alone.filter(hasSiderBeside)).toEqual([]);
});
