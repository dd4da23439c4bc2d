import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { eq } from "drizzle-orm";
import { oauthClients, oauthGrants, oauthTokens } from "../../../db/schema/accounts/applications.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { pkce, type Tokens } from "../../../test/support/console/services/oauth-client.ts";
import { DOCUMENT_ID, startOAuthConsole } from "../../../test/support/console/services/start-oauth.ts";
import { TEST_SITE } from "../../../test/support/console/start-console.ts";
import { forgetEndedGrants } from "../../domain/api-keys/authorization/grants.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: Awaited<ReturnType<typeof startOAuthConsole>>;
let user: Record<string, string>;
beforeAll(async () => {
  app = await startOAuthConsole();
  await app.addUser("mina", "user");
  user = await app.login("mina");
});
afterEach(() => void setSystemTime());
afterAll(() => app.close());

const { begin, client } = {
  begin: (...input: Parameters<typeof app.begin>) => app.begin(...input),
  client: () => app.client(),
};
const later = (seconds: number) => setSystemTime(Date.now() + seconds * 1000);
const ask = async (method: string, path: string, body?: object, headers = user) =>
  (await app.ask(method, path, body, headers)).body;
const keysNow = async () => ((await ask("GET", "/api/token/")) as { data: Record<string, unknown>[] }).data;

/** Signs in with a client of its own, for the address of all servers unless `resource` says otherwise. */
async function signIn(
  resource?: string,
): Promise<Readonly<{ agent: ReturnType<typeof client>; clientId: string; tokens: Tokens }>> {
  const agent = client();
  return { agent, ...(await agent.signIn(user, resource === undefined ? {} : { resource })) };
}

async function beginWithCode(metadata: object = {}, fields: Record<string, string> = {}) {
  const begun = await begin(metadata, fields);
  const back = await begun.agent.approve(begun.query, user);
  return { ...begun, code: back.searchParams.get("code") ?? "" };
}

describe("metadata", () => {
  test.each(["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"])("at %s", async (path) => {
    const { status, body, headers } = await app.ask("GET", path);
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body).toMatchObject({
      issuer: TEST_SITE,
      authorization_endpoint: `${TEST_SITE}/oauth/authorize`,
      token_endpoint: `${TEST_SITE}/oauth/token`,
      registration_endpoint: `${TEST_SITE}/oauth/register`,
      revocation_endpoint: `${TEST_SITE}/oauth/revoke`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      scopes_supported: ["mcp"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    expect((await app.ask("OPTIONS", path)).status).toBe(204);
  });

  test("there is none where the option is off, or the address is neither public nor this machine's", async () => {
    const path = "/.well-known/oauth-authorization-server";
    await app.settings.set("mcp.oauth_enabled", "false");
    const { clientId, query } = await begin().catch(() => ({ clientId: "", query: {} }));
    for (const [method, at] of [
      ["GET", path],
      ["POST", "/oauth/register"],
      ["POST", "/oauth/token"],
      ["POST", "/oauth/revoke"],
    ] as const) {
      expect((await app.ask(method, at, method === "POST" ? {} : undefined)).status).toBe(404);
    }
    expect((await app.ask("POST", "/api/applications/request", query, user)).body.code).toBe("applications_off");
    expect(clientId).toBe("undefined");
    await app.settings.set("mcp.oauth_enabled", "true");
    await app.settings.set("ServerAddress", "");
    expect((await app.ask("GET", path)).status).toBe(404);
    expect((await app.ask("GET", `http://localhost:3000${path}`)).body.issuer).toBe("http://localhost:3000");
    await app.settings.set("ServerAddress", TEST_SITE);
  });
});

describe("registration", () => {
  test("of a public and of a confidential client", async () => {
    const open = await begin();
    expect(open.body).toMatchObject({
      client_name: "Agent",
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    });
    expect(open.body).not.toHaveProperty("client_secret");
    const { body } = await begin({ token_endpoint_auth_method: undefined });
    expect(body).toMatchObject({ token_endpoint_auth_method: "client_secret_basic", client_secret_expires_at: 0 });
    const [row] = await app.db
      .select()
      .from(oauthClients)
      .where(eq(oauthClients.id, String(body.client_id)));
    expect(row?.secretHash).toMatch(/^[\da-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(String(body.client_secret));
  });

  test.each([
    ["no redirect URI", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["a script as redirect URI", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["a redirect URI that is no text", { redirect_uris: [1] }, "invalid_redirect_uri"],
    ["an unknown method", { token_endpoint_auth_method: "private_key_jwt" }, "invalid_client_metadata"],
    ["another flow", { grant_types: ["client_credentials"] }, "invalid_client_metadata"],
    ["another response", { response_types: ["token"] }, "invalid_client_metadata"],
  ])("with %s is refused", async (_, metadata, error) => {
    const response = await client().register(metadata);
    expect([response.status, response.body.error]).toEqual([400, error]);
  });

  test("takes JSON alone, of a bounded size", async () => {
    const register = async (body: string, type = "application/json") =>
      (await app.ask("POST", "/oauth/register", body, { "content-type": type })).body;
    expect(await register("{")).toMatchObject({ error: "invalid_client_metadata" });
    expect(await register("[]")).toMatchObject({ error: "invalid_client_metadata" });
    expect(await register("{}", "text/plain")).toMatchObject({ error: "invalid_client_metadata" });
    expect(await register(`{"a":"${"x".repeat(70_000)}"}`)).toMatchObject({ error: "invalid_request" });
  });
});

describe("a code", () => {
  test("is redeemed once; a second time ends the access", async () => {
    const { agent, clientId, code, verifier } = await beginWithCode();
    const fields = { client_id: clientId, code, code_verifier: verifier };
    const { status, body, headers } = await agent.redeem(fields);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "mcp" });
    expect(body.access_token).toMatch(/^mcp_access_[\da-f]{64}$/);
    expect(body.refresh_token).toMatch(/^mcp_refresh_[\da-f]{64}$/);
    const stored = JSON.stringify(await app.db.select().from(oauthTokens));
    for (const secret of [code, body.access_token, body.refresh_token]) expect(stored).not.toContain(String(secret));
    expect(await app.findAccess(String(body.access_token))).toMatchObject({ server: "" });
    expect((await agent.redeem(fields)).body.error).toBe("invalid_grant");
    expect(await app.findAccess(String(body.access_token))).toBeNull();
    expect((await agent.refresh(clientId, String(body.refresh_token))).body.error).toBe("invalid_grant");
    expect(await keysNow()).toEqual([]);
  });

  test("of which two requests arrive at once gives no access to either", async () => {
    const { agent, clientId, code, verifier } = await beginWithCode();
    const fields = { client_id: clientId, code, code_verifier: verifier };
    const answers = await Promise.all([agent.redeem(fields), agent.redeem(fields)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const { body } = answers.find(({ status }) => status === 200) ?? {};
    expect(await app.findAccess(String(body?.access_token))).toBeNull();
  });

  test.each([
    ["with another verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["without a verifier", { code_verifier: undefined }, "invalid_request"],
    ["with another redirect URI", { redirect_uri: "http://127.0.0.1:1/callback" }, "invalid_grant"],
    ["for another resource", { resource: `${TEST_SITE}/mcp/github` }, "invalid_target"],
    ["for another site", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["that is none", { code: "mcp_code_none" }, "invalid_grant"],
    ["as a refresh token", { grant_type: "refresh_token", refresh_token: "code" }, "invalid_grant"],
    ["by an unknown client", { client_id: "client_none" }, "invalid_client"],
    ["by nobody", { client_id: undefined }, "invalid_request"],
    ["with a secret that there is not", { client_secret: "s" }, "invalid_client"],
    ["by another flow", { grant_type: "password" }, "unsupported_grant_type"],
  ])("%s is refused, and still good", async (_, change, error) => {
    const { agent, clientId, code, verifier } = await beginWithCode();
    const fields = { client_id: clientId, code, code_verifier: verifier, redirect_uri: "http://127.0.0.1/callback" };
    const wrong = "refresh_token" in change ? { ...change, refresh_token: code } : change;
    const refused = await agent.redeem({ ...fields, ...wrong });
    expect([refused.status, refused.body.error]).toEqual([error === "invalid_client" ? 401 : 400, error]);
    expect((await agent.redeem(fields)).status).toBe(200);
  });

  test("is no other client's, and expires", async () => {
    const { agent, clientId, code, verifier } = await beginWithCode();
    const thief = await begin();
    const fields = { code, code_verifier: verifier };
    expect((await thief.agent.redeem({ ...fields, client_id: thief.clientId })).body.error).toBe("invalid_grant");
    later(301);
    expect((await agent.redeem({ ...fields, client_id: clientId })).body.error).toBe("invalid_grant");
  });

  test("of a confidential client needs its secret, as it registered", async () => {
    for (const method of ["client_secret_basic", "client_secret_post"]) {
      const { agent, clientId, code, verifier, body } = await beginWithCode({ token_endpoint_auth_method: method });
      const secret = String(body.client_secret);
      const fields = { code, code_verifier: verifier };
      const basic = (text: string) => ({ authorization: `Basic ${btoa(`${clientId}:${text}`)}` });
      const byPost = (text: string) => ({ ...fields, client_id: clientId, client_secret: text });
      const [right, wrongs] =
        method === "client_secret_basic"
          ? [() => agent.redeem(fields, basic(secret)), [() => agent.redeem(byPost(secret))]]
          : [() => agent.redeem(byPost(secret)), [() => agent.redeem(fields, basic(secret))]];
      for (const wrong of [
        ...wrongs,
        () => agent.redeem({ ...fields, client_id: clientId }),
        () => agent.redeem(fields, basic("other")),
        () => agent.redeem(byPost("other")),
        () => agent.redeem(byPost(secret), basic(secret)),
        () => agent.redeem({ ...fields, client_id: "client_other" }, basic(secret)),
        () => agent.redeem(fields, { authorization: "Bearer x" }),
      ]) {
        const { status, body: answer, headers } = await wrong();
        expect([status, answer.error]).toEqual([401, "invalid_client"]);
        expect([null, 'Basic realm="/oauth"']).toContain(headers.get("www-authenticate"));
      }
      expect((await right()).status).toBe(200);
    }
  });

  test("comes in a form without repetitions", async () => {
    const send = async (body: string, type: string) =>
      (await app.ask("POST", "/oauth/token", body, { "content-type": type })).body.error;
    expect(await send("grant_type=refresh_token&grant_type=x", "application/x-www-form-urlencoded")).toBe(
      "invalid_request",
    );
    expect(await send('{"grant_type":"refresh_token"}', "application/json")).toBe("invalid_request");
    expect(await send("", "application/x-www-form-urlencoded; charset=utf-8")).toBe("invalid_request");
  });
});

describe("a refresh token", () => {
  test("is replaced; the one before ends the access when it comes back late", async () => {
    const { agent, clientId, tokens } = await signIn();
    later(60);
    const second = await agent.refresh(clientId, tokens.refresh_token);
    expect(second.status).toBe(200);
    const [access, refresh] = [String(second.body.access_token), String(second.body.refresh_token)];
    expect(refresh).not.toBe(tokens.refresh_token);
    // The access token before lives on until it expires.
    expect(await app.findAccess(tokens.access_token)).not.toBeNull();
    later(91);
    expect((await agent.refresh(clientId, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(await app.findAccess(access)).toBeNull();
    expect((await agent.refresh(clientId, refresh)).body.error).toBe("invalid_grant");
  });

  test("that two requests send at once, or a second time after a lost response, gives one pair", async () => {
    const { agent, clientId, tokens } = await signIn();
    const [one, two] = await Promise.all([1, 2].map(() => agent.refresh(clientId, tokens.refresh_token)));
    expect([one?.status, two?.status]).toEqual([200, 200]);
    expect(one?.body.access_token).toBe(two?.body.access_token);
    expect(one?.body.refresh_token).toBe(two?.body.refresh_token);
    later(20);
    const third = await agent.refresh(clientId, tokens.refresh_token);
    expect(third.body).toMatchObject({ refresh_token: one?.body.refresh_token });
    expect(Number(third.body.expires_in)).toBeLessThanOrEqual(3_580);
    // Once the new one is used, the old one is nobody's.
    expect((await agent.refresh(clientId, String(one?.body.refresh_token))).status).toBe(200);
    expect((await agent.refresh(clientId, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(await app.findAccess(String(one?.body.access_token))).toBeNull();
  });

  test("is no other client's, has the granted resource and scope alone, and expires unused", async () => {
    const { agent, clientId, tokens } = await signIn(`${TEST_SITE}/mcp/github`);
    const thief = await begin();
    const refresh = async (id: string, fields = {}) => (await agent.refresh(id, tokens.refresh_token, fields)).body;
    expect(await refresh(thief.clientId)).toMatchObject({ error: "invalid_grant" });
    expect(await refresh(clientId, { resource: `${TEST_SITE}/mcp` })).toMatchObject({ error: "invalid_target" });
    expect(await refresh(clientId, { scope: "admin" })).toMatchObject({ error: "invalid_scope" });
    expect((await agent.refresh(clientId, tokens.access_token)).body.error).toBe("invalid_grant");
    later(30 * 86_400 + 1);
    expect(await refresh(clientId)).toMatchObject({ error: "invalid_grant" });
  });

  test("lasts a year at most, however often it is refreshed", async () => {
    const { agent, clientId, tokens } = await signIn();
    let token = tokens.refresh_token;
    for (let days = 0; days + 25 < 365; days += 25) {
      later(25 * 86_400);
      const { body } = await agent.refresh(clientId, token);
      token = String(body.refresh_token);
      expect(body.expires_in).toBe(3600);
    }
    later(15 * 86_400);
    expect((await agent.refresh(clientId, token)).body.error).toBe("invalid_grant");
    await agent.revoke(clientId, token);
  });

  test.each([
    ["the key is deleted", async (id: unknown) => void (await ask("DELETE", `/api/token/${id}`))],
    [
      "the key is disabled",
      async (id: unknown) => void (await ask("PUT", "/api/token/?status_only=1", { id, status: 2 })),
    ],
    ["the key has expired", async (id: unknown) => void (await ask("PUT", "/api/token/", { id, expired_time: 1 }))],
    [
      "the person is banned",
      async () => void (await app.db.update(users).set({ status: 2 }).where(eq(users.username, "mina"))),
    ],
  ])("gives nothing once %s", async (_, end) => {
    const { agent, clientId, tokens } = await signIn();
    const [key] = await keysNow();
    await end(key?.id);
    expect((await agent.refresh(clientId, tokens.refresh_token)).body.error).toBe("invalid_grant");
    await app.db.update(users).set({ status: 1 }).where(eq(users.username, "mina"));
  });

  test("or an access token is given back: the access ends, but not by another client", async () => {
    for (const kind of ["access_token", "refresh_token"] as const) {
      const { agent, clientId, tokens } = await signIn();
      const thief = await begin();
      expect((await thief.agent.revoke(thief.clientId, tokens[kind])).status).toBe(200);
      expect(await app.findAccess(tokens.access_token)).not.toBeNull();
      expect((await agent.revoke("client_none", tokens[kind])).status).toBe(401);
      expect((await agent.revoke(clientId, tokens[kind])).status).toBe(200);
      expect(await app.findAccess(tokens.access_token)).toBeNull();
      expect((await agent.refresh(clientId, tokens.refresh_token)).body.error).toBe("invalid_grant");
      expect((await agent.revoke(clientId, tokens[kind])).status).toBe(200);
    }
  });
});

test("a client whose id is the address of its metadata signs in without registration", async () => {
  const agent = client();
  const { verifier, challenge } = pkce();
  const back = await agent.approve(agent.queryOf(DOCUMENT_ID, challenge), user);
  const code = back.searchParams.get("code") ?? "";
  const fields = { client_id: DOCUMENT_ID, code, code_verifier: verifier };
  expect((await agent.redeem({ ...fields, client_secret: "s" })).status).toBe(401);
  const { body } = await agent.redeem(fields);
  expect((await agent.refresh(DOCUMENT_ID, String(body.refresh_token))).status).toBe(200);
});

test("what nobody uses is forgotten: codes, access, clients", async () => {
  const { clientId } = await beginWithCode();
  const { tokens, clientId: used } = await signIn();
  const idle = await begin();
  const rows = async () => (await app.db.select().from(oauthClients)).map(({ id }) => id);
  const { signal } = new AbortController();
  later(301);
  await forgetEndedGrants(app, nowSeconds(), signal);
  expect((await app.db.select().from(oauthGrants)).map((grant) => grant.clientId)).not.toContain(clientId);
  expect(await app.findAccess(tokens.access_token)).not.toBeNull();
  later(86_500);
  await forgetEndedGrants(app, nowSeconds(), signal);
  expect(await rows()).toEqual(expect.arrayContaining([idle.clientId, used]));
  const kinds = await app.db.select({ kind: oauthTokens.kind }).from(oauthTokens).where(eq(oauthTokens.kind, "access"));
  expect(kinds).toEqual([]);
  later(31 * 86_400);
  await forgetEndedGrants(app, nowSeconds(), signal);
  expect(await rows()).not.toContain(idle.clientId);
  expect(await rows()).toContain(used);
  later(181 * 86_400);
  await forgetEndedGrants(app, nowSeconds(), signal);
  expect(await rows()).toEqual([]);
  expect(await app.db.select().from(oauthGrants)).toEqual([]);
  setSystemTime();
  expect(await keysNow()).toEqual([]);
});

test("registrations and refused tokens of one address are limited", async () => {
  const agent = client();
  for (let count = 0; count < 20; count += 1) expect((await agent.register()).status).toBe(201);
  const { status, headers } = await agent.register();
  expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
  for (let count = 0; count < 100; count += 1) await agent.refresh("client_none", "mcp_refresh_none");
  expect((await agent.refresh("client_none", "mcp_refresh_none")).status).toBe(429);
});

test("beyond so many clients that nobody uses, the oldest is forgotten", async () => {
  const oldest = await begin();
  const { agent, clientId, query } = await begin();
  await agent.approve(query, user);
  const now = nowSeconds();
  const filler = { name: "x", redirectUris: ["https://a.example/"], authMethod: "none", createdAt: now + 1 };
  const many = Array.from({ length: 5_000 }, (_, at) => ({ ...filler, id: `filler_${at}` }));
  for (let at = 0; at < many.length; at += 1_000) await app.db.insert(oauthClients).values(many.slice(at, at + 1_000));
  later(2);
  const newest = await begin();
  const rows = (await app.db.select({ id: oauthClients.id }).from(oauthClients)).map(({ id }) => id);
  expect(rows).not.toContain(oldest.clientId);
  expect(rows).toEqual(expect.arrayContaining([newest.clientId, clientId]));
  expect(rows.filter((id) => id !== clientId)).toHaveLength(5_000);
});
