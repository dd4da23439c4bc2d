import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { desc, eq, sql } from "drizzle-orm";
import { formerIdentities, users, verificationCodes } from "../../../../db/schema/accounts/users.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { startTestConsole, TEST_SITE, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { startMailServer } from "../../../../test/support/notifications.ts";
import { createSetup } from "../../../domain/accounts/registration/setup.ts";
import { storeCode } from "../../../domain/accounts/registration/verification-codes.ts";

let app: TestConsole;
let post: Awaited<ReturnType<typeof startMailServer>>;
let turnstile: ReturnType<typeof Bun.serve>;
const seen: Record<string, string>[] = [];

beforeAll(async () => {
  post = await startMailServer();
  turnstile = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const form = Object.fromEntries(new URLSearchParams(await request.text()));
      seen.push(form);
      const [who, hostname, action] = (form.response ?? "").split("@");
      return Response.json({ success: who === "human", ...(hostname && { hostname }), ...(action && { action }) });
    },
  });
  app = await startTestConsole(undefined, undefined, { turnstileVerify: `${turnstile.url.href}check` });
  await app.settings.set("SMTPServer", "127.0.0.1");
  await app.settings.set("SMTPPort", String(post.port));
  await app.settings.set("SMTPFrom", "gate@example.com");
});
afterAll(async () => {
  await app.close();
  await post.stop();
  await turnstile.stop(true);
});

const register = (body: Record<string, unknown>, query = "") =>
  app.ask("POST", `/api/user/register${query}`, { password: "long enough", ...body });
const rowOf = async (username: string) => (await app.db.select().from(users).where(eq(users.username, username)))[0];
const codeFor = async (email: string, headers = {}) => {
  const coming = post.next();
  const answer = await app.ask("GET", `/api/verification?${new URLSearchParams({ email })}`, undefined, headers);
  expect(answer.body).toMatchObject({ success: true });
  return /\b(\d{6})\b/.exec((await coming).text.split("Content-Type: text/plain")[1] ?? "")?.[1] ?? "";
};

describe("registration", () => {
  test("makes an ordinary account that can sign in, whatever else is sent", async () => {
    const answer = await register({ username: "汉字名十二个字符长度啊啊啊", role: 100, quota: 10 ** 9, id: 1 });
    expect(answer.body.code).toBe("username_too_long");
    const odd = { role: 100, quota: 5, aff_code: null, email: null, verification_code: null };
    expect((await register({ username: "十二个汉字的用户名很长啊", ...odd })).body.success).toBe(true);
    expect(await rowOf("十二个汉字的用户名很长啊")).toMatchObject({ role: 1, quota: 0, email: null, inviterId: null });
    await app.login("十二个汉字的用户名很长啊", "long enough");
  });

  test("names and passwords may be longer where the settings say so", async () => {
    const long = { username: "a-name-of-twenty-five-ltr", password: "correct horse battery staple" };
    expect((await register(long)).body.code).toBe("username_too_long");
    await app.settings.set("UsernameMaxLength", "30");
    expect((await register(long)).body.code).toBe("password_length");
    await app.settings.set("PasswordMaxLength", "64");
    expect((await register(long)).body.success).toBe(true);
    await app.login(long.username, long.password);
    expect((await register({ ...long, username: "x".repeat(31) })).body.code).toBe("username_too_long");
    expect((await register({ username: "other-name", password: "x".repeat(65) })).body.code).toBe("password_length");
    await app.settings.set("UsernameMaxLength", "12");
    await app.settings.set("PasswordMaxLength", "20");
  });

  test("by invitation only: takes whoever has a user's code", async () => {
    await register({ username: "hostess" });
    const { affCode = "", id } = (await rowOf("hostess")) ?? {};
    await app.settings.set("InvitationRequired", "true");
    expect((await register({ username: "uninvited" })).body.code).toBe("invitation_required");
    expect((await register({ username: "uninvited", aff_code: "nobodys" })).body.code).toBe("invitation_unknown");
    expect(await rowOf("uninvited")).toBeUndefined();
    expect((await register({ username: "invited", aff_code: ` ${affCode} ` })).body.success).toBe(true);
    expect(await rowOf("invited")).toMatchObject({ inviterId: id });
    await app.settings.set("InvitationRequired", "false");
    expect((await register({ username: "uninvited" })).body.success).toBe(true);
  });

  test("signs in who was not signed in", async () => {
    const joined = await register({ username: "arrives" });
    const headers = { cookie: joined.headers.get("set-cookie")?.split(";")[0] ?? "" };
    const { id } = (await rowOf("arrives")) ?? { id: 0 };
    expect(joined.body).toMatchObject({ success: true, message: "Account created", data: { id, username: "arrives" } });
    const self = await app.ask("GET", "/api/user/self", undefined, { ...headers, "Sluice-User": String(id) });
    expect(self.body.data).toMatchObject({ id });
    const other = { username: "other", password: "long enough" };
    const registered = await app.ask("POST", "/api/user/register", other, headers);
    expect(registered.body).toMatchObject({ success: true, data: null });
    expect(registered.headers.get("set-cookie")).toBeNull();
  });

  test.each([
    [{ username: "" }, "username_required"],
    [{ username: "x@y" }, "username_characters"],
    [{ username: "ann", password: "seven77" }, "password_length"],
    [{ username: "ann", password: "x".repeat(21) }, "password_length"],
    [{ username: "ann", password2: "long enough?" }, "passwords_differ"],
  ])("%p is refused: %s", async (body, code) => expect((await register(body)).body.code).toBe(code));

  test("of many who want one name at once one gets it", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => register({ username: "onlyone" })));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "username_taken")).toHaveLength(19);
  });

  test("nor do two get names that differ only in case, at once or later", async () => {
    const names = ["Acme", "acme", "ACME", "aCME", "ÉMILE", "émile"];
    const answers = await Promise.all(names.map((username) => register({ username })));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(2);
    expect(answers.filter(({ body }) => body.code === "username_taken")).toHaveLength(4);
    expect((await register({ username: "AcMe" })).body.code).toBe("username_taken");
  });

  test("is closed where the administrator says so, and on a site for one's own use", async () => {
    for (const [key, value, code] of [
      ["RegisterEnabled", "false", "registration_disabled"],
      ["SelfUseModeEnabled", "true", "registration_disabled"],
      ["PasswordRegisterEnabled", "false", "password_registration_disabled"],
    ] as const) {
      await app.settings.set(key, value);
      expect((await register({ username: "late" })).body.code).toBe(code);
      await app.settings.set(key, value === "true" ? "false" : "true");
    }
  });

  test("rewards inviter and invitee, and counts an invitation that earns nothing", async () => {
    const inviterId = await app.addUser("inviter");
    const code = (await rowOf("inviter"))?.affCode ?? "";
    await register({ username: "guest0", aff_code: code });
    expect(await rowOf("inviter")).toMatchObject({ affCount: 1, affQuota: 0, affHistoryQuota: 0, quota: 0 });
    for (const [key, value] of [
      ["QuotaForNewUser", "1000"],
      ["QuotaForInvitee", "200"],
      ["QuotaForInviter", "30"],
    ] as const)
      await app.settings.set(key, value);
    await register({ username: "guest1", aff_code: code });
    expect(await rowOf("guest1")).toMatchObject({ quota: 1200, inviterId });
    expect(await rowOf("inviter")).toMatchObject({ affCount: 2, affQuota: 30, affHistoryQuota: 30, quota: 0 });
    await register({ username: "guest2", aff_code: "nobody" });
    expect(await rowOf("guest2")).toMatchObject({ quota: 1000, inviterId: null });
    const rows = await app.db.select().from(logs).where(eq(logs.type, 4)).orderBy(desc(logs.id)).limit(4);
    expect(rows.map(({ username, quota }) => [username, quota])).toEqual([
      ["guest2", 1000],
      ["inviter", 30],
      ["guest1", 200],
      ["guest1", 1000],
    ]);
    for (const key of ["QuotaForNewUser", "QuotaForInvitee", "QuotaForInviter"] as const)
      await app.settings.set(key, "0");
  });

  test("asks for a human check each time, where that is on", async () => {
    await app.settings.set("TurnstileSiteKey", "site");
    await app.settings.set("TurnstileSecretKey", "hush");
    await app.settings.set("TurnstileCheckEnabled", "true");
    expect((await register({ username: "robot" })).body.code).toBe("turnstile_required");
    expect((await register({ username: "robot" }, "?turnstile=beep")).body.code).toBe("turnstile_failed");
    expect((await register({ username: "person" }, "?turnstile=human")).body.success).toBe(true);
    expect(seen.at(-1)).toMatchObject({ secret: "hush", response: "human" });
    for (const path of ["/api/verification?email=a@b.com", "/api/reset_password?email=a@b.com"]) {
      expect((await app.ask("GET", path)).body.code).toBe("turnstile_required");
    }
    const login = { username: "person", password: "long enough" };
    expect((await app.ask("POST", "/api/user/login", login)).body.code).toBe("turnstile_required");
    expect((await app.ask("POST", "/api/user/login?turnstile=human", login)).body.success).toBe(true);
    await app.settings.set("TurnstileCheckEnabled", "false");
  });
});

describe("a proof of being human", () => {
  const login = { username: "checked", password: "long enough" };
  const codeOf = async (shown: string, headers = {}) =>
    (await app.ask("POST", `/api/user/login?turnstile=${encodeURIComponent(shown)}`, login, headers)).body.code;
  beforeAll(async () => {
    await register(login);
    await app.settings.set("TurnstileSiteKey", "site");
    await app.settings.set("TurnstileSecretKey", "hush");
    await app.settings.set("TurnstileCheckEnabled", "true");
    await app.settings.set("ServerAddress", "https://gate.example.com:8443");
  });
  afterAll(async () => {
    await app.settings.set("TurnstileCheckEnabled", "false");
    await app.settings.set("ServerAddress", TEST_SITE);
  });

  test.each([
    ["that says nothing of where it was shown", "human", undefined],
    ["from the site's address", "human@gate.example.com@login", undefined],
    ["from another address of the site, where the caller is", "human@gateway.test", undefined],
    ["from elsewhere", "human@evil.example.com@login", "turnstile_failed"],
    ["for registering, to sign in", "human@gate.example.com@register", "turnstile_failed"],
  ])("%s (%s): %p", async (_, shown, code) => expect(await codeOf(shown)).toBe(code));

  test("from elsewhere is good where the site's address is not set, and with the secret for trying out", async () => {
    await app.settings.set("TurnstileSecretKey", "1x0000000000000000000000000000000AA");
    expect(await codeOf("human@example.com")).toBeUndefined();
    await app.settings.set("TurnstileSecretKey", "hush");
    expect(await codeOf("human@example.com")).toBe("turnstile_failed");
    await app.settings.set("ServerAddress", "");
    expect(await codeOf("human@example.com")).toBeUndefined();
  });

  test("for signing in does not register, mail a code or reset a password", async () => {
    const shown = "turnstile=human%40gateway.test%40login";
    expect((await register({ username: "robot2" }, `?${shown}`)).body.code).toBe("turnstile_failed");
    for (const path of ["/api/verification", "/api/reset_password"]) {
      expect((await app.ask("GET", `${path}?email=a@b.com&${shown}`)).body.code).toBe("turnstile_failed");
    }
    expect((await register({ username: "person2" }, `?${shown.replace("login", "register")}`)).body.success).toBe(true);
  });
});

describe("registration with a confirmed address", () => {
  beforeAll(() => app.settings.set("EmailVerificationEnabled", "true"));
  beforeEach(() => app.db.delete(verificationCodes));
  afterAll(() => app.settings.set("EmailVerificationEnabled", "false"));

  test("needs the code that was mailed, which works once and for one address", async () => {
    const code = await codeFor("Eve@Example.com");
    expect(code).toHaveLength(6);
    const stored = await app.db.select().from(verificationCodes);
    expect(JSON.stringify(stored)).not.toContain(code);
    const attempt = (email: string, verification_code: string, username = "eve") =>
      register({ username, email, verification_code });
    expect((await attempt("", code)).body.code).toBe("email_required");
    expect((await attempt("eve@example.com", "")).body.code).toBe("verification_code_required");
    expect((await attempt("else@example.com", code)).body.code).toBe("verification_code_wrong");
    const taken = await Promise.all(["eve", "eve2", "eve3"].map((name) => attempt("Eve@example.com", code, name)));
    expect(taken.filter(({ body }) => body.success)).toHaveLength(1);
    expect((await app.ask("GET", "/api/verification?email=EVE@example.com")).body.code).toBe("email_taken");
  });

  test("does not let deregistered people join again, by address or by name", async () => {
    await app.settings.set("QuotaForNewUser", "700");
    const again = { password: "long enough" };
    for (const [username, email, isUnboundFirst] of [
      ["gone", "Gone@example.com", false],
      ["gone2", "gone2@example.com", true],
    ] as const) {
      const joined = { username, email, verification_code: await codeFor(email) };
      expect((await register(joined)).body.success).toBe(true);
      expect(await rowOf(username)).toMatchObject({ quota: 700, email });
      const session = await app.login(username, again.password);
      if (isUnboundFirst) {
        const reported = post.next();
        expect((await app.ask("DELETE", "/api/user/bindings/email", undefined, session)).body.success).toBe(true);
        await reported;
        // Who is still here may go on with the address elsewhere, and take it back.
        const code = await codeFor(email, session);
        const back = `/api/oauth/email/bind?${new URLSearchParams({ email, code })}`;
        expect((await app.ask("GET", back, undefined, session)).body.success).toBe(true);
        const nextMail = post.next();
        await app.ask("DELETE", "/api/user/bindings/email", undefined, session);
        await nextMail;
      }
      expect((await app.ask("DELETE", "/api/user/self", { username }, session)).body.success).toBe(true);
      const requests = `/api/verification?${new URLSearchParams({ email: email.toLowerCase() })}`;
      expect((await app.ask("GET", requests)).body.code).toBe("account_deregistered");
      const late = { target: email, code: "123456", lifetimeSeconds: 180, pauseSeconds: 0 };
      await storeCode(app, { ...late, purpose: "register" });
      const by = (name: string) => register({ username: name, email, verification_code: "123456" });
      expect((await by(`${username}b`)).body.code).toBe("account_deregistered");
      expect(await rowOf(`${username}b`)).toBeUndefined();

      const livingId = await app.addUser(`${username}c`);
      const living = await app.login(`${username}c`);
      await storeCode(app, { ...late, purpose: `bind:${livingId}` });
      const bind = `/api/oauth/email/bind?${new URLSearchParams({ email, code: "123456" })}`;
      expect((await app.ask("GET", bind, undefined, living)).body.code).toBe("account_deregistered");
    }
    const fresh = { email: "fresh@example.com", verification_code: await codeFor("fresh@example.com") };
    expect((await register({ username: "gone", ...fresh })).body.code).toBe("username_taken");
    expect((await register({ username: "fresh", ...fresh })).body.success).toBe(true);
    expect(JSON.stringify(await app.db.select().from(formerIdentities)).toLowerCase()).not.toContain("gone");
    await app.settings.set("QuotaForNewUser", "0");
  });

  test("ends after five wrong codes, and after three minutes", async () => {
    const code = await codeFor("fay@example.com");
    for (let tries = 0; tries < 5; tries += 1) {
      const answer = await register({ username: "fay", email: "fay@example.com", verification_code: "nope" });
      expect(answer.body.code).toBe("verification_code_wrong");
    }
    const late = { username: "fay", email: "fay@example.com", verification_code: code };
    expect((await register(late)).body.code).toBe("verification_code_wrong");

    await app.db.delete(verificationCodes);
    const next = await codeFor("fay@example.com");
    await app.db.update(verificationCodes).set({ expiresAt: sql`${verificationCodes.expiresAt} - 181` });
    expect((await register({ ...late, verification_code: next })).body.code).toBe("verification_code_wrong");
  });

  test("a code is not sent twice within half a minute", async () => {
    await codeFor("gus@example.com");
    const again = await app.ask("GET", "/api/verification?email=gus@example.com");
    expect([again.status, again.body.code]).toEqual([429, "code_sent_just_now"]);
    expect(again.headers.get("retry-after")).toBe("30");
  });

  test.each([
    ["nobody", "email_invalid"],
    ["a@b@example.com", "email_invalid"],
    ["a@example.com\r\nbcc:b@example.com", "email_invalid"],
    ["a@example.com,b@example.com", "email_invalid"],
    [`${"x".repeat(50)}@example.com`, "email_invalid"],
  ])("%p is no address: %s", async (email, code) => {
    const answer = await app.ask("GET", `/api/verification?${new URLSearchParams({ email })}`);
    expect(answer.body.code).toBe(code);
  });

  test("domains and aliases are refused where the administrator says so", async () => {
    await app.settings.set("EmailDomainRestrictionEnabled", "true");
    await app.settings.set("EmailAliasRestrictionEnabled", "true");
    const ask = async (email: string) =>
      (await app.ask("GET", `/api/verification?${new URLSearchParams({ email })}`)).body.code;
    expect(await ask("a@example.com")).toBe("email_domain_refused");
    expect(await ask("a@gmail.com.example.com")).toBe("email_domain_refused");
    expect(await ask("a+b@gmail.com")).toBe("email_alias_refused");
    expect(await ask("a.b@gmail.com")).toBe("email_alias_refused");
    expect(await codeFor("ab@GMAIL.com")).toHaveLength(6);
    await app.settings.set("EmailDomainRestrictionEnabled", "false");
    await app.settings.set("EmailAliasRestrictionEnabled", "false");
  });
});

describe("password reset by mail", () => {
  const linkFor = async (email: string) => {
    const coming = post.next();
    await app.ask("GET", `/api/reset_password?${new URLSearchParams({ email })}`);
    const address = /http:\/\/gateway\.test\/user\/reset\?\S+/.exec((await coming).text)?.[0] ?? "";
    return Object.fromEntries(new URL(address).searchParams) as { email: string; token: string };
  };

  test("gives a new password once, and ends sessions and access token", async () => {
    const id = await app.addUser("hal");
    await app.db.update(users).set({ email: "hal@example.com" }).where(eq(users.id, id));
    const session = await app.login("hal");
    const token = String((await app.ask("GET", "/api/user/token", undefined, session)).body.data);
    const link = await linkFor("HAL@example.com");
    expect(link).toEqual({ email: "hal@example.com", token: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const reset = (body: object) => app.ask("POST", "/api/user/reset", body);
    expect((await reset({ ...link, token: "0".repeat(32) })).body.code).toBe("reset_link_invalid");
    expect((await reset({ ...link, email: "other@example.com" })).body.code).toBe("reset_link_invalid");
    const answers = await Promise.all([reset(link), reset(link), reset(link)]);
    const [done] = answers.filter(({ body }) => body.success);
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    expect((await app.ask("GET", "/api/user/self", undefined, session)).status).toBe(401);
    expect((await app.ask("GET", "/api/user/self", undefined, { authorization: token })).status).toBe(401);
    await app.login("hal", String(done?.body.data));
  });

  test("does not reveal whether an address is known", async () => {
    const unknown = await app.ask("GET", "/api/reset_password?email=nobody@example.com");
    await app.db.delete(verificationCodes);
    const known = await app.ask("GET", "/api/reset_password?email=hal@example.com");
    expect(unknown.body).toEqual(known.body);
    expect(known.body.success).toBe(true);
  });

  test("a code for registering does not reset a password", async () => {
    const code = await codeFor("ida@example.com");
    const answer = await app.ask("POST", "/api/user/reset", { email: "ida@example.com", token: code });
    expect(answer.body.code).toBe("reset_link_invalid");
  });
});

describe("the address of an account", () => {
  const bind = (email: string, code: string, headers: Record<string, string>) =>
    app.ask("GET", `/api/oauth/email/bind?${new URLSearchParams({ email, code })}`, undefined, headers);
  beforeEach(() => app.db.delete(verificationCodes));

  test("is changed by a code of its own user, once; the former address is notified, also when it is removed", async () => {
    await app.addUser("jan");
    const jan = await app.login("jan");
    await app.addUser("kim");
    const kim = await app.login("kim");
    const first = await codeFor("jan@example.com", jan);
    expect((await bind("jan@example.com", first, kim)).body.code).toBe("verification_code_wrong");
    expect((await bind("jan@example.com", first, jan)).body).toMatchObject({ success: true });
    expect((await bind("jan@example.com", first, jan)).body.code).toBe("verification_code_wrong");
    expect(await rowOf("jan")).toMatchObject({ email: "jan@example.com" });

    const second = await codeFor("new@example.com", jan);
    const reported = post.next();
    expect((await bind("new@example.com", second, jan)).body.success).toBe(true);
    expect((await reported).to).toEqual(["jan@example.com"]);
    expect(await rowOf("jan")).toMatchObject({ email: "new@example.com" });
    expect(await rowOf("kim")).toMatchObject({ email: null });

    const nextMail = post.next();
    expect((await app.ask("DELETE", "/api/user/bindings/email", undefined, jan)).body.success).toBe(true);
    expect((await nextMail).to).toEqual(["new@example.com"]);
    expect(await rowOf("jan")).toMatchObject({ email: null });
  });
});

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

  test("the address that the browser proposes is stored, and a wrong one is refused with everything else", async () => {
    const wrong = await app.ask("POST", "/api/setup", request({ ServerAddress: "ai.example.com" }));
    expect(wrong).toMatchObject({ status: 400, body: { code: "option_address" } });
    expect(await app.db.select().from(users)).toHaveLength(0);
    await app.ask("POST", "/api/setup", request({ ServerAddress: "https://ai.example.com/ " }));
    expect(app.settings.get("ServerAddress")).toBe("https://ai.example.com");
    expect((await app.ask("GET", "/api/status")).body.data).toMatchObject({ server_address: "https://ai.example.com" });
  });

  test("another site's page cannot set the gateway up", async () => {
    const answer = await app.ask("POST", "/api/setup", request(), { origin: "https://evil.example" });
    expect(answer).toMatchObject({ status: 403, body: { code: "cross_site_host_dropped" } });
  });
});
