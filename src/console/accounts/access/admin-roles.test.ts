import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";

let app: TestConsole;
let root: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

const PATH = "/api/admin_role/";
type Role = { id: number; name: string; rights: string[]; users: number };

const create = async (name: string, rights: string[]): Promise<Role> => {
  const answer = await app.ask("POST", PATH, { name, rights }, root);
  if (!answer.body.success) throw new Error(answer.text);
  return answer.body.data as Role;
};
const assign = (userId: number, roleId: number, by = root) =>
  app.ask("PUT", `${PATH}users/${userId}`, { role_id: roleId }, by);
/** A person with a custom role of these rights, signed in. */
const holder = async (name: string, rights: string[]) => {
  const [id, role] = [await app.addUser(name), await create(`role of ${name}`, rights)];
  expect((await assign(id, role.id)).body).toMatchObject({ success: true });
  return { id, role, headers: await app.login(name) };
};

describe("a custom role", () => {
  test("opens what its rights say, names what is missing, and leaves the rest of the site as for users", async () => {
    const { headers } = await holder("reader", ["users:read"]);
    const list = await app.ask("GET", "/api/user/", undefined, headers);
    expect(list.body).toMatchObject({ success: true });
    const denied = await app.ask("POST", "/api/user/", { username: "x", password: "long enough" }, headers);
    expect([denied.status, denied.body.code]).toEqual([403, "right_missing"]);
    expect(denied.body.message).toContain("users:write");
    const self = await app.ask("GET", "/api/user/self", undefined, headers);
    expect(self.body.data).toMatchObject({ role: 1, admin_role: "role of reader", rights: ["users:read"] });
    expect((await app.ask("GET", PATH, undefined, headers)).body.code).toBe("permission_denied");
  });

  test("acts as an administrator: it reaches users, and neither administrators, nor people with a role, nor itself", async () => {
    const { id, headers } = await holder("manager", ["users:read", "users:write"]);
    const other = await holder("other", ["settings:write"]);
    const admin = await app.addUser("an-admin", "admin");
    for (const target of [admin, other.id, id]) {
      for (const [method, path, body] of [
        ["POST", "/api/user/manage", { id: target, action: "disable" }],
        ["PUT", "/api/user/", { id: target, password: "another password" }],
        ["PUT", "/api/user/", { id: target, quota_delta: 500_000 }],
        ["DELETE", `/api/user/${target}/second_factor`, undefined],
      ] as const) {
        const answer = await app.ask(method, path, body, headers);
        expect([path, answer.body.success]).toEqual([path, false]);
      }
    }
    const ordinary = await app.addUser("ordinary");
    const manage = (action: string) => app.ask("POST", "/api/user/manage", { id: ordinary, action }, headers);
    expect((await manage("promote")).body.code).toBe("only_root_promotes");
    expect((await manage("disable")).body.success).toBe(true);
    // Administrators don't reach them either: their password would open rights that an administrator lacks.
    const byAdmin = await app.ask(
      "PUT",
      "/api/user/",
      { id: other.id, password: "another password" },
      await app.login("an-admin"),
    );
    expect(byAdmin.body.code).toBe("user_out_of_reach");
  });

  test("opens routes of super administrators that a right names", async () => {
    const { headers } = await holder("operator", ["settings:read"]);
    expect((await app.ask("GET", "/api/option/", undefined, headers)).body.success).toBe(true);
    const denied = await app.ask("PUT", "/api/option/", { key: "SystemName", value: "x" }, headers);
    expect([denied.status, denied.body.code]).toEqual([403, "right_missing"]);
    expect((await app.ask("GET", "/api/service_account/", undefined, headers)).body.code).toBe("permission_denied");
    expect((await app.ask("GET", "/api/identity_provider/", undefined, headers)).body.code).toBe("permission_denied");
  });

  test("is granted, changed and revoked at once, and signs the person out", async () => {
    const { id, role, headers } = await holder("changing", ["users:read"]);
    const list = async (by: Record<string, string>) => (await app.ask("GET", "/api/user/", undefined, by)).status;
    expect(await list(headers)).toBe(200);
    await app.ask("PUT", `${PATH}${role.id}`, { name: "renamed", rights: ["users:read"] }, root);
    expect(await list(headers)).toBe(200);
    await app.ask("PUT", `${PATH}${role.id}`, { name: "renamed", rights: ["audit:read"] }, root);
    expect(await list(headers)).toBe(401);
    expect(await list(await app.login("changing"))).toBe(403);
    expect((await app.ask("DELETE", `${PATH}${role.id}`, undefined, root)).body.code).toBe("admin_role_in_use");
    expect((await assign(id, 0)).body.success).toBe(true);
    expect((await app.ask("GET", "/api/user/", undefined, await app.login("changing"))).body.code).toBe(
      "permission_denied",
    );
    expect((await app.ask("DELETE", `${PATH}${role.id}`, undefined, root)).body.success).toBe(true);
    const notes = (await app.db.select().from(logs).where(eq(logs.type, 3))).map(({ content }) => content);
    expect(notes).toContainEqual(expect.stringContaining(`Took the role renamed from changing (#${id})`));
  });

  test("ends with a promotion and with the account", async () => {
    const [promoted, deleted] = [await holder("rising", ["users:read"]), await holder("leaving", ["users:read"])];
    await app.ask("POST", "/api/user/manage", { id: promoted.id, action: "promote" }, root);
    await app.ask("POST", "/api/user/manage", { id: deleted.id, action: "delete" }, root);
    for (const { id } of [promoted, deleted]) {
      const [row] = await app.db.select().from(users).where(eq(users.id, id));
      expect(row?.adminRoleId).toBeNull();
    }
    expect((await assign(promoted.id, deleted.role.id)).body.code).toBe("admin_role_for_users_only");
    expect((await assign(deleted.id, deleted.role.id)).body.code).toBe("user_not_found");
  });
});

describe("roles", () => {
  test("are changed and granted by super administrators alone", async () => {
    await app.addUser("admin-3", "admin");
    const everything = await holder("everything", ["users:write", "settings:write", "audit:read"]);
    for (const by of [await app.login("admin-3"), everything.headers]) {
      for (const answer of [
        await app.ask("POST", PATH, { name: "mine", rights: ["users:read"] }, by),
        await app.ask("PUT", `${PATH}${everything.role.id}`, { name: "mine", rights: ["users:read"] }, by),
        await app.ask("DELETE", `${PATH}${everything.role.id}`, undefined, by),
        await assign(everything.id, everything.role.id, by),
      ]) {
        expect(answer.body.code).toBe("permission_denied");
      }
    }
  });

  test.each([
    [{ name: " ", rights: ["users:read"] }, "admin_role_name"],
    [{ name: "x".repeat(41), rights: ["users:read"] }, "admin_role_name"],
    [{ name: "no rights", rights: [] }, "rights_required"],
    [{ name: "unknown", rights: ["users:fly"] }, "right_unknown"],
    [{ name: "organizations", rights: ["organizations:read"] }, "right_unknown"],
    [{ name: "TAKEN", rights: ["users:read"] }, "admin_role_name_taken"],
  ])("%j is refused", async (body, code) => {
    await app.ask("POST", PATH, { name: "taken", rights: ["users:read"] }, root);
    expect((await app.ask("POST", PATH, body, root)).body.code).toBe(code);
  });

  test("that do not exist are neither changed nor granted", async () => {
    const id = await app.addUser("nobody");
    expect((await assign(id, 999_999)).body.code).toBe("admin_role_not_found");
    const body = { name: "x", rights: ["users:read"] };
    expect((await app.ask("PUT", `${PATH}999999`, body, root)).body.code).toBe("admin_role_not_found");
  });
});
