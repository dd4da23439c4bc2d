import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";

let app: TestConsole;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("alice");
  await app.addUser("boss", "root");
});
afterAll(() => app.close());

const login = (username: string, password: string, headers = {}) =>
  app.ask("POST", "/api/user/login", { username, password }, headers);

describe("login", () => {
  test("unknown user and wrong password get the same error", async () => {
    const unknown = await login("nobody", "whatever!");
    const wrong = await login("alice", "whatever!");
    expect(unknown.text).toBe(wrong.text);
    expect(wrong).toMatchObject({ status: 200, body: { success: false, code: "login_failed" } });
    expect(wrong.headers.get("set-cookie")).toBeNull();
    expect((await login("alice", "whatever!", { "accept-language": "zh" })).body.message).toContain("密码错误");
  });

  test("over https the cookie says so", async () => {
    const body = { username: "alice", password: TEST_PASSWORD };
    const answer = await app.ask("POST", "https://gateway.test/api/user/login", body);
    const cookies = answer.headers.getSetCookie();
    expect(cookies.filter((text) => text.endsWith("; Secure"))).toHaveLength(cookies.length);
  });

  test("the language that somebody signs in with is that of their notices; programs without one change nothing", async () => {
    const id = await app.addUser("lin");
    const settingOf = async () => (await app.db.select().from(users).where(eq(users.id, id)))[0]?.setting;
    await app.db
      .update(users)
      .set({ setting: { notify_type: "email" } })
      .where(eq(users.id, id));
    await login("lin", TEST_PASSWORD, { "accept-language": "zh-CN,zh;q=0.9" });
    expect(await settingOf()).toEqual({ notify_type: "email", language: "zh" });
    await login("lin", TEST_PASSWORD);
    expect(await settingOf()).toMatchObject({ language: "zh" });
    await login("lin", "wrong password", { "accept-language": "en" });
    expect(await settingOf()).toMatchObject({ language: "zh" });
    await login("lin", TEST_PASSWORD, { "accept-language": "en" });
    expect(await settingOf()).toMatchObject({ language: "en" });
  });

  test("empty fields are required", async () => {
    expect((await login(" ", TEST_PASSWORD)).body.code).toBe("login_required_fields");
  });

  test("by a username in any case, unless two accounts of an earlier version have it", async () => {
    const one = await app.addUser("Frieda");
    expect((await login("FRIEDA", TEST_PASSWORD)).body.data).toMatchObject({ id: one, username: "Frieda" });
    const two = await app.addUser("twin");
    await app.db.update(users).set({ username: "frieda" }).where(eq(users.id, two));
    expect((await login("FRIEDA", TEST_PASSWORD)).body.code).toBe("login_failed");
    expect((await login("frieda", TEST_PASSWORD)).body.data).toMatchObject({ id: two });
    expect((await login("Frieda", TEST_PASSWORD)).body.data).toMatchObject({ id: one });
  });

  test("by e-mail, unless two accounts have it", async () => {
    const one = await app.addUser("dora");
    const two = await app.addUser("emil");
    await app.db.update(users).set({ email: "Dora@Example.com" }).where(eq(users.id, one));
    expect((await login("dora@example.com", TEST_PASSWORD)).body.data).toMatchObject({ username: "dora" });
    await app.db.update(users).set({ email: "dora@example.com" }).where(eq(users.id, two));
    expect((await login("dora@example.com", TEST_PASSWORD)).body.code).toBe("login_failed");
  });

  test("an imported bcrypt hash works once more and is replaced", async () => {
    const id = await app.addUser("frank");
    const hash = await Bun.password.hash("old password", { algorithm: "bcrypt", cost: 4 });
    await app.db.update(users).set({ passwordHash: hash }).where(eq(users.id, id));
    expect((await login("frank", "old password")).body.success).toBe(true);
    const [row] = await app.db.select().from(users).where(eq(users.id, id));
    expect(row?.passwordHash).toStartWith("$argon2id$");
    expect((await login("frank", "old password")).body.success).toBe(true);
  });

  test("a password counts exactly as it was sent, of whatever characters, and for as long as nobody changes it", async () => {
    for (const [index, password] of [" Two Spaces ", "aaaaaaaa", "12345678", "密码密码密码🔑🔑"].entries()) {
      const username = `exact${index}`;
      const joined = await app.ask("POST", "/api/user/register", { username, password, password2: password });
      expect(joined.body.success).toBe(true);
      const others = [password.trim(), password.toUpperCase(), password.slice(0, -1), `${password} `];
      for (const other of others.filter((text) => text !== password)) {
        expect((await login(username, other)).body.code).toBe("login_failed");
      }
      await app.db.update(users).set({ createdAt: 1, lastLoginAt: 1 }).where(eq(users.username, username));
      expect((await login(username, password)).body.success).toBe(true);
    }
  });

  test("with password login off, only super admins get in", async () => {
    await app.settings.set("PasswordLoginEnabled", "false");
    expect((await login("alice", TEST_PASSWORD)).body.code).toBe("password_login_disabled");
    expect((await login("alice", "wrong")).body.code).toBe("login_failed");
    expect((await login("boss", TEST_PASSWORD)).body.success).toBe(true);
    await app.settings.set("PasswordLoginEnabled", "true");
  });

  test("after ten wrong tries an unknown device waits, while a device that signed in before does not", async () => {
    await app.addUser("victim");
    const known = await login("victim", TEST_PASSWORD);
    const device = known.headers.getSetCookie().find((text) => text.startsWith("device-"));
    expect(device).toMatch(/^device-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/);
    const tries = await Promise.all(Array.from({ length: 14 }, () => login("victim", "wrong")));
    expect(tries.filter((answer) => answer.status === 429)).toHaveLength(4);
    const throttled = await login("VICTIM", TEST_PASSWORD);
    expect(throttled).toMatchObject({ status: 429, body: { success: false, code: "login_throttled" } });
    expect(Number(throttled.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await login("alice", TEST_PASSWORD)).body.success).toBe(true);
    const cookie = device?.split(";")[0] ?? "";
    const again = await login("VICTIM", TEST_PASSWORD, { cookie });
    expect(again.body.success).toBe(true);
    expect(again.headers.getSetCookie().some((text) => text.startsWith(`${cookie};`))).toBe(true);
    const planted = cookie.replace(/=.*/, `=${"a".repeat(43)}`);
    expect((await login("victim", TEST_PASSWORD, { cookie: planted })).status).toBe(429);
  });
});
