import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { sessions, users } from "../../../db/schema/accounts/users.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../test/support/console/start-console.ts";
import { manageUser } from "../../domain/accounts/users/manage-user.ts";

let app: TestConsole;
let aliceId: number;
let accessToken: string;
beforeAll(async () => {
  app = await startTestConsole();
  aliceId = await app.addUser("alice");
  await app.addUser("bob", "admin");
  accessToken = String((await app.ask("GET", "/api/user/token", undefined, await app.login("alice"))).body.data);
});
afterAll(() => app.close());

const self = (headers: Record<string, string>) => app.ask("GET", "/api/user/self", undefined, headers);

describe("who is let in", () => {
  test("a session needs the id header, under any of the family's names", async () => {
    const { cookie = "" } = await app.login("alice");
    const bare = await self({ cookie });
    expect(bare).toMatchObject({ status: 401, body: { success: false, code: "user_header_missing" } });
    // Tools of the family look for one of the older names.
    expect(bare.body.message).toMatch(/^The Sluice-User .*New-Api-User.*Veloera-User/);
    for (const name of [
      "Sluice-User",
      "Veloera-User",
      "New-API-User",
      "User-ID",
      "X-Api-User",
      "voapi-user",
      "Rix-Api-User",
    ]) {
      const answer = await self({ cookie, [name]: String(aliceId) });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    }
  });

  test.each([
    ["nothing", {}, 401, "not_logged_in"],
    ["an unknown session", { cookie: "session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }, 401, "not_logged_in"],
    ["an unknown access token", { authorization: "Bearer nobody's" }, 401, "access_token_invalid"],
    ["an empty bearer", { authorization: "Bearer " }, 401, "access_token_invalid"],
  ])("%s is refused", async (_, headers, status, code) => {
    const answer = await self({ ...headers });
    expect(answer).toMatchObject({ status, body: { success: false, code } });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("an access token needs no id header, but a wrong one is refused", async () => {
    expect(accessToken).toMatch(/^[A-Za-z0-9+/]{32}$/);
    expect((await self({ authorization: accessToken })).body.data).toMatchObject({ id: aliceId, access_token: "" });
    expect((await self({ authorization: `Bearer ${accessToken}` })).status).toBe(200);
    const wrong = (value: string, other = "") =>
      self({ authorization: accessToken, "Veloera-User": value, ...(other ? { "New-Api-User": other } : {}) });
    expect((await wrong(String(aliceId + 1))).body.code).toBe("user_header_mismatch");
    expect((await wrong("abc")).body.code).toBe("user_header_malformed");
    expect((await wrong(String(aliceId), String(aliceId + 1))).body.code).toBe("user_header_mismatch");
    expect((await wrong(String(aliceId), String(aliceId))).status).toBe(200);
  });

  test("a new access token kills the old one at once", async () => {
    const old = accessToken;
    accessToken = String((await app.ask("GET", "/api/user/token", undefined, await app.login("alice"))).body.data);
    expect((await self({ authorization: old })).body.code).toBe("access_token_invalid");
    expect((await self({ authorization: accessToken })).status).toBe(200);
    const [row] = await app.db.select().from(users).where(eq(users.id, aliceId));
    expect(JSON.stringify(row)).not.toContain(accessToken);
  });

  test.each([
    ["GET", "/api/group/", "admin"],
    ["GET", "/api/option/", "root"],
    ["PUT", "/api/option/", "root"],
    ["POST", "/api/option/rest_model_ratio", "root"],
    ["POST", "/api/user/manage", "admin"],
    ["GET", "/api/user/1", "admin"],
    ["GET", "/api/status/test", "admin"],
  ] as const)("%s %s needs %s, whatever it is sent", async (method, path, needed) => {
    const body = method === "GET" ? undefined : {};
    const refused = { status: 200, body: { success: false, code: "permission_denied" } };
    expect((await app.ask(method, path, body)).status).toBe(401);
    expect(await app.ask(method, path, body, await app.login("alice"))).toMatchObject(refused);
    const admin = await app.ask(method, path, body, await app.login("bob"));
    if (needed === "root") expect(admin).toMatchObject(refused);
    else expect(admin.body.code).not.toBe("permission_denied");
  });

  test("a writing call from another site is refused, one from the own is not", async () => {
    const alice = await app.login("alice");
    const put = (headers: Record<string, string>) =>
      app.ask("PUT", "/api/user/self", { display_name: "Alice" }, { ...alice, ...headers });
    expect((await put({ origin: "https://evil.example" })).status).toBe(403);
    expect((await put({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await put({ origin: "null" })).status).toBe(403);
    expect((await put({ origin: "http://gateway.test" })).status).toBe(200);
    expect((await put({ "sec-fetch-site": "same-origin", origin: "http://gateway.test" })).status).toBe(200);
    expect((await put({ origin: "chrome-extension://abcdef" })).status).toBe(200);
  });
});

describe("sessions", () => {
  test("the cookie is out of reach of scripts and other sites, and the database does not know it", async () => {
    const answer = await app.ask("POST", "/api/user/login", { username: "alice", password: TEST_PASSWORD });
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
    const value = cookie.slice(8, 51);
    const rows = await app.db.select().from(sessions);
    expect(JSON.stringify(rows)).not.toContain(value);
    for (const secret of ["$argon2", TEST_PASSWORD]) expect(answer.text).not.toContain(secret);
  });

  test.each(["GET", "POST"])("%s logout ends this session only", async (method) => {
    const one = await app.login("alice");
    const other = await app.login("alice");
    const answer = await app.ask(method, "/api/user/logout", undefined, one);
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await self(one)).status).toBe(401);
    expect((await self(other)).status).toBe(200);
  });

  test("another site cannot log anybody out: neither by a link, an image, nor a form", async () => {
    const { cookie = "", ...userHeader } = await app.login("alice");
    const logout = (method: string, headers: Record<string, string>) =>
      app.ask(method, "/api/user/logout", undefined, { cookie, ...headers });
    const signedIn = async () => (await self({ cookie, ...userHeader })).status === 200;
    for (const site of ["cross-site", "same-site", "none"]) {
      const answer = await logout("GET", { "sec-fetch-site": site });
      expect([answer.status, answer.body.code]).toEqual([401, "user_header_missing"]);
    }
    expect((await logout("GET", {})).status).toBe(401);
    expect((await logout("GET", { "Sluice-User": "999" })).body.code).toBe("user_header_mismatch");
    expect((await logout("POST", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(await signedIn()).toBe(true);
    expect((await logout("GET", { "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect(await signedIn()).toBe(false);
  });

  test("a session over HTTPS is in a cookie that no other host can set", async () => {
    const over = (method: string, path: string, headers: Record<string, string>, body?: object) =>
      app.ask(method, `https://gateway.test${path}`, body, headers);
    const answer = await over("POST", "/api/user/login", {}, { username: "alice", password: TEST_PASSWORD });
    const [cookie = "", removed = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/);
    expect(removed).toBe("session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure");
    const pair = cookie.split(";")[0] ?? "";
    const status = async (cookies: string) =>
      (await over("GET", "/api/user/self", { cookie: cookies, "Sluice-User": String(aliceId) })).status;
    expect(await status(pair)).toBe(200);
    expect(await status(`session=planted; ${pair}`)).toBe(200);
    const left = await over("POST", "/api/user/logout", { cookie: pair, "sec-fetch-site": "same-origin" });
    expect(left.headers.getSetCookie().map((text) => text.split("=")[0])).toEqual(["__Host-session", "session"]);
    expect(await status(pair)).toBe(401);
  });

  test("signing in never takes a value over that the browser brought: each login has its own", async () => {
    const planted = `session=${"a".repeat(43)}`;
    const body = { username: "alice", password: TEST_PASSWORD };
    const cookies: (string | undefined)[] = [planted];
    for (let times = 0; times < 3; times += 1) {
      const answer = await app.ask("POST", "/api/user/login", body, { cookie: cookies.at(-1) ?? "" });
      cookies.push(answer.headers.get("set-cookie")?.split(";")[0]);
    }
    expect(new Set(cookies).size).toBe(4);
    const id = String(aliceId);
    expect((await self({ cookie: planted, "Sluice-User": id })).status).toBe(401);
    expect((await self({ cookie: cookies.at(-1) ?? "", "Sluice-User": id })).status).toBe(200);
  });

  test("signing in with the cookie of a session ends that session, and no other one", async () => {
    await app.addUser("erin");
    const elsewhere = await app.login("erin");
    const former = await app.login("erin");
    const signIn = (username: string, cookie = "") =>
      app.ask("POST", "/api/user/login", { username, password: TEST_PASSWORD }, { cookie });
    const again = await signIn("erin", former.cookie);
    expect((await self(former)).status).toBe(401);
    const id = String(again.body.data && Reflect.get(Object(again.body.data), "id"));
    const present = { cookie: again.headers.get("set-cookie")?.split(";")[0] ?? "", "Sluice-User": id };
    expect([(await self(present)).status, (await self(elsewhere)).status]).toEqual([200, 200]);
    // Somebody else at the same browser; a wrong password ends nothing.
    const wrong = await app.ask("POST", "/api/user/login", { username: "alice", password: "not hers" }, present);
    expect(wrong.body.success).toBe(false);
    expect((await self(present)).status).toBe(200);
    expect((await signIn("alice", present.cookie)).body.success).toBe(true);
    expect([(await self(present)).status, (await self(elsewhere)).status]).toEqual([401, 200]);
  });

  test("a session lasts 30 days, used or not, and is void then", async () => {
    const headers = await app.login("alice");
    const now = Math.floor(Date.now() / 1000);
    const endsIn = async (seconds: number) => {
      const [expiresAt, before] = [now + seconds, now + seconds - 30 * 86_400];
      await app.db
        .update(sessions)
        .set({ expiresAt, createdAt: before, lastSeenAt: before })
        .where(eq(sessions.userId, aliceId));
      await app.changes.publish("users", [aliceId]);
      return (await self(headers)).status;
    };
    expect([await endsIn(600), await endsIn(-1)]).toEqual([200, 401]);
  });

  test("a ban ends sessions and access tokens, and stops signing in", async () => {
    const id = await app.addUser("carol");
    const session = await app.login("carol");
    const token = String((await app.ask("GET", "/api/user/token", undefined, session)).body.data);
    const root = app.users.get(await app.addUser("judge", "root"));
    if (!root) throw new Error("root is missing");
    await manageUser(app, root, { id, action: "disable" });
    expect((await self(session)).status).toBe(401);
    expect(await self({ authorization: token })).toMatchObject({ status: 401, body: { code: "access_token_invalid" } });
    const login = await app.ask("POST", "/api/user/login", { username: "carol", password: TEST_PASSWORD });
    expect(login.body).toMatchObject({ success: false, code: "login_failed" });
  });
});

describe("unknown and malformed calls", () => {
  test.each([
    ["GET", "/api/nothing", 404, "unknown_route"],
    ["DELETE", "/api/option/", 404, "unknown_route"],
    ["PATCH", "/api", 404, "unknown_route"],
  ])("%s %s is %d %s", async (method, path, status, code) => {
    expect(await app.ask(method, path)).toMatchObject({ status, body: { success: false, code } });
  });

  test("broken JSON and missing fields are 400 with a message", async () => {
    expect(await app.ask("POST", "/api/user/login", "{broken")).toMatchObject({
      status: 400,
      body: { code: "malformed_body" },
    });
    const missing = await app.ask("POST", "/api/user/login", { username: "alice" }, { "accept-language": "zh-CN" });
    expect(missing).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(missing.body.message).toContain("参数无效");
    expect(missing.body.message).toContain("password");
  });
});
