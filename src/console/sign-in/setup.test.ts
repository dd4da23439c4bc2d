import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { users } from "../../../db/schema/accounts/users.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { createSetup } from "../../domain/accounts/registration/setup.ts";

const request = (changes: Record<string, unknown> = {}) => ({
  username: "root",
  password: "first password",
  confirmPassword: "first password",
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
  ...changes,
});

describe("set-up", () => {
  let database: TestDatabase;
  let app: TestConsole;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  beforeEach(async () => {
    await database.sql`truncate users, setups, options restart identity cascade`;
    app = await startTestConsole(database);
  });
  afterEach(() => app.close());
  afterAll(() => database.close());

  test("a new gateway is set up once; then its super admin can log in", async () => {
    expect((await app.ask("GET", "/api/setup")).body.data).toEqual({
      status: false,
      root_init: false,
      database_type: "embedded",
    });
    expect((await app.ask("GET", "/api/status")).body.data).toMatchObject({ setup: false });
    const answer = await app.ask("POST", "/api/setup", request({ SelfUseModeEnabled: true }));
    expect(answer).toMatchObject({ status: 200, body: { success: true } });

    expect((await app.ask("GET", "/api/setup/")).body.data).toEqual({
      status: true,
      root_init: false,
      database_type: "",
    });
    expect((await app.ask("GET", "/api/status")).body.data).toMatchObject({ setup: true, self_use_mode_enabled: true });
    const root = await app.login("root", "first password");
    const self = await app.ask("GET", "/api/user/self", undefined, root);
    expect(self.body.data).toMatchObject({ role: 100, quota: 100_000_000, display_name: "Root User" });
    expect(await app.ask("POST", "/api/setup", request())).toMatchObject({
      status: 400,
      body: { code: "setup_done_already" },
    });
  });

  test.each([
    ["a blank name", { username: "   " }, "username_required"],
    ["a name of 13 characters", { username: "一二三四五六七八九十一二三" }, "username_too_long"],
    ["a name with an @", { username: "a@b" }, "username_characters"],
    ["a short password", { password: "1234567", confirmPassword: "1234567" }, "password_length"],
    ["a password of 21 characters", { password: "x".repeat(21), confirmPassword: "x".repeat(21) }, "password_length"],
    ["different passwords", { confirmPassword: "another one" }, "setup_passwords_differ"],
    ["two usage modes", { SelfUseModeEnabled: true, DemoSiteEnabled: true }, "setup_modes_exclusive"],
  ])("%s is refused and nothing is stored", async (_, changes, code) => {
    expect(await app.ask("POST", "/api/setup", request(changes))).toMatchObject({
      status: 400,
      body: { success: false, code },
    });
    expect(await app.db.select().from(users)).toEqual([]);
    expect((await app.ask("GET", "/api/setup")).body.data).toMatchObject({ status: false });
  });

  test("characters are counted as people count them", async () => {
    const answer = await app.ask("POST", "/api/setup", request({ username: "管理员管理员管理员😀😀😀" }));
    expect(answer.status).toBe(200);
  });

  test("parallel posts make one super admin", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `root${index}`);
    const answers = await Promise.all(names.map((username) => app.ask("POST", "/api/setup", request({ username }))));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(await app.db.select().from(users)).toHaveLength(1);
  });

  test("a database that has a super admin counts as set up", async () => {
    await app.addUser("boss", "root");
    const { db, changes, vault } = app;
    const restarted = await createSetup({ db, changes, vault, version: "test" });
    expect(await restarted.isDone()).toBe(true);
    expect((await app.ask("POST", "/api/setup", request())).status).toBe(400);
  });

  test("another site's page cannot set the gateway up", async () => {
    const answer = await app.ask("POST", "/api/setup", request(), { origin: "https://evil.example" });
    expect(answer).toMatchObject({ status: 403, body: { code: "cross_site_refused" } });
  });
});
