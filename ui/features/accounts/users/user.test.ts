import { describe, expect, test } from "bun:test";
import type { StoredUser } from "../../../state/stored-user.ts";
import { actionsFor, drawerOf, isInReach, type User } from "./user.ts";
import { bodyOf, changesOf, checkUserForm, formOf } from "./user-form.ts";

const user: User = {
  id: 7,
  kind: "person",
  username: "ann",
  password: "",
  display_name: "Ann",
  role: 1,
  admin_role_id: 0,
  admin_role: "",
  rights: [],
  status: 1,
  email: "",
  github_id: "",
  oidc_id: "",
  wechat_id: "",
  telegram_id: "",
  linux_do_id: "",
  discord_id: "",
  sso: [],
  verification_code: "",
  access_token: "",
  access_token_set: false,
  quota: 100,
  used_quota: 0,
  request_count: 0,
  group: "default",
  aff_code: "abcd",
  aff_code_modified: false,
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null,
  setting: "{}",
  last_check_in_time: null,
  note: "",
  max_concurrency: 0,
  requests_per_minute: 0,
  held_quota: 0,
  created_time: 0,
  last_login_time: 0,
};
const actor = (role: number): StoredUser => ({ ...user, id: 1, role });

describe("who may do what", () => {
  test.each([
    [1, 1, 10, ["disable", "delete"]],
    [1, 2, 10, ["enable", "delete"]],
    [1, 1, 100, ["promote", "disable", "delete"]],
    [10, 1, 100, ["demote", "disable", "delete"]],
    [10, 1, 10, []],
    [100, 1, 100, []],
  ])("role %p, status %p, by role %p", (role, status, by, expected) => {
    expect(actionsFor({ ...user, role, status }, actor(by))).toEqual(expected as never);
  });

  test("nobody acts on who is deregistered", () => {
    expect(isInReach({ ...user, DeletedAt: "2026-01-01T00:00:00Z" }, actor(100))).toBe(false);
    expect(isInReach({ ...user, role: 100 }, actor(100))).toBe(true);
    expect(isInReach(user, null)).toBe(false);
  });
});

describe("the form", () => {
  test("only what was touched is sent", () => {
    const form = formOf(user);
    expect(changesOf(form, form)).toEqual({});
    expect(changesOf(form, { ...form, group: "vip", maxConcurrency: "3", password: "long enough" })).toEqual({
      group: "vip",
      max_concurrency: 3,
      password: "long enough",
    });
  });

  test("a new user needs name and password", () => {
    const empty = formOf(null);
    expect<object>(checkUserForm(empty, null)).toEqual({ username: "username_required", password: "password_length" });
    expect<object>(checkUserForm({ ...empty, username: "a", password: "long enough" }, null)).toEqual({});
    expect(bodyOf({ ...empty, username: " a ", password: "long enough" })).toEqual({
      username: "a",
      password: "long enough",
      display_name: "",
    });
  });

  test("each field has its fault", () => {
    const bad = { username: "n".repeat(13), displayName: "n".repeat(21), password: "short", perMinute: "x" };
    expect<object>(checkUserForm({ ...formOf(user), ...bad }, formOf(user))).toEqual({
      username: "username_too_long",
      displayName: "display_name_too_long",
      password: "password_length",
      perMinute: "user_limit_invalid",
    });
  });
});

test("names of imported users may stay longer than new ones", () => {
  const long = { username: "n".repeat(13), displayName: "n".repeat(21) };
  const stored = { ...formOf(user), ...long };
  expect<object>(checkUserForm({ ...stored, group: "vip" }, stored)).toEqual({});
  const renamed = { ...stored, username: "m".repeat(13), displayName: "m".repeat(21) };
  expect<object>(checkUserForm(renamed, stored)).toEqual({
    username: "username_too_long",
    displayName: "display_name_too_long",
  });
});

test("drawers have addresses", () => {
  expect([drawerOf("/user/add"), drawerOf("/user/edit/7/"), drawerOf("/user")]).toEqual([
    { id: null },
    { id: 7 },
    null,
  ]);
});
