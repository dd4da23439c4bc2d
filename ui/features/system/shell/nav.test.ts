import { expect, test } from "bun:test";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { entriesOf, homeOf, isConsolePage, isForbiddenPage, isSiderPage, navFor } from "./nav.ts";

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
  expect(adminPaths(1, ["audit:read", "settings:read"])).toEqual(["/exports", "/audit", "/notice", "/setting"]);
  const auditor = { ...user, rights: ["audit:read" as const] };
  expect(
    ["/audit", "/user", "/alerts", "/admin-roles", "/token"].map((path) => isForbiddenPage(auditor, path)),
  ).toEqual([false, true, true, true, false]);
  expect(adminPaths(10)).not.toContain("/setting");
  expect(adminPaths(100)).toContain("/admin-roles");
});

const everything = {
  enable_data_export: true,
  enable_drawing: true,
  enable_task: true,
  organizations: "on",
  provider_keys: true,
  mcp_sign_ins: true,
} as const;
const entriesFor = (role: number) => navFor({ ...user, role }, everything).flatMap(({ items }) => entriesOf(items));

test("a user has nine entries at most, whoever administrates the site sixteen: a group counts as one", () => {
  expect(entriesFor(1).length).toBeLessThanOrEqual(9);
  expect(entriesFor(100).length).toBeLessThanOrEqual(16);
});

test("a group of one page is that page, and no page is lost in a group", () => {
  const groups = entriesFor(100).filter(({ group }) => group);
  expect(groups.map(({ group }) => group).join()).toBe(
    "connections,logs,models,quality,access,billing,monitoring,system",
  );
  expect(groups.every(({ items }) => items.length > 1)).toBe(true);
  const shown = entriesFor(100).flatMap(({ items }) => items.map(({ path }) => path));
  expect(new Set(shown).size).toBe(shown.length);
  const auditor = navFor({ ...user, rights: ["audit:read"] }, undefined).find(({ key }) => key === "admin");
  expect(entriesOf(auditor?.items ?? [])).toEqual([{ items: [expect.objectContaining({ path: "/audit" })] }]);
});

test("administrators begin with what the site does, others with their keys", () => {
  expect([
    homeOf({ ...user, role: 100 }, everything),
    homeOf({ ...user, role: 10 }, everything),
    homeOf(user, everything),
    homeOf(null, everything),
  ]).toEqual(["/detail", "/detail", "/token", "/token"]);
  expect(homeOf({ ...user, role: 100 }, undefined)).toBe("/token");
});
