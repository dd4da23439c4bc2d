import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { carryOver } from "../../../../db/backup/carry-over.ts";
import { accessTokens } from "../../../../db/schema/accounts/security/access-tokens.ts";
import { sessions, users } from "../../../../db/schema/accounts/users.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import type { AccessTokenView } from "../../../domain/accounts/identity/access-tokens.ts";
import { nowSeconds } from "../../../lib/clock.ts";

type Headers = Record<string, string>;

let app: TestConsole;
let root: Headers;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

const PATH = "/api/user/access_tokens";
const statusOf = async (token: string) =>
  (
    await app.ask("GET", "/api/user/self", undefined, {
      authorization: `Bearer ${token}`,
    })
  ).status;
const list = async (headers: Headers) =>
  (await app.ask("GET", PATH, undefined, headers)).body.data as readonly AccessTokenView[];

async function create(headers: Headers, body: object = {}): Promise<AccessTokenView & { token: string }> {
  const answer = await app.ask("POST", PATH, { name: "ci", expires_time: 0, ...body }, headers);
  if (!answer.body.success) throw new Error(answer.text);
  return answer.body.data as AccessTokenView & { token: string };
}

/** Makes the user's sessions `seconds` older. */
async function age(userId: number, seconds: number) {
  const expiresAt = sql`${sessions.expiresAt} - ${seconds}`;
  await app.db.update(sessions).set({ expiresAt }).where(eq(sessions.userId, userId));
  await app.changes.publish("users", [userId]);
}

const set = (body: object) => app.ask("PUT", "/api/user/", body, root);
const manage = (id: number, action: string) => app.ask("POST", "/api/user/manage", { id, action }, root);

async function giveRole(id: number, rights: readonly string[]): Promise<number> {
  const created = await app.ask("POST", "/api/admin_role/", { name: `role of ${id}`, rights }, root);
  const roleId = (created.body.data as { id: number }).id;
  await app.ask("PUT", `/api/admin_role/users/${id}`, { role_id: roleId }, root);
  return roleId;
}

/** What must end every access token of a user: `before` comes ahead of the tokens. */
const ENDS: Readonly<
  Record<
    string,
    Readonly<{
      role?: "admin";
      before?: (id: number) => Promise<unknown>;
      act: (id: number, own: Headers, before: unknown) => Promise<unknown>;
      after?: (id: number) => Promise<unknown>;
    }>
  >
> = {
  "an own new password": {
    act: (_, own) =>
      app.ask("PUT", "/api/user/self", { original_password: TEST_PASSWORD, password: "new password" }, own),
  },
  "a password that an administrator sets": {
    act: (id) => set({ id, password: "set by root" }),
  },
  "the end of all other sessions": {
    act: (_, own) => app.ask("DELETE", "/api/user/sessions", undefined, own),
  },
  "a ban, also after it is lifted": {
    act: (id) => manage(id, "disable"),
    after: (id) => manage(id, "enable"),
  },
  "a ban of many": {
    act: (id) => app.ask("POST", "/api/user/manage/batch", { ids: [id], action: "disable" }, root),
    after: (id) => manage(id, "enable"),
  },
  deletion: { act: (id) => manage(id, "delete") },
  demotion: { role: "admin", act: (id) => manage(id, "demote") },
  "other rights of the role": {
    before: (id) => giveRole(id, ["users:read", "logs:read"]),
    act: (id, _, role) =>
      app.ask("PUT", `/api/admin_role/${role}`, { name: `role of ${id}`, rights: ["logs:read"] }, root),
  },
  "the role taken away": {
    before: (id) => giveRole(id, ["users:read"]),
    act: (id) => app.ask("PUT", `/api/admin_role/users/${id}`, { role_id: 0 }, root),
  },
};

describe("all access tokens of a user end with", () => {
  test.each(Object.entries(ENDS))("%s", async (name, { role, before, act, after }) => {
    const username = `u${Object.keys(ENDS).indexOf(name)}`;
    const id = await app.addUser(username, role);
    const prepared = await before?.(id);
    const own = await app.login(username);
    const reset = String((await app.ask("GET", "/api/user/token", undefined, own)).body.data);
    const named = (await create(own)).token;
    expect([await statusOf(reset), await statusOf(named)]).toEqual([200, 200]);
    expect(await act(id, own, prepared)).toMatchObject({
      body: { success: true },
    });
    expect([await statusOf(reset), await statusOf(named)]).toEqual([401, 401]);
    await after?.(id);
    expect([await statusOf(reset), await statusOf(named)]).toEqual([401, 401]);
  });
});

describe("making one", () => {
  test("needs a recent sign-in or the password, and no access token will do", async () => {
    const id = await app.addUser("nora");
    const nora = await app.login("nora");
    const { token } = await create(nora);
    const make = async (headers: Headers, body: object = {}) =>
      (
        await app.ask(
          "POST",
          PATH,
          {
            name: `n${crypto.randomUUID()}`.slice(0, 20),
            expires_time: 0,
            ...body,
          },
          headers,
        )
      ).body.code;
    const reset = async (headers: Headers) => (await app.ask("GET", "/api/user/token", undefined, headers)).body.code;
    const byToken = { authorization: token };
    expect([await make(byToken, { password: TEST_PASSWORD }), await reset(byToken)]).toEqual([
      "session_required",
      "session_required",
    ]);
    expect([await make(nora), await reset(nora)]).toEqual([undefined, undefined]);
    await age(id, 1000);
    expect([await make(nora), await reset(nora)]).toEqual(["owner_password_required", "sign_in_again"]);
    expect(await make(nora, { password: "guess" })).toBe("owner_password_wrong");
    expect(await make(nora, { password: TEST_PASSWORD })).toBeUndefined();
  });

  test("gives it a name and an expiry, and never shows it again", async () => {
    await app.addUser("olaf");
    const olaf = await app.login("olaf");
    const expires = nowSeconds() + 3600;
    const { token, ...view } = await create(olaf, {
      name: " deploy ",
      expires_time: expires,
    });
    expect(token).toMatch(/^[A-Za-z0-9+/]{32}$/);
    expect(view).toMatchObject({
      name: "deploy",
      token_end: token.slice(-4),
      expires_time: expires,
      last_used_time: 0,
    });
    const [row] = await app.db.select().from(accessTokens).where(eq(accessTokens.id, view.id));
    expect(JSON.stringify(row)).not.toContain(token);
    const code = async (body: object) => (await app.ask("POST", PATH, { expires_time: 0, ...body }, olaf)).body.code;
    expect(await code({ name: "deploy" })).toBe("access_token_name_taken");
    expect(await code({ name: "  " })).toBe("access_token_name");
    expect(await code({ name: "x".repeat(41) })).toBe("access_token_name");
    expect(await code({ name: "late", expires_time: nowSeconds() })).toBe("access_token_expiry_past");
  });
});

describe("one of them", () => {
  test("expires, notes its last use, and is revoked alone", async () => {
    await app.addUser("pia");
    const pia = await app.login("pia");
    const [first, second] = [await create(pia, { name: "first" }), await create(pia, { name: "second" })];
    expect(await statusOf(first.token)).toBe(200);
    expect(await list(pia)).toMatchObject([
      { name: "first", last_used_time: expect.any(Number) },
      { name: "second", last_used_time: 0 },
    ]);
    expect((await list(pia))[0]?.last_used_time).toBeGreaterThan(nowSeconds() - 60);
    await app.db.update(accessTokens).set({ expiresAt: nowSeconds() }).where(eq(accessTokens.id, second.id));
    expect([await statusOf(first.token), await statusOf(second.token)]).toEqual([200, 401]);
    const other = await app.login("root");
    const revoke = async (headers: Headers) =>
      (await app.ask("DELETE", `${PATH}/${first.id}`, undefined, headers)).body.code;
    expect(await revoke(other)).toBe("access_token_unknown");
    expect(await statusOf(first.token)).toBe(200);
    expect(await revoke(pia)).toBeUndefined();
    expect(await statusOf(first.token)).toBe(401);
  });

  test("is replaced by GET /api/user/token, which leaves the named ones", async () => {
    await app.addUser("quentin");
    const own = await app.login("quentin");
    const named = await create(own);
    const reset = async () => String((await app.ask("GET", "/api/user/token", undefined, own)).body.data);
    const [old, next] = [await reset(), await reset()];
    expect([await statusOf(old), await statusOf(next), await statusOf(named.token)]).toEqual([401, 200, 200]);
    expect((await list(own)).map(({ name }) => name)).toEqual(["ci", ""]);
    expect((await app.ask("GET", "/api/user/self", undefined, own)).body.data).toMatchObject({
      access_token_set: true,
    });
  });
});

test("one of an earlier release works on after the update, and ends like all others", async () => {
  const id = await app.addUser("rosa");
  const token = "0123456789abcdef0123456789abcdef";
  await app.db
    .update(users)
    .set({ accessTokenHash: app.vault.keyedHash(token) })
    .where(eq(users.id, id));
  await carryOver(0, (statement) => app.db.execute(sql.raw(statement)));
  expect(await statusOf(token)).toBe(200);
  const [row] = await app.db.select().from(users).where(eq(users.id, id));
  expect(row?.accessTokenHash).toBeNull();
  await set({ id, password: "set by root" });
  expect(await statusOf(token)).toBe(401);
});
