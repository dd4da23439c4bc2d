import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestConsole, type TestConsole } from "./testing.ts";

let app: TestConsole;
const ids: Record<string, number> = {};
const headers: Record<string, Record<string, string>> = {};
beforeAll(async () => {
  app = await startTestConsole();
  const people = { user: "user", user2: "user", admin: "admin", admin2: "admin", root: "root" } as const;
  for (const [name, role] of Object.entries(people)) {
    ids[name] = await app.addUser(name, role);
    headers[name] = await app.login(name);
  }
});
afterAll(() => app.close());

const manage = (actor: string, target: string, action: string) =>
  app.ask("POST", "/api/user/manage", { id: ids[target], action }, headers[actor]);

describe("user administration", () => {
  test.each([
    ["admin", "admin2", "disable", "user_out_of_reach"],
    ["admin", "root", "demote", "user_out_of_reach"],
    ["admin", "admin", "demote", "user_out_of_reach"],
    ["admin", "user", "promote", "only_root_promotes"],
    ["root", "root", "disable", "root_cannot_be_disabled"],
    ["root", "root", "demote", "root_cannot_be_demoted"],
    ["root", "root", "delete", "root_cannot_be_deleted"],
    ["root", "user", "demote", "already_ordinary"],
    ["root", "admin", "promote", "already_admin"],
    ["admin", "user", "crown", "unknown_user_action"],
    ["user", "user2", "disable", "permission_denied"],
  ])("%s cannot make %s %s", async (actor, target, action, code) => {
    expect((await manage(actor, target, action)).body).toMatchObject({ success: false, code });
  });

  test("promote, demote, disable, enable and delete answer role and status", async () => {
    expect((await manage("root", "user2", "promote")).body.data).toEqual({ role: 10, status: 1 });
    expect((await manage("root", "user2", "demote")).body.data).toEqual({ role: 1, status: 1 });
    expect((await manage("admin", "user2", "disable")).body.data).toEqual({ role: 1, status: 2 });
    expect((await manage("admin", "user2", "enable")).body.data).toEqual({ role: 1, status: 1 });
    expect((await manage("admin", "user2", "delete")).body.success).toBe(true);
    expect((await manage("admin", "user2", "enable")).body.code).toBe("user_not_found");
  });

  test("admins see users below them, without secrets", async () => {
    const seen = await app.ask("GET", `/api/user/${ids.user}`, undefined, headers.admin);
    expect(seen.body.data).toMatchObject({
      username: "user",
      quota: 0,
      used_quota: 0,
      request_count: 0,
      access_token: "",
    });
    const refused = await app.ask("GET", `/api/user/${ids.admin2}`, undefined, headers.admin);
    expect(refused.body.code).toBe("user_out_of_reach");
    expect((await app.ask("GET", `/api/user/${ids.admin}`, undefined, headers.admin)).body.success).toBe(true);
    expect((await app.ask("GET", "/api/user/99999", undefined, headers.root)).body.code).toBe("user_not_found");
  });
});
