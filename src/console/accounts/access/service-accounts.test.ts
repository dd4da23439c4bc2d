import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { serviceAccounts } from "../../../../db/schema/accounts/access/service-accounts.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { nowSeconds } from "../../../lib/clock.ts";

let app: TestConsole;
let root: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

const PATH = "/api/service_account/";
type Created = { id: number; name: string; token: string };

const create = async (name: string, rights: string[], expires = 0): Promise<Created> => {
  const answer = await app.ask("POST", PATH, { name, rights, expires_time: expires }, root);
  if (!answer.body.success) throw new Error(answer.text);
  return answer.body.data as Created;
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("the token", () => {
  test("is shown once, stored as a hash, and opens what its rights say", async () => {
    const { id, token } = await create("reader", ["users:read"]);
    expect(token).toMatch(/^sluice_sa_[\w-]{43}$/);
    const [row] = await app.db.select().from(serviceAccounts).where(eq(serviceAccounts.userId, id));
    expect(JSON.stringify(row)).not.toContain(token.slice(10));
    expect((await app.ask("GET", PATH, undefined, root)).text).not.toContain(token.slice(10));
    expect((await app.ask("GET", "/api/user/", undefined, bearer(token))).body).toMatchObject({ success: true });
    const denied = await app.ask("POST", "/api/user/", { username: "x", password: "long enough" }, bearer(token));
    expect([denied.status, denied.body.code]).toEqual([403, "right_missing"]);
    expect(denied.body.message).toContain("users:write");
  });

  test("is refused after it expired, was replaced, or its account was deleted", async () => {
    const { id, token } = await create("changing", ["users:read"], nowSeconds() + 3600);
    const status = async (text = token) => (await app.ask("GET", "/api/user/", undefined, bearer(text))).status;
    expect(await status()).toBe(200);
    await app.db.update(serviceAccounts).set({ expiresAt: nowSeconds() }).where(eq(serviceAccounts.userId, id));
    expect(await status()).toBe(401);
    await app.ask("PUT", `${PATH}${id}`, { rights: ["users:read"], expires_time: 0 }, root);
    expect(await status()).toBe(200);
    const rotated = (await app.ask("POST", `${PATH}${id}/rotate`, {}, root)).body.data as Created;
    expect([await status(), await status(rotated.token)]).toEqual([401, 200]);
    await app.ask("DELETE", `${PATH}${id}`, {}, root);
    expect(await status(rotated.token)).toBe(401);
    expect((await app.ask("POST", `${PATH}${id}/rotate`, {}, root)).body.code).toBe("service_account_not_found");
  });

  test.each(["sluice_sa_", "sluice_sa_wrong", `sluice_sa_${"A".repeat(43)}`])("%s opens nothing", async (token) => {
    const answer = await app.ask("GET", "/api/user/", undefined, bearer(token));
    expect([answer.status, answer.body.code]).toEqual([401, "service_token_invalid"]);
  });

  test("notes when it was last used", async () => {
    const { id, token } = await create("used", ["users:read"]);
    const used = async () =>
      ((await app.ask("GET", PATH, undefined, root)).body.data as { id: number; last_used_time: number }[]).find(
        (account) => account.id === id,
      )?.last_used_time;
    expect(await used()).toBe(0);
    await app.ask("GET", "/api/user/", undefined, bearer(token));
    expect(nowSeconds() - Number(await used())).toBeLessThan(60);
  });
});

describe("a service account", () => {
  test("is in the audit log by its name", async () => {
    const { id, token } = await create("terraform", ["users:write"]);
    const body = { username: "made", password: "long enough", display_name: "Made" };
    expect((await app.ask("POST", "/api/user/", body, bearer(token))).body).toMatchObject({ success: true });
    const [row] = await app.db.select().from(logs).where(eq(logs.userId, id));
    expect(row).toMatchObject({
      username: "terraform",
      type: 3,
      content: expect.stringContaining("Created user made"),
    });
  });

  test("reaches ordinary users, and neither administrators nor itself", async () => {
    const { id, token } = await create("manager", ["users:read", "users:write"]);
    const admin = await app.addUser("an-admin", "admin");
    for (const [target, code] of [
      [admin, "user_out_of_reach"],
      [id, "user_not_found"],
    ] as const) {
      const answer = await app.ask("POST", "/api/user/manage", { id: target, action: "disable" }, bearer(token));
      expect(answer.body.code).toBe(code);
    }
    const ordinary = await app.addUser("ordinary");
    const promoted = await app.ask("POST", "/api/user/manage", { id: ordinary, action: "promote" }, bearer(token));
    expect(promoted.body.code).toBe("only_root_promotes");
    expect((await app.ask("GET", "/api/user/", undefined, root)).text).not.toContain("manager");
  });

  test("has no personal pages, makes no service accounts, and signs in nowhere", async () => {
    const { token } = await create("everything", ["users:read", "users:write", "settings:read", "settings:write"]);
    for (const [method, path] of [
      ["GET", "/api/user/self"],
      ["GET", "/api/user/token"],
      ["GET", PATH],
      ["POST", PATH],
    ] as const) {
      const answer = await app.ask(method, path, method === "POST" ? {} : undefined, bearer(token));
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "service_account_not_here"]);
    }
    const login = await app.ask("POST", "/api/user/login", { username: "everything", password: token });
    expect(login.body.success).toBe(false);
  });

  test("needs a session of a super administrator to be created", async () => {
    await app.addUser("admin-2", "admin");
    const admin = await app.login("admin-2");
    const body = { name: "n", rights: ["users:read"], expires_time: 0 };
    expect((await app.ask("POST", PATH, body, admin)).body.code).toBe("permission_denied");
    const token = String((await app.ask("GET", "/api/user/token", undefined, root)).body.data);
    expect((await app.ask("POST", PATH, body, { authorization: token })).body.code).toBe("session_required");
  });

  test.each([
    [{ name: "a b" }, "service_account_name"],
    [{ name: "" }, "service_account_name"],
    [{ name: "x".repeat(41) }, "service_account_name"],
    [{ rights: [] }, "rights_required"],
    [{ rights: ["users:fly"] }, "right_unknown"],
    [{ expires_time: 1 }, "service_account_expiry_past"],
    [{ name: "root" }, "username_taken"],
  ])("%j is refused with %s", async (change, code) => {
    const body = { name: "fine", rights: ["users:read"], expires_time: 0, ...change };
    expect((await app.ask("POST", PATH, body, root)).body.code).toBe(code);
  });
});
