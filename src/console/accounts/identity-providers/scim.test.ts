/** Conformance with RFC 7643 and 7644, by what they say of each request, and what deprovisioning does here. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { identityProviders } from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import { scimUsers } from "../../../../db/schema/accounts/identity-providers/scim.ts";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { startFakeSignInServices } from "../../../../test/support/console/services/sign-in.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { createAccount } from "../../../domain/accounts/identity/create-user.ts";
import { syncMemberships } from "../../../domain/accounts/identity-providers/sync-memberships.ts";
import { createClientAddress } from "../../../lib/http/client-ip.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { scimRoutes } from "./scim.ts";

const SITE = "https://gate.example.com";
const BASE = `${SITE}/scim/v2`;
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

type Resource = { id: string; meta: { location: string }; Resources: Resource[] } & Record<string, unknown>;
let app: TestConsole;
let outside: Awaited<ReturnType<typeof startFakeSignInServices>>;
let root: Record<string, string>;
let organization: number;
let acme: { id: number; token: string };
let globex: { id: number; token: string };
let serial = 0;

const addProvider = async (name: string, domain: string) => {
  const body = {
    ...{ type: "oidc", name, icon: "", enabled: true, secret: "oidc secret", domains: [domain], enforced: false },
    config: { issuer: outside.url, client_id: "oidc client", groups_claim: "groups" },
    creates_accounts: false,
    mappings: [
      { group: "Developers", organization_id: organization, role: "developer" },
      { group: "Leads", organization_id: organization, role: "admin" },
    ],
  };
  const { id } = (await app.ask("POST", "/api/identity_provider/", body, root)).body.data as { id: number };
  const made = await app.ask("POST", `/api/identity_provider/${id}/scim_token`, {}, root);
  return { id, token: (made.body.data as { token: string }).token };
};

beforeAll(async () => {
  outside = await startFakeSignInServices();
  app = await startTestConsole();
  await app.settings.set("ServerAddress", SITE);
  await app.settings.set("Organizations", "on");
  await app.addUser("root", "root");
  root = await app.login("root");
  organization = await createAccount(app.db, { kind: "organization", username: "org" }, null);
  await app.changes.publish("users", [organization]);
  acme = await addProvider("Acme", "acme.example");
  globex = await addProvider("Globex", "globex.example");
});
afterAll(async () => {
  await app.close();
  await outside.stop();
});

const ask = async (method: string, path: string, body?: unknown, token = acme.token) => {
  const response = await app.send(method, `/scim/v2${path}`, body, {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { "content-type": "application/scim+json" }),
  });
  const text = await response.text();
  if (text !== "") expect(response.headers.get("content-type")).toBe("application/scim+json");
  return { status: response.status, headers: response.headers, text, body: (text ? JSON.parse(text) : {}) as Resource };
};
const person = (change: object = {}) => {
  serial += 1;
  return {
    ...{ schemas: [USER], userName: `p${serial}@acme.example`, externalId: `ext-${serial}`, active: true },
    name: { givenName: "Pat", familyName: `No${serial}` },
    emails: [{ value: `p${serial}@acme.example`, type: "work", primary: true }],
    ...change,
  };
};
const create = async (change: object = {}) => {
  const answer = await ask("POST", "/Users", person(change));
  expect(answer.status).toBe(201);
  return answer.body;
};
const patch = (path: string, ...Operations: object[]) => ask("PATCH", path, { schemas: [PATCH], Operations });
const find = (filter: string, path = "/Users") => ask("GET", `${path}?filter=${encodeURIComponent(filter)}`);
const userOf = async (id: string) =>
  (
    await app.db
      .select()
      .from(users)
      .where(eq(users.id, Number(id)))
  )[0];

describe("the service provider", () => {
  test("says what it supports, its types and their attributes", async () => {
    const { body } = await ask("GET", "/ServiceProviderConfig");
    expect(body).toMatchObject({ patch: { supported: true }, filter: { supported: true, maxResults: 200 } });
    const types = (await ask("GET", "/ResourceTypes")).body;
    expect(types).toMatchObject({ totalResults: 2, Resources: [{ id: "User", endpoint: "/Users" }, { id: "Group" }] });
    expect((await ask("GET", "/ResourceTypes/User")).body).toMatchObject({ schema: USER });
    const schema = (await ask("GET", `/Schemas/${USER}`)).body;
    expect(schema.attributes).toContainEqual(expect.objectContaining({ name: "userName", required: true }));
    expect((await ask("GET", "/Schemas")).body.totalResults).toBe(2);
    expect((await ask("GET", "/Schemas/urn:unknown")).status).toBe(404);
  });

  test.each([
    ["GET", "/Me"],
    ["POST", "/Bulk"],
    ["GET", "/"],
    ["PUT", "/Users/1/groups"],
  ])("says in its own format that there is no %s %s", async (method, path) => {
    const { status, body } = await ask(method, path, method === "POST" ? {} : undefined);
    expect({ status, body }).toMatchObject({ status: 404, body: { schemas: [ERROR], status: "404" } });
    expect((await ask(method, path, undefined, "wrong")).status).toBe(401);
  });

  test("leaves a line in the log for each wrong token", async () => {
    app.warnings.length = 0;
    await ask("GET", "/Users", undefined, "wrong");
    expect(app.warnings).toMatchObject([
      { msg: "a SCIM call was refused", reason: "the token is wrong or was revoked" },
    ]);
  });

  test.each([
    ["POST", "/ServiceProviderConfig", "GET"],
    ["PUT", "/ResourceTypes", "GET"],
    ["PATCH", "/Schemas", "GET"],
    ["DELETE", `/Schemas/${USER}`, "GET"],
    ["DELETE", "/Users", "GET, POST"],
    ["POST", "/Groups/1", "GET, PUT, PATCH, DELETE"],
    ["PUT", "/.search", "POST"],
  ])("refuses %s %s with the methods that there are", async (method, path, allow) => {
    const { status, body, headers } = await ask(method, path);
    expect({ status, body }).toMatchObject({ status: 405, body: { schemas: [ERROR], status: "405" } });
    expect(headers.get("allow")).toBe(allow);
    expect((await ask(method, path, undefined, "wrong")).status).toBe(401);
  });

  test.each(["", "Bearer", "Bearer wrong", `Bearer sluice_scim_${"A".repeat(43)}`, "Basic abc"])(
    "refuses %j with 401",
    async (authorization) => {
      for (const path of ["/Users", "/Groups", "/ServiceProviderConfig", "/Users/1"]) {
        const answer = await app.send("GET", `/scim/v2${path}`, undefined, { authorization });
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
        expect(await answer.json()).toMatchObject({ schemas: [ERROR], status: "401" });
      }
    },
  );

  test("takes no token of the console, a token of its own once, and none that was revoked", async () => {
    const personal = String((await app.ask("GET", "/api/user/token", undefined, root)).body.data);
    expect((await ask("GET", "/Users", undefined, personal)).status).toBe(401);
    const { id, token } = await addProvider("Old", "old.example");
    expect((await ask("GET", "/Users", undefined, token)).status).toBe(200);
    const [row] = await app.db.select().from(identityProviders).where(eq(identityProviders.id, id));
    expect(JSON.stringify(row)).not.toContain(token.slice(12));
    expect((await app.ask("GET", "/api/identity_provider/", undefined, root)).text).not.toContain(token.slice(12));
    await app.ask("DELETE", `/api/identity_provider/${id}/scim_token`, undefined, root);
    expect((await ask("GET", "/Users", undefined, token)).status).toBe(401);
  });

  test.each([
    ["POST", "/Users", "{", 400],
    ["POST", "/Users", "[]", 400],
    ["POST", "/Users", {}, 400],
    ["POST", "/Users", { userName: "x".repeat(300) }, 400],
    ["POST", "/Groups", { displayName: "" }, 400],
    ["POST", "/Groups", { displayName: "g", members: [{ value: "x" }] }, 400],
    ["POST", "/Groups", { displayName: "g", members: [{ value: "999999" }] }, 400],
    ["PATCH", "/Users/1", { Operations: [] }, 400],
    ["GET", "/Users/999999", undefined, 404],
    ["GET", "/Users/abc", undefined, 404],
    ["PUT", "/Groups/999999", { displayName: "g" }, 404],
    ["GET", "/Users?filter=userName%20xx%201", undefined, 400],
  ])("%s %s of %j is %i, in the format of errors", async (method, path, body, status) => {
    const answer = await ask(method, path, body);
    expect([answer.status, answer.body.schemas, answer.body.status]).toEqual([status, [ERROR], String(status)]);
  });
});

describe("users", () => {
  test("are created with 201, a location, and without their password", async () => {
    const answer = await ask("POST", "/Users", person({ password: "secret-word" }));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${BASE}/Users/${answer.body.id}`);
    expect(answer.body).toMatchObject({ schemas: [USER], active: true, meta: { resourceType: "User" } });
    expect(answer.text).not.toContain("secret-word");
    expect((await ask("GET", `/Users/${answer.body.id}`)).body).toEqual(answer.body);
    expect(await userOf(answer.body.id)).toMatchObject({ displayName: expect.stringMatching(/^Pat No/), role: 1 });
  });

  test("have unique names, in whatever case", async () => {
    const { userName } = await create();
    const again = await ask("POST", "/Users", person({ userName: String(userName).toUpperCase() }));
    expect([again.status, again.body.scimType]).toEqual([409, "uniqueness"]);
    const other = await create();
    expect((await patch(`/Users/${other.id}`, { op: "replace", path: "userName", value: userName })).status).toBe(409);
  });

  test("are found by filters, and paged", async () => {
    const one = await create();
    for (const filter of [
      `userName eq "${String(one.userName).toUpperCase()}"`,
      `externalId eq "${one.externalId}"`,
      `id eq "${one.id}"`,
      `emails[type eq "work" and value eq "${one.userName}"]`,
      `userName eq "${one.userName}" and active eq true`,
    ]) {
      expect((await find(filter)).body).toMatchObject({ totalResults: 1, Resources: [{ id: one.id }] });
    }
    expect((await find('userName eq "nobody"')).body).toMatchObject({ totalResults: 0, Resources: [] });
    const all = (await ask("GET", "/Users")).body;
    const page = (await ask("GET", "/Users?startIndex=2&count=1")).body;
    expect(page).toMatchObject({ totalResults: all.totalResults, startIndex: 2, itemsPerPage: 1 });
    expect(page.Resources[0]?.id).toBe(String(all.Resources[1]?.id));
    expect((await ask("GET", "/Users?count=0")).body).toMatchObject({ totalResults: all.totalResults, Resources: [] });
    expect((await ask("GET", "/Users?startIndex=-3&count=-1")).body).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
  });

  test("are shown as far as the query requests", async () => {
    const { id } = await create();
    const some = (await ask("GET", `/Users/${id}?attributes=userName`)).body;
    expect(Object.keys(some).sort()).toEqual(["id", "meta", "schemas", "userName"]);
    expect((await ask("GET", `/Users/${id}?excludedAttributes=emails,name`)).body).not.toHaveProperty("emails");
  });

  test("are replaced by PUT: what is not sent is removed", async () => {
    const one = await create({ title: "Engineer" });
    const { title, ...rest } = one;
    const replaced = (await ask("PUT", `/Users/${one.id}`, { ...rest, displayName: "New" })).body;
    expect(replaced).toMatchObject({ id: one.id, displayName: "New" });
    expect(replaced).not.toHaveProperty("title");
  });

  test("are changed by PATCH, also as Microsoft Entra ID sends it", async () => {
    const one = await create();
    const changed = await patch(
      `/Users/${one.id}`,
      { op: "Replace", path: 'emails[type eq "work"].value', value: "new@acme.example" },
      { op: "Add", path: "name.formatted", value: "Formatted" },
      { op: "Replace", path: `${USER}:title`, value: "Boss" },
      { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "x" },
    );
    expect(changed).toMatchObject({ status: 200, body: { title: "Boss", name: { formatted: "Formatted" } } });
    expect(changed.body.emails).toMatchObject([{ value: "new@acme.example" }]);
    expect((await patch(`/Users/${one.id}`, { op: "Replace", path: "active", value: "False" })).body.active).toBe(
      false,
    );
  });

  test("of one provider are none of another's", async () => {
    const one = await create();
    for (const [method, body] of [
      ["GET", undefined],
      ["PUT", person()],
      ["PATCH", { schemas: [PATCH], Operations: [{ op: "replace", path: "active", value: false }] }],
      ["DELETE", undefined],
    ] as const) {
      expect((await ask(method, `/Users/${one.id}`, body, globex.token)).status).toBe(404);
    }
    expect((await ask("GET", "/Users", undefined, globex.token)).body.totalResults).toBe(0);
    const members = [{ value: one.id }];
    expect((await ask("POST", "/Groups", { displayName: "Theft", members }, globex.token)).status).toBe(400);
  });

  test("take over the account with their address in a domain of the provider, and no super administrator's", async () => {
    const [known, boss, foreign] = [
      await app.addUser("known"),
      await app.addUser("boss", "root"),
      await app.addUser("far"),
    ];
    const setEmail = (id: number, email: string) => app.db.update(users).set({ email }).where(eq(users.id, id));
    await setEmail(known, "known@acme.example");
    await setEmail(boss, "boss@acme.example");
    await setEmail(foreign, "far@globex.example");
    const named = (userName: string) => create({ userName, emails: [{ value: userName }] });
    expect((await named("known@acme.example")).id).toBe(String(known));
    expect((await named("boss@acme.example")).id).not.toBe(String(boss));
    expect((await named("far@globex.example")).id).not.toBe(String(foreign));
  });
});

describe("deprovisioning", () => {
  const signIn = async (who: Record<string, unknown>) => {
    const start = await app.ask("GET", `/api/oauth/sso-${acme.id}/start`);
    const { url } = start.body.data as { url: string };
    const query = new URLSearchParams({
      code: outside.codeFor(who, url),
      state: new URL(url).searchParams.get("state") ?? "",
    });
    const cookie = start.headers.get("set-cookie")?.split(";")[0] ?? "";
    return app.ask("GET", `/api/oauth/sso-${acme.id}?${query}`, undefined, { cookie });
  };

  test.each([
    ["active: false", (id: string) => patch(`/Users/${id}`, { op: "replace", value: { active: false } })],
    ["DELETE", (id: string) => ask("DELETE", `/Users/${id}`)],
  ])("by %s ends sessions and tokens, disables keys, and keeps people out", async (_, end) => {
    const one = await create();
    const userId = Number(one.id);
    const signedIn = await signIn({ sub: one.externalId, email: one.userName, email_verified: true });
    expect(signedIn.body.data).toMatchObject({ id: userId });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const session = { cookie, "Sluice-User": one.id };
    const accessToken = String((await app.ask("GET", "/api/user/token", undefined, session)).body.data);
    const key = (owner: number, hash: string) => ({
      ...{ userId: owner, createdBy: owner === userId ? null : userId, name: "k", keyHash: hash, keyCipher: "c" },
      createdTime: 1,
    });
    await app.db.insert(tokens).values([key(userId, `own-${userId}`), key(organization, `made-${userId}`)]);
    expect([200, 204]).toContain((await end(one.id)).status);
    for (const headers of [session, { authorization: accessToken }]) {
      expect((await app.ask("GET", "/api/user/self", undefined, headers)).body.success).toBe(false);
    }
    for (const hash of [`own-${userId}`, `made-${userId}`]) {
      expect((await app.db.select().from(tokens).where(eq(tokens.keyHash, hash)))[0]?.status).toBe(2);
    }
    const again = await signIn({ sub: one.externalId, email: one.userName, email_verified: true });
    expect(again.body.code).toBe("user_banned");
    expect(await userOf(one.id)).toMatchObject({ status: 2 });
  });

  test("is undone by active: true, and by creating the user again, with the same account", async () => {
    const one = await create();
    await patch(`/Users/${one.id}`, { op: "replace", path: "active", value: false });
    await patch(`/Users/${one.id}`, { op: "replace", path: "active", value: true });
    // What is not said counts as active, and is not said either.
    const removed = await patch(`/Users/${one.id}`, { op: "remove", path: "active" });
    expect(removed.body).not.toHaveProperty("active");
    expect(await userOf(one.id)).toMatchObject({ status: 1 });
    expect((await ask("DELETE", `/Users/${one.id}`)).status).toBe(204);
    expect((await ask("GET", `/Users/${one.id}`)).status).toBe(404);
    expect((await ask("DELETE", `/Users/${one.id}`)).status).toBe(404);
    expect((await create({ userName: one.userName })).id).toBe(one.id);
    expect(await userOf(one.id)).toMatchObject({ status: 1 });
  });

  const setActive = (id: string, active: boolean, token = acme.token) =>
    ask(
      "PATCH",
      `/Users/${id}`,
      { schemas: [PATCH], Operations: [{ op: "replace", path: "active", value: active }] },
      token,
    );
  const manage = (id: string, action: string) => app.ask("POST", "/api/user/manage", { id: Number(id), action }, root);

  test.each<[string, (id: string) => Promise<unknown>]>([
    ["before", async (id) => [await manage(id, "disable"), await setActive(id, false)]],
    ["after", async (id) => [await setActive(id, false), await manage(id, "disable")]],
    [
      "between, lifted and renewed",
      async (id) => [await setActive(id, false), await manage(id, "enable"), await manage(id, "disable")],
    ],
  ])("is not undone where an administrator banned %s", async (_, ban) => {
    const one = await create();
    await ban(one.id);
    await setActive(one.id, true);
    expect(await userOf(one.id)).toMatchObject({ status: 2 });
    await ask("DELETE", `/Users/${one.id}`);
    await create({ userName: one.userName });
    expect(await userOf(one.id)).toMatchObject({ status: 2 });
    await manage(one.id, "enable");
    expect(await userOf(one.id)).toMatchObject({ status: 1 });
  });

  test("by two providers is undone when both take it back", async () => {
    const one = await create();
    await app.db.insert(scimUsers).values({
      ...{ providerId: globex.id, userId: Number(one.id), userName: "both", active: true, attributes: {} },
      ...{ createdAt: 1, updatedAt: 1 },
    });
    await setActive(one.id, false);
    await setActive(one.id, false, globex.token);
    await setActive(one.id, true);
    expect(await userOf(one.id)).toMatchObject({ status: 2 });
    await setActive(one.id, true, globex.token);
    expect(await userOf(one.id)).toMatchObject({ status: 1 });
  });

  test("leaves a ban of an administrator in force, and super administrators alone", async () => {
    const one = await create();
    await app.ask("POST", "/api/user/manage", { id: Number(one.id), action: "disable" }, root);
    await ask("PUT", `/Users/${one.id}`, { ...one, displayName: "Still banned" });
    expect(await userOf(one.id)).toMatchObject({ status: 2 });
    const boss = await create();
    await app.db
      .update(users)
      .set({ role: 100 })
      .where(eq(users.id, Number(boss.id)));
    expect((await ask("DELETE", `/Users/${boss.id}`)).status).toBe(403);
    expect(await userOf(boss.id)).toMatchObject({ status: 1 });
  });

  test("people who may choose a name are not taken for somebody else", async () => {
    const one = await create();
    const thief = await signIn({ sub: "thief", preferred_username: one.userName, email: one.userName });
    expect(thief.body.success).toBe(false);
    const bound = and(eq(identities.userId, Number(one.id)), eq(identities.provider, `sso-${acme.id}`));
    expect(await app.db.select().from(identities).where(bound)).toEqual([]);
  });
});

describe("groups", () => {
  const roleOf = async (id: string) => {
    const place = and(eq(organizationMembers.userId, Number(id)), eq(organizationMembers.organizationId, organization));
    return (await app.db.select().from(organizationMembers).where(place))[0]?.role ?? null;
  };

  test("are found together with users by a search, page by page", async () => {
    const { body: user } = await ask("POST", "/Users", person({ title: "searched" }));
    const { body: group } = await ask("POST", "/Groups", {
      ...{ schemas: [GROUP], displayName: "Searched" },
      members: [{ $ref: user.meta.location }],
    });
    expect(group.members).toMatchObject([{ value: user.id }]);
    const search = async (path: string, query: object) =>
      (await ask("POST", path, { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], ...query })).body;
    const filter = `title eq "searched" or displayName eq "Searched"`;
    const idsOf = ({ Resources }: Resource) => Resources.map(({ id }) => id);
    expect(idsOf(await search("/Users/.search", { filter }))).toEqual([user.id]);
    expect(idsOf(await search("/Groups/.search", { filter }))).toEqual([group.id]);
    const both = await search("/.search", { filter, attributes: ["displayName"] });
    expect(both).toMatchObject({ totalResults: 2, startIndex: 1, itemsPerPage: 2 });
    expect(both.Resources[0]).not.toHaveProperty("userName");
    expect(idsOf(both)).toEqual([user.id, group.id]);
    const pages = [1, 2, 3].map((startIndex) => search("/.search", { filter, startIndex, count: 1 }));
    const [first, second, third] = await Promise.all(pages);
    expect([first, second, third].map((page) => page && idsOf(page))).toEqual([[user.id], [group.id], []]);
    expect(second).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1 });
    expect((await ask("POST", "/.search", { filter })).status).toBe(400);
  });

  test("have members, whose memberships of organizations follow", async () => {
    const [one, two] = [await create(), await create()];
    const made = await ask("POST", "/Groups", {
      schemas: [GROUP],
      displayName: "Developers",
      members: [{ value: one.id }],
    });
    expect(made).toMatchObject({ status: 201, body: { displayName: "Developers", members: [{ value: one.id }] } });
    const { id } = made.body;
    expect((await ask("GET", `/Users/${one.id}`)).body.groups).toMatchObject([{ value: id, display: "Developers" }]);
    expect([await roleOf(one.id), await roleOf(two.id)]).toEqual(["developer", null]);
    await patch(`/Groups/${id}`, { op: "add", path: "members", value: [{ value: two.id }, { value: one.id }] });
    expect(await roleOf(two.id)).toBe("developer");
    await patch(`/Groups/${id}`, { op: "remove", path: `members[value eq "${one.id}"]` });
    expect([await roleOf(one.id), await roleOf(two.id)]).toEqual([null, "developer"]);
    await patch(`/Groups/${id}`, { op: "replace", value: { displayName: "Leads" } });
    expect(await roleOf(two.id)).toBe("admin");
    await ask("DELETE", `/Users/${two.id}`);
    expect(await roleOf(two.id)).toBeNull();
    expect((await ask("GET", `/Groups/${id}`)).body.members).toEqual([]);
    expect((await ask("GET", `/Groups/${id}?excludedAttributes=members`)).body).not.toHaveProperty("members");
    expect((await find('displayName eq "leads"', "/Groups")).body.totalResults).toBe(1);
    expect((await ask("POST", "/Groups", { displayName: "LEADS" })).body.scimType).toBe("uniqueness");
    await ask("PUT", `/Groups/${id}`, { displayName: "Leads", members: [{ value: one.id }] });
    expect(await roleOf(one.id)).toBe("admin");
    expect((await ask("DELETE", `/Groups/${id}`)).status).toBe(204);
    expect(await roleOf(one.id)).toBeNull();
  });

  test("who is deleted is no longer one of everybody, and loses what everybody has", async () => {
    const { id } = await create();
    const mappings = [{ group: "*", organization_id: organization, role: "viewer" as const }];
    const sync = () => syncMemberships(app, { id: acme.id, mappings }, Number(id));
    const isMember = async () =>
      (
        await app.db
          .select()
          .from(organizationMembers)
          .where(eq(organizationMembers.userId, Number(id)))
      ).length === 1;
    await sync();
    expect(await isMember()).toBe(true);
    expect((await ask("DELETE", `/Users/${id}`)).status).toBe(204);
    expect(await isMember()).toBe(false);
    await sync();
    expect(await isMember()).toBe(false);
  });

  test("an account without a password signs in nowhere else", async () => {
    const one = await create();
    const { username } = (await userOf(one.id)) ?? {};
    const login = await app.ask("POST", "/api/user/login", { username, password: TEST_PASSWORD });
    expect(login.body.success).toBe(false);
  });
});

test("an address with too many wrong tokens gets 429, and tokens that worked before still do", async () => {
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  const address = { ...createClientAddress([]), ip: (request: Request) => request.headers.get("x-test-ip") ?? "" };
  const routes = scimRoutes({ ...app, clientAddress: address, sharedLimits: null, log });
  const call = (token: string, ip = "203.0.113.9") => {
    const headers = { authorization: `Bearer ${token}`, "x-test-ip": ip };
    return routes.handle(new Request(`${BASE}/ServiceProviderConfig`, { headers }));
  };
  expect((await call(acme.token)).status).toBe(200);
  for (let turn = 0; turn < 200; turn += 1) expect((await call(`wrong-${turn}`)).status).toBe(401);
  const refused = await call("wrong");
  expect([refused.status, await refused.json()]).toEqual([429, expect.objectContaining({ schemas: [ERROR] })]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect([(await call(acme.token)).status, (await call("wrong", "203.0.113.10")).status]).toEqual([200, 401]);
});
