import { expect, test } from "bun:test";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { CLOSED_AT_FIRST, groupsOf, isConsolePage, isForbiddenPage, isSiderPage, navFor } from "./nav.ts";

test("drawers belong to their page, the page for a new password does not", () => {
  const isForbidden = (path: string) => isForbiddenPage(null, path);
  expect(["/user", "/user/edit/7", "/channel/add"].map(isForbidden)).toEqual([true, true, true]);
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

const user = { id: 7, username: "ann", display_name: "", role: 1, status: 1, group: "default" };
const adminPaths = (role: number, rights: Right[] = []) =>
  navFor({ ...user, role, rights }, undefined).flatMap(({ isForAdmins, items }) =>
    isForAdmins ? items.map(({ path }) => path) : [],
  );

test("a custom role sees the pages of its rights, and no others", () => {
  expect(adminPaths(1)).toEqual([]);
  expect(adminPaths(1, ["audit:read", "settings:read"])).toEqual(["/audit", "/exports", "/notice", "/setting"]);
  const auditor = { ...user, rights: ["audit:read" as const] };
  expect(
    ["/audit", "/user", "/alerts", "/admin-roles", "/token"].map((path) => isForbiddenPage(auditor, path)),
  ).toEqual([false, true, true, true, false]);
  expect(adminPaths(10)).not.toContain("/setting");
  expect(adminPaths(100)).toContain("/admin-roles");
});

test("administrators begin with the pages of daily work, in groups that follow each other", () => {
  const admin = navFor({ ...user, role: 100 }, undefined).find(({ key }) => key === "admin");
  const groups = groupsOf(admin?.items ?? []);
  expect(groups.map(([group]) => group)).toEqual(["routing", "quality", "people", "access", "trust", "system"]);
  const open = groups.filter(([group]) => group && !CLOSED_AT_FIRST.includes(group)).flatMap(([, items]) => items);
  expect(open.length).toBeLessThanOrEqual(15);
});
