import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { identityProviders } from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { startFakeSignInServices } from "../../../../test/support/console/services/sign-in.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { createAccount } from "../../../domain/accounts/identity/create-user.ts";
import { changeMemberRole } from "../../../domain/accounts/organizations/members/change-members.ts";
import { nowSeconds } from "../../../lib/clock.ts";

type Fake = Awaited<ReturnType<typeof startFakeSignInServices>>;
type Person = Parameters<Fake["codeFor"]>[0];
type Provider = { id: number; name: string; secret_set: boolean };

let app: TestConsole;
let acme: Fake;
let globex: Fake;
let root: Record<string, string>;
let organization: number;
let serial = 0;
const PATH = "/api/identity_provider/";
const FIELDS = {
  ...{ type: "oidc", name: "Acme", icon: "microsoft", enabled: true, secret: "oidc secret", enforced: false },
  ...{ domains: [] as string[], creates_accounts: false, mappings: [] as object[] },
};

beforeAll(async () => {
  [acme, globex] = await Promise.all([startFakeSignInServices(), startFakeSignInServices()]);
  app = await startTestConsole();
  await app.settings.set("ServerAddress", "https://gate.example.com");
  await app.settings.set("Organizations", "on");
  await app.addUser("root", "root");
  root = await app.login("root");
  organization = await createAccount(app.db, { kind: "organization", username: "org" }, null);
  await app.changes.publish("users", [organization]);
});
afterAll(async () => {
  await app.close();
  await Promise.all([acme.stop(), globex.stop()]);
});
beforeEach(async () => {
  await app.db.delete(identityProviders);
  acme.sayInIdToken({ nonce: "" });
});

const config = (fake: Fake, more: Record<string, string> = {}) => ({
  ...{ issuer: fake.url, client_id: "oidc client", groups_claim: "groups" },
  ...more,
});
const add = async (change: object = {}, fake = acme): Promise<Provider> => {
  const answer = await app.ask("POST", PATH, { ...FIELDS, config: config(fake), ...change }, root);
  if (!answer.body.success) throw new Error(answer.text);
  return answer.body.data as Provider;
};
const person = (change: Person = {}): Person => {
  serial += 1;
  const email = `p${serial}@acme.example`;
  return { sub: `subject-${serial}`, email, email_verified: true, name: `Person ${serial}`, groups: [], ...change };
};
const cookieOf = (headers: Headers) => headers.get("set-cookie")?.split(";")[0] ?? "";

/** Signs in: to the provider's page, and back with a code. */
const signIn = async ({ id }: Pick<Provider, "id">, who: Person, fake = acme, backTo = id) => {
  const start = await app.ask("GET", `/api/oauth/sso-${id}/start`);
  const url = String((start.body.data as { url?: string } | undefined)?.url);
  const code = fake.codeFor(who, url);
  const query = new URLSearchParams({ code, state: new URL(url).searchParams.get("state") ?? "" });
  return app.ask("GET", `/api/oauth/sso-${backTo}?${query}`, undefined, { cookie: cookieOf(start.headers) });
};
const idOf = ({ body }: Awaited<ReturnType<typeof signIn>>) => (body.data as { id: number }).id;

test("a number is set aside for a provider, which takes it once, and none that people signed in by", async () => {
  const reserve = async () => ((await app.ask("POST", `${PATH}reserve`, {}, root)).body.data as Provider).id;
  const [first, second] = [await reserve(), await reserve()];
  expect(second).toBe(first + 1);
  expect((await add({ id: second })).id).toBe(second);
  expect((await add({ name: "Other", domains: [] })).id).toBe(second + 1);
  const code = async (id: number) =>
    (await app.ask("POST", PATH, { ...FIELDS, config: config(acme), id }, root)).body.code;
  // Taken, never set aside, and known to accounts whose provider was deleted.
  expect(await code(second)).toBe("sso_address_used");
  expect(await code(second + 100)).toBe("sso_address_used");
  const userId = await app.addUser("reserved-1");
  await app.db.insert(identities).values({ provider: `sso-${first}`, subject: "x", userId, createdAt: nowSeconds() });
  expect(await code(first)).toBe("sso_address_used");
  await app.db.delete(identities).where(eq(identities.provider, `sso-${first}`));
  expect((await add({ id: first, name: "Late" })).id).toBe(first);
});

describe("identity providers", () => {
  test("are offered by name and icon, and show no secret to anybody", async () => {
    const first = await add();
    const second = await add({ name: "Globex", icon: "" }, globex);
    await add({ name: "Off", enabled: false });
    const offered = await app.ask("GET", "/api/oauth/providers");
    expect(offered.body.data).toEqual([
      { name: `sso-${first.id}`, label: "Acme", icon: "microsoft" },
      { name: `sso-${second.id}`, label: "Globex", icon: "" },
    ]);
    const listed = await app.ask("GET", PATH, undefined, root);
    expect(listed.body.data).toMatchObject([{ secret_set: true }, {}, {}]);
    expect(listed.text + offered.text).not.toContain("oidc secret");
    const [row] = await app.db.select().from(identityProviders).where(eq(identityProviders.id, first.id));
    expect(JSON.stringify(row)).not.toContain("oidc secret");
    expect((await app.ask("GET", "/api/oauth/sso-999999/start")).status).toBe(404);
  });

  test("keep their secret when a change sends none", async () => {
    const { id } = await add({ creates_accounts: true });
    const { type, ...fields } = FIELDS;
    const change = { ...fields, config: config(acme), name: "New name", secret: "", creates_accounts: true };
    expect((await app.ask("PUT", `${PATH}${id}`, change, root)).body.data).toMatchObject({ secret_set: true });
    expect((await signIn({ id }, person())).body.success).toBe(true);
  });

  test("are changed by super administrators with a session only", async () => {
    await app.addUser("admin", "admin");
    const body = { ...FIELDS, config: config(acme) };
    expect((await app.ask("POST", PATH, body, await app.login("admin"))).body.code).toBe("permission_denied");
    const token = String((await app.ask("GET", "/api/user/token", undefined, root)).body.data);
    expect((await app.ask("POST", PATH, body, { authorization: token })).body.code).toBe("session_required");
  });

  test.each([
    [{ name: " " }, "alert_name_invalid"],
    [{ icon: "skull" }, "sso_icon_unknown"],
    [{ config: {} }, "sso_field_required"],
    [{ config: { issuer: "ftp://x", client_id: "c" } }, "sso_issuer_invalid"],
    [{ domains: ["a b"] }, "sso_domain_invalid"],
    [{ enforced: true }, "sso_domains_required"],
    [{ mappings: [{ group: "g", organization_id: 999, role: "viewer" }] }, "sso_mapping_invalid"],
    [{ mappings: [{ group: "g", organization_id: 1, role: "viewer" }] }, "sso_mapping_invalid"],
  ])("refuse %j with %s", async (change, code) => {
    const answer = await app.ask("POST", PATH, { ...FIELDS, config: config(acme), ...change }, root);
    expect(answer.body.code).toBe(code);
  });

  test("refuse owners by group, an issuer that calls itself otherwise, and a domain of another", async () => {
    const mappings = [{ group: "g", organization_id: organization, role: "owner" }];
    const ask = async (change: object) =>
      (await app.ask("POST", PATH, { ...FIELDS, config: config(acme), ...change }, root)).body.code;
    expect(await ask({ mappings })).toBe("sso_mapping_invalid");
    expect(await ask({ config: config(acme, { issuer: `${acme.url}/` }) })).toBe("sso_issuer_differs");
    expect(await ask({ config: config(acme, { issuer: `${acme.url}/nowhere` }) })).toBe("sso_discovery_failed");
    await add({ domains: ["acme.example"] });
    expect(await ask({ name: "Other", domains: ["ACME.example"] })).toBe("sso_domain_taken");
  });
});

describe("signing in", () => {
  test("makes an account where the provider may, also while registration is closed", async () => {
    const [closed, open] = [await add(), await add({ name: "Open", creates_accounts: true }, globex)];
    await app.settings.set("RegisterEnabled", "false");
    const who = person();
    expect((await signIn(closed, who)).body.code).toBe("registration_disabled");
    const created = await signIn(open, who, globex);
    expect(created.body.data).toMatchObject({ email: who.email, display_name: who.name, sso: [`sso-${open.id}`] });
    expect(idOf(await signIn(open, who, globex))).toBe(idOf(created));
    await app.settings.set("RegisterEnabled", "true");
  });

  test("takes people of its domains alone", async () => {
    const provider = await add({ creates_accounts: true, domains: ["acme.example"] });
    for (const change of [
      { email: "x@evil.example" },
      { email_verified: false },
      { email: "x@acme.example.evil.example" },
    ]) {
      expect((await signIn(provider, person(change))).body.code).toBe("sso_domain_refused");
    }
    expect((await signIn(provider, person())).body.success).toBe(true);
  });

  test("finds an account by its verified address in a domain of the provider, and no super administrator", async () => {
    const provider = await add({ domains: ["acme.example"] });
    const [user, boss] = [await app.addUser("linked"), await app.addUser("boss", "root")];
    const setEmail = (id: number, email: string) => app.db.update(users).set({ email }).where(eq(users.id, id));
    await setEmail(user, "Linked@acme.example");
    await setEmail(boss, "boss@acme.example");
    await app.settings.set("RegisterEnabled", "false");
    const unverified = person({ email: "linked@acme.example", email_verified: false });
    expect((await signIn(provider, unverified)).body.code).toBe("registration_disabled");
    expect((await signIn(provider, person({ email: "boss@acme.example" }))).body.code).toBe("registration_disabled");
    expect(idOf(await signIn(provider, person({ email: "linked@acme.example" })))).toBe(user);
    const another = await signIn(provider, person({ email: "linked@acme.example" }));
    expect(another.body.code).toBe("identity_bound_already");
    await app.settings.set("RegisterEnabled", "true");
  });

  test("does not trust an address in a domain that is not the provider's", async () => {
    const provider = await add({ creates_accounts: true });
    const victim = await app.addUser("victim");
    await app.db.update(users).set({ email: "victim@acme.example" }).where(eq(users.id, victim));
    const answer = await signIn(provider, person({ email: "victim@acme.example" }));
    expect(idOf(answer)).not.toBe(victim);
    expect(answer.body.data).toMatchObject({ email: "" });
  });

  test.each([
    ["signed by another key", { isForged: true }],
    ["for another client", { change: { aud: "somebody else" } }],
    ["of another issuer", { change: { iss: "https://evil.example" } }],
    ["that has expired", { change: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
    ["with another nonce", { change: { nonce: "guess" } }],
    ["that was issued to another party", { change: { azp: "somebody else" } }],
    ["of somebody else", { change: { sub: "else" } }],
  ])("refuses an id token %s", async (_, claims) => {
    const provider = await add({ creates_accounts: true });
    acme.sayInIdToken({ nonce: "", ...claims });
    expect((await signIn(provider, person())).body.code).toBe("oauth_failed");
  });

  test.each<[Record<string, unknown>, string[], boolean]>([
    [{}, ["acme.example"], true],
    [{}, [], false],
    [{ email_verified: false }, ["acme.example"], false],
    [{ email_verified: "false" }, ["acme.example"], false],
    [{ email_verified: "true" }, [], true],
  ])("of a provider whose addresses are trusted, %j in the domains %j counts: %p", async (claims, domains, counts) => {
    const provider = await add({ creates_accounts: true, domains, config: config(acme, { trust_email: "true" }) });
    const { email_verified: _, ...who } = person();
    const answer = await signIn(provider, { ...who, ...claims });
    if (answer.body.success) expect(answer.body.data).toMatchObject({ email: counts ? who.email : "" });
    else expect([answer.body.code, counts]).toEqual(["sso_domain_refused", false]);
  });

  test("refuses a flow that names no provider, as it has neither nonce nor challenge", async () => {
    const provider = await add({ creates_accounts: true });
    const start = await app.ask("GET", `/api/oauth/sso-${provider.id}/start`);
    const code = acme.codeFor(person(), String((start.body.data as { url: string }).url));
    const state = await app.ask("GET", "/api/oauth/state");
    const query = new URLSearchParams({ code, state: String(state.body.data) });
    const path = `/api/oauth/sso-${provider.id}?${query}`;
    expect((await app.ask("GET", path, undefined, { cookie: cookieOf(state.headers) })).body.code).toBe(
      "oauth_state_wrong",
    );
  });

  test("refuses a code that comes back to another provider, and a state that was used", async () => {
    const [one, other] = [await add({ creates_accounts: true }), await add({ name: "Globex" }, globex)];
    const crossed = await signIn(one, person(), acme, other.id);
    expect([crossed.status, crossed.body.code]).toEqual([403, "oauth_state_wrong"]);
  });

  test("leaves a line in the log for each sign-in that was refused, with its reason", async () => {
    const provider = await add({ creates_accounts: true });
    const refuse = async (change: object, reason: string) => {
      app.warnings.length = 0;
      acme.sayInIdToken({ nonce: "", change: { aud: "oidc client", ...change } });
      expect((await signIn(provider, person())).body.code).toBe("oauth_failed");
      const line = { provider: `sso-${provider.id}`, code: "oauth_failed", msg: "a sign-in was refused" };
      expect(app.warnings).toEqual([expect.objectContaining({ ...line, reason: expect.stringContaining(reason) })]);
    };
    await refuse({ aud: "another client" }, 'unexpected "aud" claim value');
    await refuse({ iss: "https://evil.example.com" }, 'unexpected "iss" claim value');
    await refuse({ sub: "somebody else" }, "different subjects");
    app.warnings.length = 0;
    acme.sayInIdToken({ nonce: "" });
    expect((await signIn(provider, person(), globex)).body.code).toBe("oauth_failed");
    expect(app.warnings).toMatchObject([{ reason: expect.stringContaining("/oidc/token: status 400") }]);
    app.warnings.length = 0;
    expect((await signIn(provider, person())).body.success).toBe(true);
    expect(app.warnings).toEqual([]);
  });

  test("ends its session with ours where that is wanted", async () => {
    const quiet = await add({ creates_accounts: true });
    const logout = async (headers: Headers) =>
      (await app.ask("POST", "/api/user/logout", undefined, { cookie: cookieOf(headers) })).body.data;
    expect(await logout((await signIn(quiet, person())).headers)).toBeNull();
    const provider = await add({ config: config(globex, { sign_out: "true" }), creates_accounts: true });
    const who = person();
    const signedIn = await signIn(provider, who, globex);
    const { url } = (await logout(signedIn.headers)) as { url: string };
    expect(url).toStartWith(`${globex.url}/oidc/logout?`);
    const { id_token_hint: hint = "", ...sent } = Object.fromEntries(new URL(url).searchParams);
    expect(sent).toEqual({ client_id: "oidc client", post_logout_redirect_uri: "https://gate.example.com/login" });
    expect(decodeJwt(hint)).toMatchObject({ iss: globex.url, sub: who.sub });
    expect((await app.ask("GET", "/api/user/self", undefined, { cookie: cookieOf(signedIn.headers) })).status).toBe(
      401,
    );
    // A password names no provider.
    expect(await logout(new Headers({ "set-cookie": root.cookie ?? "" }))).toBeNull();
    root = await app.login("root");
    const open = await signIn(provider, who, globex);
    await app.db.update(identityProviders).set({ enabled: false }).where(eq(identityProviders.id, provider.id));
    expect(await logout(open.headers)).toBeNull();
  });

  test("a banned person stays out", async () => {
    const provider = await add({ creates_accounts: true });
    const who = person();
    const id = idOf(await signIn(provider, who));
    await app.ask("POST", "/api/user/manage", { id, action: "disable" }, root);
    expect((await signIn(provider, who)).body.code).toBe("user_banned");
  });
});

describe("a provider that is enforced", () => {
  const login = async (username: string) =>
    (await app.ask("POST", "/api/user/login", { username, password: TEST_PASSWORD })).body;

  test("is the only way in for its domains, except for super administrators", async () => {
    const id = await app.addUser("enforced");
    await app.db.update(users).set({ email: "enforced@acme.example" }).where(eq(users.id, id));
    const boss = await app.addUser("boss-2", "root");
    await app.db.update(users).set({ email: "boss-2@acme.example" }).where(eq(users.id, boss));
    expect((await login("enforced")).success).toBe(true);
    const provider = await add({ domains: ["acme.example"], enforced: true });
    const refused = await login("enforced");
    expect([refused.code, refused.message]).toEqual(["sso_required", expect.stringContaining("Acme")]);
    expect((await login("boss-2")).success).toBe(true);
    const who = person({ email: "enforced@acme.example" });
    expect(idOf(await signIn(provider, who))).toBe(id);
    const other = await add({ name: "Globex" }, globex);
    await app.db
      .insert(identities)
      .values({ provider: `sso-${other.id}`, subject: "g-1", userId: id, createdAt: nowSeconds() });
    expect((await signIn(other, person({ sub: "g-1" }), globex)).body.code).toBe("sso_required");
    // Without the address they are still the company's.
    await app.db.update(users).set({ email: null }).where(eq(users.id, id));
    expect((await login("enforced")).code).toBe("sso_required");
  });
});

describe("groups", () => {
  const roleOf = async (userId: number) => {
    const place = and(eq(organizationMembers.userId, userId), eq(organizationMembers.organizationId, organization));
    return (await app.db.select().from(organizationMembers).where(place))[0]?.role ?? null;
  };

  test("give memberships, change their roles, and end them with the keys", async () => {
    const mappings = [
      { group: "devs", organization_id: organization, role: "developer" },
      { group: "leads", organization_id: organization, role: "admin" },
    ];
    const provider = await add({ creates_accounts: true, mappings });
    const who = person({ groups: ["devs"] });
    const id = idOf(await signIn(provider, who));
    expect(await roleOf(id)).toBe("developer");
    await signIn(provider, { ...who, groups: ["devs", "leads"] });
    expect(await roleOf(id)).toBe("admin");
    const key = { userId: organization, createdBy: id, name: "k", keyHash: `h${id}`, keyCipher: "c", createdTime: 1 };
    const [token] = await app.db.insert(tokens).values(key).returning({ id: tokens.id });
    await signIn(provider, { ...who, groups: undefined });
    expect(await roleOf(id)).toBeNull();
    const [after] = await app.db
      .select()
      .from(tokens)
      .where(eq(tokens.id, token?.id ?? 0));
    expect(after?.status).toBe(2);
  });

  test("have one for everybody of the provider, above which a group may raise somebody", async () => {
    const provider = await add({
      ...{ creates_accounts: true, domains: ["everybody.example"] },
      mappings: [
        { group: "*", organization_id: organization, role: "viewer" },
        { group: "leads", organization_id: organization, role: "admin" },
      ],
    });
    const who = person({ email: "ann@everybody.example", email_verified: true });
    const id = idOf(await signIn(provider, who));
    expect(await roleOf(id)).toBe("viewer");
    await signIn(provider, { ...who, groups: ["leads"] });
    expect(await roleOf(id)).toBe("admin");
    await signIn(provider, who);
    expect(await roleOf(id)).toBe("viewer");
    const elsewhere = person({ email: "bob@elsewhere.example", email_verified: true });
    expect((await signIn(provider, elsewhere)).body.code).toBe("sso_domain_refused");
  });

  test("leave memberships alone that people granted", async () => {
    const provider = await add({
      creates_accounts: true,
      mappings: [{ group: "devs", organization_id: organization, role: "developer" }],
    });
    const who = person();
    const userId = idOf(await signIn(provider, who));
    await app.db
      .insert(organizationMembers)
      .values({ organizationId: organization, userId, role: "owner", joinedAt: nowSeconds() });
    await signIn(provider, { ...who, groups: ["devs"] });
    expect(await roleOf(userId)).toBe("owner");
    await signIn(provider, who);
    expect(await roleOf(userId)).toBe("owner");
  });

  test("don't undo a role that somebody was given by hand, nor end an owner's membership", async () => {
    const mappings = [{ group: "devs", organization_id: organization, role: "developer" }];
    const provider = await add({ creates_accounts: true, mappings });
    const who = person({ groups: ["devs"] });
    const userId = idOf(await signIn(provider, who));
    const boss = await app.addUser("org-boss");
    const values = { organizationId: organization, userId: boss, role: "owner" as const, joinedAt: nowSeconds() };
    await app.db.insert(organizationMembers).values(values);
    const owner = { id: boss, username: "org-boss" };
    await changeMemberRole(app, owner, { organizationId: organization, userId }, "owner");
    await signIn(provider, who);
    await signIn(provider, { ...who, groups: [] });
    expect(await roleOf(userId)).toBe("owner");
  });
});
