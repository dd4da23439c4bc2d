import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { resetPassword } from "../../../domain/accounts/security/reset-by-email.ts";

let app: TestConsole;
beforeAll(async () => {
  app = await startTestConsole();
});
afterAll(() => app.close());

const rowOf = async (id: number) => (await app.db.select().from(users).where(eq(users.id, id)))[0];

describe("own account", () => {
  test("shows every field of the family and no secret", async () => {
    const id = await app.addUser("alice");
    await app.db.insert(identities).values({ provider: "github", subject: "4711", userId: id, createdAt: 1 });
    const { body, text } = await app.ask("GET", "/api/user/self", undefined, await app.login("alice"));
    expect(body.data).toMatchObject({
      id,
      username: "alice",
      password: "",
      access_token: "",
      verification_code: "",
      github_id: "4711",
      oidc_id: "",
      group: "default",
      quota: 0,
      used_quota: 0,
      request_count: 0,
      inviter_id: 0,
      DeletedAt: null,
      last_check_in_time: null,
      aff_code_modified: false,
    });
    expect((body.data as { aff_code: string }).aff_code).toMatch(/^\w{4}$/);
    expect(text).not.toContain("argon2");
  });

  test("nobody can raise themselves by naming a field", async () => {
    const id = await app.addUser("mallory");
    const headers = await app.login("mallory");
    const answer = await app.ask(
      "PUT",
      "/api/user/self",
      { id: 1, display_name: "Mal", role: 100, quota: 10 ** 9, group: "vip", status: 1, session_version: 9 },
      headers,
    );
    expect(answer.body.success).toBe(true);
    expect(await rowOf(id)).toMatchObject({
      displayName: "Mal",
      role: 1,
      quota: 0,
      group: "default",
      sessionVersion: 1,
    });
    expect((await app.ask("PUT", "/api/user/self", { username: "root" }, headers)).body.code).toBe("username_fixed");
    const long = await app.ask("PUT", "/api/user/self", { display_name: "x".repeat(21) }, headers);
    expect(long.body.code).toBe("display_name_too_long");
  });

  test("an imported user's long display name may come back as it is, and no new one", async () => {
    const id = await app.addUser("imported");
    const displayName = "A name of more than twenty characters";
    await app.db.update(users).set({ displayName }).where(eq(users.id, id));
    await app.changes.publish("users", [id]);
    const headers = await app.login("imported");
    const save = async (name: string) =>
      (await app.ask("PUT", "/api/user/self", { username: "imported", display_name: name }, headers)).body;
    expect(await save(displayName)).toMatchObject({ success: true });
    expect(await save(`${displayName}!`)).toMatchObject({ code: "display_name_too_long" });
    expect(await rowOf(id)).toMatchObject({ displayName });
  });

  test("a password change needs the present one and ends the other sessions, not this one", async () => {
    await app.addUser("paula");
    const here = await app.login("paula");
    const there = await app.login("paula");
    const change = (original: string, password: string) =>
      app.ask("PUT", "/api/user/self", { original_password: original, password }, here);
    expect((await change("", "new password")).body.code).toBe("original_password_required");
    expect((await change("wrong one", "new password")).body.code).toBe("original_password_wrong");
    expect((await change(TEST_PASSWORD, TEST_PASSWORD)).body.code).toBe("password_unchanged");
    expect((await change(TEST_PASSWORD, "short")).body.code).toBe("password_length");
    expect((await app.ask("GET", "/api/user/self", undefined, there)).status).toBe(200);

    expect((await change(TEST_PASSWORD, "new password")).body.success).toBe(true);
    expect((await app.ask("GET", "/api/user/self", undefined, here)).status).toBe(200);
    expect((await app.ask("GET", "/api/user/self", undefined, there)).status).toBe(401);
    await app.login("paula", "new password");
    expect(app.login("paula", TEST_PASSWORD)).rejects.toThrow("login_failed");
  });

  test("guessing the present password with a stolen session is throttled", async () => {
    await app.addUser("quinn");
    const headers = await app.login("quinn");
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        app.ask("PUT", "/api/user/self", { original_password: `guess ${index}`, password: "new password" }, headers),
      ),
    );
    expect(tries.filter((answer) => answer.status === 429)).toHaveLength(2);
  });

  test("the command line's reset gives a new password and ends everything else", async () => {
    const id = await app.addUser("rita");
    const session = await app.login("rita");
    const token = String((await app.ask("GET", "/api/user/token", undefined, session)).body.data);
    const password = await resetPassword(app, "rita");
    expect((await app.ask("GET", "/api/user/self", undefined, session)).status).toBe(401);
    expect((await app.ask("GET", "/api/user/self", undefined, { authorization: token })).status).toBe(401);
    expect((await app.login("rita", password))["Sluice-User"]).toBe(String(id));
    expect(resetPassword(app, "nobody")).rejects.toThrow("there is no user named nobody");
  });

  test("deregistering removes what is personal, for good; a super admin stays", async () => {
    const id = await app.addUser("zoe");
    const headers = await app.login("zoe");
    await app.db.update(users).set({ email: "zoe@example.com" }).where(eq(users.id, id));
    const token = String((await app.ask("GET", "/api/user/token", undefined, headers)).body.data);
    const remove = (body: object | undefined, by = headers) => app.ask("DELETE", "/api/user/self", body, by);
    expect((await remove({ username: "zoe" }, { authorization: token })).body.code).toBe("session_required");
    for (const body of [undefined, {}, { username: "" }, { username: "Zoe" }]) {
      expect((await remove(body)).body.code).toBe("account_name_mismatch");
    }
    expect((await remove({ username: "zoe" })).body.success).toBe(true);
    expect(
      (
        await app.ask("GET", "/api/user/self", undefined, {
          authorization: token,
        })
      ).status,
    ).toBe(401);
    expect((await app.ask("GET", "/api/user/self", undefined, headers)).status).toBe(401);
    expect(await rowOf(id)).toMatchObject({ username: "zoe", email: null, passwordHash: null, displayName: "" });
    expect(app.login("zoe")).rejects.toThrow("login_failed");
    expect(app.addUser("zoe")).rejects.toThrow("username_taken");

    await app.addUser("king", "root");
    const refused = await app.ask("DELETE", "/api/user/self?username=king", undefined, await app.login("king"));
    expect(refused.body.code).toBe("root_cannot_be_deleted");
  });
});

describe("own settings", () => {
  let headers: Record<string, string>;
  let id: number;
  const save = (body: Record<string, unknown>) => app.ask("PUT", "/api/user/setting", body, headers);
  const shown = async () => {
    const self = (await app.ask("GET", "/api/user/self", undefined, headers)).body.data as { setting: string };
    return JSON.parse(self.setting) as Record<string, unknown>;
  };
  beforeAll(async () => {
    id = await app.addUser("sam");
    headers = await app.login("sam");
  });

  test.each([
    [{ notify_type: "pigeon" }, "notify_type_invalid"],
    [{ notify_type: "email", quota_warning_threshold: 0 }, "notify_threshold_invalid"],
    [{ notify_type: "webhook" }, "webhook_url_required"],
    [{ notify_type: "webhook", webhook_url: "http://hook.example.com" }, "webhook_url_invalid"],
    [{ notify_type: "webhook", webhook_url: "not an address" }, "webhook_url_invalid"],
    [{ notify_type: "email", notification_email: "nobody" }, "notification_email_invalid"],
  ])("%p is refused: %s", async (body, code) => expect((await save(body)).body.code).toBe(code));

  test("the webhook's secret is kept encrypted, never shown, and stays until it is cleared", async () => {
    const webhook = {
      notify_type: "webhook",
      webhook_url: "https://hook.example.com/x",
      quota_warning_threshold: 5000,
    };
    expect((await save({ ...webhook, webhook_secret: "hush" })).body.message).toBe("Settings saved");
    expect(await shown()).toMatchObject({ ...webhook, webhook_secret: "", webhook_secret_set: true });
    const stored = String((await rowOf(id))?.setting.webhook_secret);
    expect(app.vault.decrypt(stored)).toBe("hush");
    await save({ ...webhook, quota_warning_threshold: 7000 });
    expect(await shown()).toMatchObject({ quota_warning_threshold: 7000, webhook_secret_set: true });
    // As it was read.
    await save({ ...webhook, webhook_secret: "" });
    expect(await shown()).toMatchObject({ webhook_secret_set: true });
    await save({ ...webhook, webhook_secret: null });
    expect(await shown()).toMatchObject({ webhook_secret_set: false });
  });

  test("accepting models without a price is known to the relay at once", async () => {
    expect(app.users.get(id)?.acceptUnsetPrice).toBe(false);
    await save({ accept_unset_model_ratio_model: true });
    expect(app.users.get(id)?.acceptUnsetPrice).toBe(true);
    expect(await shown()).toMatchObject({ notify_type: "webhook", accept_unset_model_ratio_model: true });
  });
});

describe("groups and models", () => {
  test("users see the shared groups and their own, and the models behind them", async () => {
    const id = await app.addUser("gina");
    await app.settings.set("GroupRatio", '{"default": 1, "inner": 0.5}');
    await app.db.update(users).set({ group: "inner" }).where(eq(users.id, id));
    await app.changes.publish("users", [id]);
    const gina = await app.login("gina");
    const own = await app.ask("GET", "/api/user/self/groups", undefined, gina);
    expect(own.body.data).toEqual({
      default: { ratio: 1, desc: "Default group" },
      inner: { ratio: 0.5, desc: "inner" },
    });
    expect((await app.ask("GET", "/api/user/groups")).body.data).toEqual({
      default: { ratio: 1, desc: "Default group" },
    });
    expect((await app.ask("GET", "/api/user/models", undefined, gina)).body.data).toEqual(["gpt-4o", "x/gpt-4o"]);
  });
});
