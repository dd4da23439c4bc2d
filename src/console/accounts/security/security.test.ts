import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { desc, eq, sql } from "drizzle-orm";
import { TOTP } from "otpauth";
import { passkeys, recoveryCodes, signInFlows, totpSecrets } from "../../../../db/schema/accounts/sign-in.ts";
import { sessions, users } from "../../../../db/schema/accounts/users.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { createAuthenticator } from "../../../../test/support/console/authenticator.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { storeCode } from "../../../domain/accounts/registration/verification-codes.ts";
import { resetPassword } from "../../../domain/accounts/security/reset-by-email.ts";

type Headers = Record<string, string>;

let app: TestConsole;
beforeAll(async () => {
  app = await startTestConsole();
});
afterAll(() => app.close());

const cookieOf = (headers: globalThis.Headers) => headers.get("set-cookie")?.split(";")[0] ?? "";
/** The code of the time step that is `ahead` steps from now: the coming one is good should this half minute end meanwhile. */
const codeOf = (secret: string, ahead = 1) => new TOTP({ secret }).generate({ timestamp: Date.now() + ahead * 30_000 });
const post = (path: string, body: object, headers: Headers = {}) => app.ask("POST", `/api/user${path}`, body, headers);

/** Somebody with a second factor; the code of the step before now is used up. */
async function withTotp(name: string) {
  const id = await app.addUser(name);
  const headers = await app.login(name);
  const begun = (await post("/totp/begin", { password: TEST_PASSWORD }, headers)).body.data as { secret: string };
  const confirmed = await post("/totp/confirm", { code: codeOf(begun.secret, 0) }, headers);
  const { recovery_codes } = confirmed.body.data as { recovery_codes: string[] };
  return { id, headers, secret: begun.secret, recovery: recovery_codes };
}

async function passwordStep(name: string) {
  const answer = await post("/login", { username: name, password: TEST_PASSWORD });
  return { answer, cookie: cookieOf(answer.headers) };
}

describe("second factor", () => {
  test("is required after the password, and the password alone opens nothing", async () => {
    const { id, secret } = await withTotp("ann");
    const { answer, cookie } = await passwordStep("ann");
    expect(answer.body).toMatchObject({ success: true, data: { require_2fa: true } });
    expect(cookie).toStartWith("flow_second_factor=");
    expect((await app.ask("GET", "/api/user/self", undefined, { cookie, "Sluice-User": String(id) })).status).toBe(401);
    expect((await post("/login/2fa", { code: codeOf(secret) })).body.code).toBe("second_factor_expired");
    expect((await post("/login/2fa", { code: "000000" }, { cookie })).body.code).toBe("second_factor_wrong");
    const done = await post("/login/2fa", { code: codeOf(secret) }, { cookie });
    expect(done.body.data).toMatchObject({ id });
    const headers = { cookie: cookieOf(done.headers), "Sluice-User": String(id) };
    expect((await app.ask("GET", "/api/user/self", undefined, headers)).status).toBe(200);
    expect((await post("/login/2fa", { code: codeOf(secret, 1) }, { cookie })).body.code).toBe("second_factor_expired");
  });

  test("accepts a code once, however many sign-ins use it at once", async () => {
    const { secret } = await withTotp("bea");
    const attempts = await Promise.all(Array.from({ length: 5 }, () => passwordStep("bea")));
    const code = codeOf(secret);
    const answers = await Promise.all(attempts.map(({ cookie }) => post("/login/2fa", { code }, { cookie })));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test("takes each recovery code once, in any spelling", async () => {
    const { recovery, headers, secret } = await withTotp("cleo");
    expect(recovery).toHaveLength(10);
    const [first = "", second = ""] = recovery;
    const signIn = async (code: string) => {
      const { cookie } = await passwordStep("cleo");
      return (await post("/login/2fa", { code }, { cookie })).body;
    };
    expect((await signIn(first.toUpperCase().replace("-", " "))).success).toBe(true);
    expect((await signIn(first)).code).toBe("second_factor_wrong");
    const renewed = await post("/totp/recovery_codes", { code: codeOf(secret) }, headers);
    expect(renewed.body.success).toBe(true);
    expect((await signIn(second)).code).toBe("second_factor_wrong");
    const stored = JSON.stringify(await app.db.select().from(recoveryCodes));
    expect(stored).not.toContain(second);
  });

  test("cannot be guessed: five tries a sign-in, ten an account", async () => {
    const { secret } = await withTotp("dora");
    const { cookie } = await passwordStep("dora");
    for (let tries = 0; tries < 5; tries += 1) await post("/login/2fa", { code: "111111" }, { cookie });
    expect((await post("/login/2fa", { code: codeOf(secret) }, { cookie })).body.code).toBe("second_factor_expired");
    const next = await passwordStep("dora");
    for (let tries = 0; tries < 5; tries += 1) await post("/login/2fa", { code: "111111" }, { cookie: next.cookie });
    const last = await passwordStep("dora");
    const answer = await post("/login/2fa", { code: codeOf(secret) }, { cookie: last.cookie });
    expect([answer.status, answer.body.code]).toEqual([429, "login_throttled"]);
  });

  test("a sign-in that waits for it ends after ten minutes", async () => {
    const { secret } = await withTotp("elsa");
    const { cookie } = await passwordStep("elsa");
    await app.db.update(signInFlows).set({ expiresAt: sql`${signInFlows.expiresAt} - 601` });
    expect((await post("/login/2fa", { code: codeOf(secret) }, { cookie })).body.code).toBe("second_factor_expired");
  });

  test("a stolen session or an access token can neither set it up nor turn it off", async () => {
    await app.addUser("fern");
    const fern = await app.login("fern");
    expect((await post("/totp/begin", {}, fern)).body.code).toBe("owner_password_required");
    expect((await post("/totp/begin", { password: "guess" }, fern)).body.code).toBe("owner_password_wrong");
    const token = String((await app.ask("GET", "/api/user/token", undefined, fern)).body.data);
    const byToken = await post("/totp/begin", { password: TEST_PASSWORD }, { authorization: token });
    expect(byToken.body.code).toBe("session_required");
    const { headers, id } = await withTotp("gina");
    expect((await post("/totp/remove", { code: "123456" }, headers)).body.code).toBe("second_factor_wrong");
    expect((await post("/totp/begin", { password: TEST_PASSWORD }, headers)).body.code).toBe("second_factor_on");
    const [row] = await app.db.select().from(totpSecrets).where(eq(totpSecrets.userId, id));
    expect(row?.secretCipher).toStartWith("v1.");
  });

  test("is asked for after a password that was reset by mail, too", async () => {
    const { id, secret } = await withTotp("gwen");
    await app.db.update(users).set({ email: "gwen@example.com" }).where(eq(users.id, id));
    const [target, code] = ["gwen@example.com", "f".repeat(32)];
    await storeCode(app, { purpose: "reset", target, code, lifetimeSeconds: 600, pauseSeconds: 30 });
    const password = String((await post("/reset", { email: target, token: code })).body.data);
    const answer = await post("/login", { username: "gwen", password });
    expect(answer.body.data).toEqual({ require_2fa: true });
    const cookie = cookieOf(answer.headers);
    expect((await post("/login/2fa", { code: codeOf(secret) }, { cookie })).body.data).toMatchObject({ id });
  });

  test("is off again with a code, or by the command line", async () => {
    const { headers, secret } = await withTotp("hope");
    expect((await post("/totp/remove", { code: codeOf(secret) }, headers)).body.success).toBe(true);
    await app.login("hope");
    await withTotp("iris");
    await app.login("iris", await resetPassword(app, "iris"));
  });

  test("an administrator turns it off for users below, not for equals and higher ones, and it is in the log", async () => {
    const user = await withTotp("kate");
    const root = await withTotp("king");
    await app.db.update(users).set({ role: 100 }).where(eq(users.id, root.id));
    await app.changes.publish("users", [root.id]);
    await app.addUser("staff", "admin");
    const staff = await app.login("staff");
    const turnOff = (id: number, headers: Headers) =>
      app.ask("DELETE", `/api/user/${id}/second_factor`, undefined, headers);
    expect((await turnOff(root.id, staff)).body.code).toBe("user_out_of_reach");
    expect((await turnOff(Number(staff["Sluice-User"]), staff)).body.code).toBe("own_second_factor");
    expect((await turnOff(root.id, user.headers)).body.code).toBe("permission_denied");
    expect((await turnOff(user.id, staff)).body.success).toBe(true);
    expect((await turnOff(user.id, staff)).body.code).toBe("second_factor_off");
    await app.login("kate");
    const [row] = await app.db.select().from(logs).orderBy(desc(logs.id)).limit(1);
    expect(row).toMatchObject({ type: 3, username: "staff", content: expect.stringContaining("kate") });
  });

  test("does not count before it is confirmed", async () => {
    await app.addUser("jane");
    const jane = await app.login("jane");
    await post("/totp/begin", { password: TEST_PASSWORD }, jane);
    expect((await post("/totp/confirm", { code: "000000" }, jane)).body.code).toBe("second_factor_wrong");
    await app.login("jane");
    const security = await app.ask("GET", "/api/user/security", undefined, jane);
    expect(security.body.data).toEqual({ has_password: true, totp_enabled: false });
  });
});

describe("passkeys", () => {
  const origin = "http://gateway.test";

  async function register(name: string, behavior = {}) {
    const id = await app.addUser(name);
    const headers = await app.login(name);
    const device = createAuthenticator();
    const begun = await post("/passkey/register/begin", { password: TEST_PASSWORD }, headers);
    const options = begun.body.data as { challenge: string; rp: { id: string } };
    const cookie = `${headers.cookie}; ${cookieOf(begun.headers)}`;
    const finish = () =>
      post(
        "/passkey/register/finish",
        { name: "My key", response: device.register(options, { origin, ...behavior }) },
        { ...headers, cookie },
      );
    return { id, headers, device, finish };
  }
  async function signIn(device: ReturnType<typeof createAuthenticator>, behavior = {}, change = {}) {
    const begun = await post("/passkey/login/begin", {});
    const options = begun.body.data as { challenge: string; rpId: string };
    const response = { ...device.signIn({ ...options, ...change }, { origin, ...behavior }) };
    const cookie = cookieOf(begun.headers);
    return { answer: await post("/passkey/login/finish", response, { cookie }), response, cookie };
  }

  test("are made, listed, used to sign in without a second factor, and forgotten", async () => {
    const { id, headers, device, finish } = await register("kim");
    const [key] = (await finish()).body.data as { id: string; name: string }[];
    expect(key).toMatchObject({ name: "My key", last_used_at: null });
    const { answer, response, cookie } = await signIn(device);
    expect(answer.body.data).toMatchObject({ id });
    const again = await post("/passkey/login/finish", response, { cookie });
    expect(again.body.code).toBe("passkey_failed");
    const remove = (body: object) => post("/passkey/remove", { id: key?.id, ...body }, headers);
    expect((await remove({})).body.code).toBe("owner_password_required");
    await app.addUser("lea");
    const lea = await post("/passkey/remove", { id: key?.id, password: TEST_PASSWORD }, await app.login("lea"));
    expect(lea.body.code).toBe("passkey_unknown");
    await app.settings.set("PasswordLoginEnabled", "false");
    expect((await remove({ password: TEST_PASSWORD })).body.code).toBe("last_sign_in");
    await app.settings.set("PasswordLoginEnabled", "true");
    expect((await remove({ password: TEST_PASSWORD })).body.data).toEqual([]);
    expect((await signIn(device)).answer.body.code).toBe("passkey_failed");
  });

  test.each([
    ["made at another site", { origin: "https://evil.example.com" }],
    ["for another host", { rpId: "evil.example.com" }],
    ["without the owner being verified", { isUserVerified: false }],
  ])("one %s is not taken, neither new nor to sign in", async (what, behavior) => {
    const name = `p${what.length}`;
    expect((await (await register(name, behavior)).finish()).body.code).toBe("passkey_failed");
    const good = await register(`${name}b`);
    await good.finish();
    expect((await signIn(good.device, behavior)).answer.body.code).toBe("passkey_failed");
    expect((await signIn(good.device, {}, { challenge: "another" })).answer.body.code).toBe("passkey_failed");
  });

  test("are not made in somebody else's flow, and not for banned or deleted people", async () => {
    const mia = await register("mia");
    await mia.finish();
    const nora = await register("nora");
    const begun = await post("/passkey/register/begin", { password: TEST_PASSWORD }, mia.headers);
    const stolen = { ...nora.headers, cookie: `${nora.headers.cookie}; ${cookieOf(begun.headers)}` };
    const options = begun.body.data as { challenge: string };
    const response = nora.device.register(options, { origin, rpId: "gateway.test" });
    expect((await post("/passkey/register/finish", { name: "x", response }, stolen)).body.code).toBe("passkey_failed");
    await app.db.update(users).set({ status: 2 }).where(eq(users.id, mia.id));
    expect((await signIn(mia.device)).answer.body.code).toBe("user_banned");
    await app.db.update(users).set({ status: 1 }).where(eq(users.id, mia.id));
    expect((await app.ask("DELETE", "/api/user/self", { username: "mia" }, mia.headers)).body.success).toBe(true);
    expect((await signIn(mia.device)).answer.body.code).toBe("passkey_failed");
    expect(await app.db.select().from(passkeys).where(eq(passkeys.userId, mia.id))).toEqual([]);
  });

  test("whoever has no password needs a sign-in of now to add one, or to set a password", async () => {
    const id = await app.addUser("olga");
    const olga = await app.login("olga");
    await app.db.update(users).set({ passwordHash: null }).where(eq(users.id, id));
    expect((await post("/passkey/register/begin", {}, olga)).body.success).toBe(true);
    const old = sql`${sessions.expiresAt} - 1000`;
    await app.db.update(sessions).set({ expiresAt: old }).where(eq(sessions.userId, id));
    await app.changes.publish("users", [id]);
    expect((await post("/passkey/register/begin", {}, olga)).body.code).toBe("sign_in_again");
    const setPassword = () => app.ask("PUT", "/api/user/self", { password: "a new password" }, olga);
    expect((await setPassword()).body.code).toBe("sign_in_again");
    await app.db
      .update(sessions)
      .set({ expiresAt: sql`${sessions.expiresAt} + 1000` })
      .where(eq(sessions.userId, id));
    await app.changes.publish("users", [id]);
    expect((await setPassword()).body.success).toBe(true);
    await app.login("olga", "a new password");
  });
});

describe("ways into an account", () => {
  test("are bound and unbound by who signed in lately, not with a session that is older or an access token", async () => {
    await app.settings.set("GitHubClientId", "github client");
    await app.settings.set("GitHubClientSecret", "github secret");
    await app.settings.set("GitHubOAuthEnabled", "true");
    const id = await app.addUser("quin");
    const quin = await app.login("quin");
    const token = String((await app.ask("GET", "/api/user/token", undefined, quin)).body.data);
    const calls = [
      ["GET", "/api/oauth/email/bind?email=quin@example.com&code=1"],
      ["GET", "/api/oauth/wechat/bind?code=1"],
      ["GET", "/api/oauth/telegram/bind?id=1"],
      ["DELETE", "/api/user/bindings/email"],
      ["DELETE", "/api/user/bindings/github"],
    ] as const;
    const starts = [
      ["GET", "/api/oauth/state"],
      ["GET", "/api/oauth/github/start"],
      ["GET", "/api/oauth/telegram/start?state=abc"],
      ["GET", "/api/verification?email=quin@example.com"],
    ] as const;
    const codeFor = async ([method, path]: readonly [string, string], headers: Headers) =>
      (await app.ask(method, path, undefined, headers)).body.code;

    for (const call of calls) expect(await codeFor(call, { authorization: token })).toBe("session_required");
    for (const call of [...calls, ...starts]) expect(await codeFor(call, quin)).not.toBe("sign_in_again");
    const old = sql`${sessions.expiresAt} - 1000`;
    await app.db.update(sessions).set({ expiresAt: old }).where(eq(sessions.userId, id));
    await app.changes.publish("users", [id]);
    for (const call of [...calls, ...starts]) expect(await codeFor(call, quin)).toBe("sign_in_again");
    // Nobody's flow is a sign-in, for which there is no need.
    expect((await app.ask("GET", "/api/oauth/state")).body.success).toBe(true);
    const again = await app.login("quin");
    expect(await codeFor(["DELETE", "/api/user/bindings/email"], again)).toBe("identity_not_bound");
    const zh = await app.ask("DELETE", "/api/user/bindings/email", undefined, { ...quin, "accept-language": "zh" });
    expect(zh.body.message).toContain("重新登录");
    await app.settings.set("GitHubOAuthEnabled", "false");
  });
});

describe("own logins", () => {
  type View = { id: string; is_current: boolean; user_agent: string };
  const list = async (headers: Headers) =>
    (await app.ask("GET", "/api/user/sessions", undefined, headers)).body.data as View[];

  test("are listed and ended, one's own only", async () => {
    await app.addUser("pia");
    const here = await app.login("pia");
    const there = await app.login("pia");
    const third = await app.login("pia");
    const seen = await list(here);
    expect(seen.map((view) => view.is_current).sort()).toEqual([false, false, true]);
    expect(JSON.stringify(seen)).not.toContain(here.cookie?.split("=")[1]);
    await app.addUser("rob");
    const rob = await app.login("rob");
    const thereId = (await list(there)).find((view) => view.is_current)?.id;
    const end = (headers: Headers) => app.ask("DELETE", `/api/user/sessions/${thereId}`, undefined, headers);
    expect((await end(rob)).body.code).toBe("session_unknown");
    expect((await end(here)).body.success).toBe(true);
    expect((await app.ask("GET", "/api/user/self", undefined, there)).status).toBe(401);
    expect((await app.ask("DELETE", "/api/user/sessions", undefined, here)).body.data).toEqual({ ended: 1 });
    expect((await app.ask("GET", "/api/user/self", undefined, third)).status).toBe(401);
    expect((await app.ask("GET", "/api/user/self", undefined, rob)).status).toBe(200);
    expect(await list(here)).toHaveLength(1);
  });
});
