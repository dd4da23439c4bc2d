import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { and, eq, sql } from "drizzle-orm";
import { signInFlows } from "../../../../db/schema/accounts/sign-in.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import {
  signTelegramProof,
  startFakeSignInServices,
  type TokenAttack,
} from "../../../../test/support/console/services/sign-in.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";

let app: TestConsole;
let outside: Awaited<ReturnType<typeof startFakeSignInServices>>;
const BOT = "4711:bot secret";

beforeAll(async () => {
  outside = await startFakeSignInServices();
  const { url } = outside;
  app = await startTestConsole(undefined, undefined, {
    github: url,
    githubApi: url,
    linuxdo: url,
    linuxdoApi: url,
    discord: url,
    telegram: "https://telegram.test",
  });
  const options = {
    ServerAddress: "https://gate.example.com",
    GitHubClientId: "github client",
    GitHubClientSecret: "github secret",
    GitHubOAuthEnabled: "true",
    LinuxDOClientId: "linuxdo client",
    LinuxDOClientSecret: "linuxdo secret",
    LinuxDOOAuthEnabled: "true",
    DiscordClientId: "discord client",
    DiscordClientSecret: "discord secret",
    DiscordOAuthEnabled: "true",
    "oidc.client_id": "oidc client",
    "oidc.client_secret": "oidc secret",
    "oidc.well_known": `${url}/.well-known/openid-configuration`,
    "oidc.enabled": "true",
    WeChatServerAddress: url,
    WeChatServerToken: "wechat token",
    WeChatAuthEnabled: "true",
    TelegramBotToken: BOT,
    TelegramOAuthEnabled: "true",
  } as const;
  for (const [key, value] of Object.entries(options)) await app.settings.set(key as keyof typeof options, value);
});
afterAll(async () => {
  await app.close();
  await outside.stop();
});

type Person = Parameters<typeof outside.codeFor>[0];
type Headers = Record<string, string>;

const cookieOf = (headers: globalThis.Headers) => headers.get("set-cookie")?.split(";")[0] ?? "";
const joined = (headers: Headers, cookie: string): Headers => ({
  ...headers,
  cookie: [headers.cookie, cookie].filter(Boolean).join("; "),
});
const userOf = async (id: number) => (await app.db.select().from(users).where(eq(users.id, id)))[0];

/** Goes to the service and comes back, as the console does; `headers` are those of whoever is signed in. */
async function visit(provider: string, person: Person, headers: Headers = {}, aff = "") {
  const started = await app.ask("GET", `/api/oauth/${provider}/start?aff=${aff}`, undefined, headers);
  const { url } = started.body.data as { url: string };
  const parameters = new URL(url).searchParams;
  outside.sayInIdToken({ nonce: parameters.get("nonce") ?? "" });
  const code = outside.codeFor(person, url);
  const cookie = cookieOf(started.headers);
  const back = (query: Record<string, string>, with_ = joined(headers, cookie)) =>
    app.ask("GET", `/api/oauth/${provider}?${new URLSearchParams(query)}`, undefined, with_);
  return { url, parameters, code, state: parameters.get("state") ?? "", cookie, back };
}

async function signIn(provider: string, person: Person, headers: Headers = {}, aff = "") {
  const { back, code, state } = await visit(provider, person, headers, aff);
  return back({ code, state });
}

const PEOPLE: Record<string, (id: number) => Person> = {
  github: (id) => ({ id, login: "root", name: "Octo Cat" }),
  linuxdo: (id) => ({ id, username: "root", name: "Lin", active: true, trust_level: 1 }),
  discord: (id) => ({ id: String(id), username: "root", global_name: "Dis" }),
  oidc: (id) => ({ sub: `sub-${id}`, name: "Oi", email: "oi@example.com", email_verified: true }),
};

describe.each(Object.keys(PEOPLE))("signing in with %s", (provider) => {
  const person = (id: number) => PEOPLE[provider]?.(id) ?? {};

  test("makes an account at first, and finds it again", async () => {
    const first = await signIn(provider, person(1001));
    expect(first.body).toMatchObject({ success: true, message: "" });
    const { id, username, role } = first.body.data as { id: number; username: string; role: number };
    expect([username.length <= 12, role]).toEqual([true, 1]);
    const headers = { cookie: cookieOf(first.headers), "Sluice-User": String(id) };
    expect((await app.ask("GET", "/api/user/self", undefined, headers)).status).toBe(200);
    expect((await signIn(provider, person(1001))).body.data).toMatchObject({ id });
    expect((await signIn(provider, person(1002))).body.data).not.toMatchObject({ id });
    expect((await userOf(id))?.passwordHash).toBeNull();
  });

  // Linux DO does not take PKCE.
  test.skipIf(provider === "linuxdo")("proves with a verifier of its own that it began the sign-in", async () => {
    const { back, code, state, parameters } = await visit(provider, person(1001));
    expect(parameters.get("code_challenge_method")).toBe("S256");
    expect((await back({ code, state })).body.success).toBe(true);
    const verifier = outside.calls.findLast(({ form }) => form.code === code)?.form.code_verifier ?? "";
    expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
    const hash = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
    expect(parameters.get("code_challenge")).toBe(hash);
    const other = await visit(provider, person(1001));
    expect(other.parameters.get("code_challenge")).not.toBe(hash);
    expect((await other.back({ code, state: other.state })).body.success).toBe(false);
  });

  test("of ten clicks at once one makes the account", async () => {
    const visits = await Promise.all(Array.from({ length: 10 }, () => visit(provider, person(1500))));
    outside.sayInIdToken({ nonce: "" });
    const isOidc = provider === "oidc";
    const answers = [];
    for (const { back, code, state, parameters } of visits) {
      if (isOidc) outside.sayInIdToken({ nonce: parameters.get("nonce") ?? "" });
      const answer = back({ code, state });
      answers.push(isOidc ? await answer : answer);
    }
    const ids = (await Promise.all(answers)).map(({ body }) => (body.data as { id: number } | undefined)?.id);
    expect(new Set(ids).size).toBe(1);
  });

  test("of many newcomers at once each gets an account", async () => {
    const answers = [];
    for (let from = 6000; from < 6020; from += 1) {
      const answer = signIn(provider, person(from));
      answers.push(provider === "oidc" ? await answer : answer);
    }
    const ids = (await Promise.all(answers)).map(({ body }) => (body.data as { id: number } | undefined)?.id);
    expect(new Set(ids.filter(Boolean)).size).toBe(20);
  });

  test("needs the state that this browser got, once", async () => {
    const { back, code, state, cookie } = await visit(provider, person(1001));
    const refused = async (answer: ReturnType<typeof back>) => {
      const { status, body } = await answer;
      expect([status, body.code]).toEqual([403, "oauth_state_wrong"]);
    };
    await refused(back({ code, state: "guess" }));
    await refused(back({ code, state }, {}));
    await refused(back({ code, state }, { cookie: "flow_oauth=guess" }));
    const other = provider === "github" ? "discord" : "github";
    await refused(app.ask("GET", `/api/oauth/${other}?code=${code}&state=${state}`, undefined, { cookie }));
    const again = await visit(provider, person(1001));
    await app.db.update(signInFlows).set({ expiresAt: sql`${signInFlows.expiresAt} - 601` });
    await refused(again.back({ code: again.code, state: again.state }));
    const good = await visit(provider, person(1001));
    expect((await good.back({ code: good.code, state: good.state })).body.success).toBe(true);
    await refused(good.back({ code: good.code, state: good.state }));
  });

  test("binds to whoever started, and unbinds, but not the last way in", async () => {
    const name = `b_${provider}`;
    const id = await app.addUser(name);
    const headers = await app.login(name);
    const bound = await signIn(provider, person(2000), headers);
    expect(bound.body).toMatchObject({ success: true, message: "bind", data: null });
    expect((await signIn(provider, person(2000))).body.data).toMatchObject({ id });
    expect((await signIn(provider, person(2001), headers)).body.code).toBe("identity_bound_already");
    await app.addUser(`c_${provider}`);
    const other = await app.login(`c_${provider}`);
    expect((await signIn(provider, person(2000), other)).body.code).toBe("identity_taken");
    await app.db.update(users).set({ passwordHash: null }).where(eq(users.id, id));
    const unbind = () => app.ask("DELETE", `/api/user/bindings/${provider}`, undefined, headers);
    expect((await unbind()).body.code).toBe("last_sign_in");
    await app.db.update(users).set({ passwordHash: "x" }).where(eq(users.id, id));
    // A password that opens nothing is no way in.
    await app.settings.set("PasswordLoginEnabled", "false");
    expect((await unbind()).body.code).toBe("last_sign_in");
    await app.settings.set("PasswordLoginEnabled", "true");
    expect((await unbind()).body.success).toBe(true);
    expect((await unbind()).body.code).toBe("identity_not_bound");
  });

  test("what somebody else started does not bind here: neither by a planted cookie nor after a change of user", async () => {
    await app.addUser(`v_${provider}`);
    const victim = await app.login(`v_${provider}`);
    await app.addUser(`m_${provider}`);
    const attacker = await app.login(`m_${provider}`);
    const { back, code, state, cookie } = await visit(provider, person(3000), attacker);
    expect((await back({ code, state }, joined(victim, cookie))).status).toBe(403);
    const anonymous = await visit(provider, person(3001));
    const answer = await anonymous.back(
      { code: anonymous.code, state: anonymous.state },
      joined(victim, anonymous.cookie),
    );
    // A sign-in stays one: it does not become a binding because somebody was signed in meanwhile.
    expect(answer.body.message).not.toBe("bind");
    const rows = await app.db
      .select()
      .from(identities)
      .where(eq(identities.userId, Number(victim["Sluice-User"])));
    expect(rows).toEqual([]);
  });

  test("respects closed registration, bans and the switch", async () => {
    await app.settings.set("RegisterEnabled", "false");
    expect((await signIn(provider, person(4000))).body.code).toBe("registration_disabled");
    expect((await signIn(provider, person(1001))).body.success).toBe(true);
    await app.settings.set("RegisterEnabled", "true");
    const subject = provider === "oidc" ? "sub-1002" : "1002";
    const [bound] = await app.db
      .select()
      .from(identities)
      .where(and(eq(identities.provider, provider), eq(identities.subject, subject)));
    await app.db
      .update(users)
      .set({ status: 2 })
      .where(eq(users.id, bound?.userId ?? 0));
    const banned = await signIn(provider, person(1002));
    expect([banned.body.code, banned.headers.get("set-cookie")]).toEqual(["user_banned", null]);
  });

  test("does not let deregistered people come back, neither to an account of their own nor to another", async () => {
    await app.settings.set("QuotaForNewUser", "700");
    const name = `x_${provider}`;
    await app.addUser(name);
    const other = await app.login(name);
    for (const [number, isUnboundFirst] of [
      [5000, false],
      [5001, true],
    ] as const) {
      const joinedBy = await signIn(provider, person(number));
      const { id } = joinedBy.body.data as { id: number };
      expect(joinedBy.body.data).toMatchObject({ quota: 700 });
      const headers = { cookie: cookieOf(joinedBy.headers), "Sluice-User": String(id) };
      if (isUnboundFirst) {
        await app.db.update(users).set({ passwordHash: "x" }).where(eq(users.id, id));
        const unbound = await app.ask("DELETE", `/api/user/bindings/${provider}`, undefined, headers);
        expect(unbound.body.success).toBe(true);
      }
      const { username } = joinedBy.body.data as { username: string };
      expect((await app.ask("DELETE", "/api/user/self", { username }, headers)).body.success).toBe(true);
      const back = await signIn(provider, person(number));
      expect([back.body.code, back.headers.get("set-cookie")]).toEqual(["account_deregistered", null]);
      expect((await signIn(provider, person(number), other)).body.code).toBe("account_deregistered");
      const rows = await app.db.select().from(identities).where(eq(identities.provider, provider));
      expect(rows.filter(({ subject }) => subject.endsWith(String(number)))).toEqual([]);
    }
    expect((await signIn(provider, person(5002), other)).body.message).toBe("bind");
    await app.settings.set("QuotaForNewUser", "0");
  });

  test("shows what the service rejected", async () => {
    const { back, state } = await visit(provider, person(1001));
    const answer = await back({ state, error: "access_denied", error_description: "You said no" });
    expect(answer.body).toMatchObject({ code: "oauth_refused" });
    expect(answer.body.message).toContain("You said no");
    const wrong = await visit(provider, person(1001));
    expect((await wrong.back({ state: wrong.state, code: "guess" })).body.code).toBe("oauth_failed");
  });
});

describe("sign-in at other services", () => {
  test("never finds an account by name or address", async () => {
    const root = await app.addUser("admin", "root");
    await app.db.update(users).set({ email: "root@example.com" }).where(eq(users.id, root));
    for (const [provider, person] of [
      ["github", { id: 9001, login: "admin", emails: [{ email: "root@example.com", primary: true, verified: true }] }],
      ["oidc", { sub: "9001", preferred_username: "admin", email: "root@example.com", email_verified: true }],
      ["discord", { id: "9001", username: "admin", email: "root@example.com", verified: true }],
    ] as const) {
      const { id } = (await signIn(provider, person)).body.data as { id: number };
      expect(id).not.toBe(root);
      expect(await userOf(id)).toMatchObject({ email: null, role: 1 });
    }
  });

  test("keeps an address only when the service has verified it", async () => {
    const github = (id: number, verified: boolean) =>
      signIn("github", { id, emails: [{ email: `gh${id}@example.com`, primary: true, verified }] });
    expect((await github(9101, true)).body.data).toMatchObject({ email: "gh9101@example.com" });
    expect((await github(9102, false)).body.data).toMatchObject({ email: "" });
    const oidc = await signIn("oidc", { sub: "9103", preferred_username: "fritz", email: "f@example.com" });
    expect(oidc.body.data).toMatchObject({ username: "fritz", email: "" });
  });

  test("makes no account with an address of somebody whom an administrator deregistered", async () => {
    const id = await app.addUser("mailer");
    await app.db.update(users).set({ email: "mailer@example.com" }).where(eq(users.id, id));
    await app.addUser("judge", "root");
    const judge = await app.login("judge");
    expect((await app.ask("DELETE", `/api/user/${id}`, undefined, judge)).body.success).toBe(true);
    const emails = [{ email: "Mailer@example.com", primary: true, verified: true }];
    expect((await signIn("github", { id: 9150, emails })).body.code).toBe("account_deregistered");
    expect((await signIn("github", { id: 9151 })).body.success).toBe(true);
  });

  test("rewards whoever invited", async () => {
    const inviter = await app.addUser("inviter");
    await app.settings.set("QuotaForInviter", "70");
    await app.settings.set("QuotaForInvitee", "30");
    const code = (await userOf(inviter))?.affCode ?? "";
    const answer = await signIn("oidc", { sub: "9200" }, {}, code);
    expect(answer.body.data).toMatchObject({ quota: 30, inviter_id: inviter });
    expect(await userOf(inviter)).toMatchObject({ affCount: 1, affQuota: 70 });
    await app.settings.set("QuotaForInviter", "0");
    await app.settings.set("QuotaForInvitee", "0");
  });

  test("works with an address that the browser builds by itself", async () => {
    const started = await app.ask("GET", "/api/oauth/state");
    const code = outside.codeFor({ id: 9300 });
    const answer = await app.ask("GET", `/api/oauth/github?code=${code}&state=${started.body.data}`, undefined, {
      cookie: cookieOf(started.headers),
    });
    expect(answer.body.success).toBe(true);
  });

  test.each([
    ["oidc", { sub: "sub-9310", email: "by-itself@example.com" }],
    ["github", { id: 9310 }],
    ["discord", { id: "9310" }],
  ])("proves to %s that it began, where the browser passes the challenge on", async (provider, person) => {
    const started = await app.ask("GET", "/api/oauth/state?code_challenge_method=S256");
    const { data: state, code_challenge, code_challenge_method } = started.body as unknown as Record<string, string>;
    const parameters = new URLSearchParams({ code_challenge, code_challenge_method, state } as Record<string, string>);
    outside.sayInIdToken({ nonce: "" });
    const code = outside.codeFor(person, `https://elsewhere.test/authorize?${parameters}`);
    const back = (cookie: string, of = state) =>
      app.ask("GET", `/api/oauth/${provider}?code=${code}&state=${of}`, undefined, { cookie });
    const other = await app.ask("GET", "/api/oauth/state?code_challenge_method=S256");
    expect((await back(cookieOf(other.headers), String(other.body.data))).body.success).toBe(false);
    expect((await back(cookieOf(started.headers))).body.success).toBe(true);
    const verifier = outside.calls.findLast(({ form }) => form.code === code)?.form.code_verifier ?? "";
    expect(new Bun.CryptoHasher("sha256").update(verifier).digest("base64url")).toBe(code_challenge ?? "");
    expect((await app.ask("GET", "/api/oauth/state")).body).not.toHaveProperty("code_challenge");
    expect((await app.ask("GET", "/api/oauth/state?code_challenge_method=plain")).status).toBe(400);
  });

  test("sends each service what it asks for, and secrets to nobody else", async () => {
    const linuxdo = await visit("linuxdo", { id: 9400 });
    expect(Object.fromEntries(linuxdo.parameters)).toMatchObject({
      client_id: "linuxdo client",
      redirect_uri: "https://gate.example.com/oauth/linuxdo",
      response_type: "code",
    });
    outside.calls.length = 0;
    await linuxdo.back({ code: linuxdo.code, state: linuxdo.state });
    expect(outside.calls[0]?.headers.get("authorization")).toBe(`Basic ${btoa("linuxdo client:linuxdo secret")}`);
    expect(outside.calls[0]?.form).toMatchObject({ redirect_uri: "https://gate.example.com/oauth/linuxdo" });
    const status = await app.ask("GET", "/api/status");
    expect(status.text).not.toContain("secret");
    expect(status.body.data).toMatchObject({
      github_oauth: true,
      discord_oauth: true,
      github_client_id: "github client",
    });
  });

  test("refuses what is off and what is unknown", async () => {
    await app.settings.set("DiscordOAuthEnabled", "false");
    expect((await app.ask("GET", "/api/oauth/discord/start")).body.code).toBe("oauth_disabled");
    await app.settings.set("DiscordOAuthEnabled", "true");
    expect((await app.ask("GET", "/api/oauth/myspace/start")).status).toBe(404);
  });
});

describe("OpenID tokens", () => {
  test.each([
    ["of another nonce", { nonce: "another" }],
    ["of another issuer", { iss: "https://evil.example.com" }],
    ["for another client", { aud: "another client" }],
    ["that has expired", { exp: 1000 }],
    ["about somebody else than the user info", { sub: "somebody else" }],
  ])("a token %s is refused", async (_, change) => {
    const { back, code, state, parameters } = await visit("oidc", { sub: "9500" });
    outside.sayInIdToken({ nonce: parameters.get("nonce") ?? "", change });
    expect((await back({ code, state })).body.code).toBe("oauth_failed");
  });

  test.each<TokenAttack>(["none", "public key as secret", "own key", "own address of keys"])(
    "a token whose sender chose algorithm or key is refused: %s",
    async (attack) => {
      const { back, code, state, parameters } = await visit("oidc", { sub: "9502" });
      outside.sayInIdToken({ nonce: parameters.get("nonce") ?? "", attack });
      expect((await back({ code, state })).body.code).toBe("oauth_failed");
    },
  );

  test("a token that another key signed is refused", async () => {
    const { back, code, state, parameters } = await visit("oidc", { sub: "9501" });
    outside.sayInIdToken({ nonce: parameters.get("nonce") ?? "", isForged: true });
    expect((await back({ code, state })).body.code).toBe("oauth_failed");
  });
});

describe("WeChat", () => {
  const ask = (path: string, code: string, headers?: Headers) =>
    app.ask("GET", `/api/oauth/wechat${path}?code=${code}`, undefined, headers);

  test("signs in and binds by the server's codes", async () => {
    const first = await ask("", outside.codeFor({ wechat: "wx-1" }));
    expect(first.body).toMatchObject({ success: true, data: { wechat_id: "wx-1" } });
    expect((await ask("", "guess")).body.code).toBe("wechat_code_wrong");
    await app.addUser("wendy");
    const wendy = await app.login("wendy");
    expect((await ask("/bind", outside.codeFor({ wechat: "wx-1" }), wendy)).body.code).toBe("identity_taken");
    expect((await ask("/bind", outside.codeFor({ wechat: "wx-2" }), wendy)).body.message).toBe("bind");
    expect((await ask("/bind", outside.codeFor({ wechat: "wx-3" }))).status).toBe(401);
  });
});

describe("Telegram", () => {
  const proof = (change: Record<string, string> = {}, token = BOT) => {
    const fields: Record<string, string> = {
      id: "777",
      first_name: "Tele",
      username: "admin",
      auth_date: String(Math.floor(Date.now() / 1000) - Math.floor(Math.random() * 60)),
      ...change,
    };
    return signTelegramProof(fields, token);
  };
  const ask = (action: string, fields: Record<string, string>, headers?: Headers) =>
    app.ask("GET", `/api/oauth/telegram/${action}?${new URLSearchParams(fields)}`, undefined, headers);

  test("binds, then signs in; it makes no accounts, and a proof works once", async () => {
    expect((await ask("login", proof())).body.code).toBe("telegram_not_bound");
    const id = await app.addUser("tess");
    const tess = await app.login("tess");
    expect((await ask("bind", proof({ photo_url: "1" }))).status).toBe(401);
    expect((await ask("bind", proof({ photo_url: "2" }), tess)).body.message).toBe("bind");
    const used = proof({ photo_url: "3" });
    expect((await ask("login", { ...used, lang: "zh" })).body.data).toMatchObject({ id });
    expect((await ask("login", used)).body.code).toBe("telegram_proof_wrong");
  });

  test.each([
    ["signed by another bot", () => proof({}, "4712:other")],
    ["with a changed id", () => ({ ...proof(), id: "778" })],
    ["of yesterday", () => proof({ auth_date: String(Math.floor(Date.now() / 1000) - 86_400) })],
    ["of tomorrow", () => proof({ auth_date: String(Math.floor(Date.now() / 1000) + 86_400) })],
    ["without a hash", () => ({ ...proof(), hash: "" })],
  ])("a proof %s is refused", async (_, make) =>
    expect((await ask("login", make())).body.code).toBe("telegram_proof_wrong"),
  );

  test("the way there names the bot, not its token", async () => {
    const { url } = (await ask("start", { state: "abc" })).body.data as { url: string };
    expect(url).toStartWith("https://telegram.test/auth?bot_id=4711&");
    expect(decodeURIComponent(url)).toContain("https://gate.example.com/oauth/telegram?state=abc");
    expect(url).not.toContain("secret");
  });
});

describe("binding an address", () => {
  test("needs a login and the code that was sent for this user", async () => {
    expect((await app.ask("GET", "/api/oauth/email/bind?email=a@example.com&code=1")).status).toBe(401);
    await app.addUser("emil");
    const emil = await app.login("emil");
    const answer = await app.ask("GET", "/api/oauth/email/bind?email=a@example.com&code=123456", undefined, emil);
    expect(answer.body.code).toBe("verification_code_wrong");
    const token = String((await app.ask("GET", "/api/user/token", undefined, emil)).body.data);
    for (const [method, path] of [
      ["GET", "/api/oauth/email/bind?email=a@example.com&code=1"],
      ["GET", "/api/oauth/wechat/bind?code=1"],
      ["GET", "/api/oauth/telegram/bind?id=1"],
      ["DELETE", "/api/user/bindings/github"],
    ] as const) {
      const byToken = await app.ask(method, path, undefined, { authorization: token });
      expect(byToken.body.code).toBe("session_required");
    }
    const cookieOnly = { cookie: emil.cookie ?? "" };
    const forged = await app.ask("GET", "/api/oauth/email/bind?email=a@example.com&code=1", undefined, cookieOnly);
    expect([forged.status, forged.body.code]).toEqual([401, "user_header_missing"]);
  });
});
