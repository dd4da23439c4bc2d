import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { DOCUMENT_ID, startOAuthConsole } from "../../../test/support/console/services/start-oauth.ts";
import { TEST_SITE } from "../../../test/support/console/start-console.ts";

let app: Awaited<ReturnType<typeof startOAuthConsole>>;
let user: Record<string, string>;
let other: Record<string, string>;
beforeAll(async () => {
  app = await startOAuthConsole();
  await app.addUser("mina", "user");
  await app.addUser("otto", "user");
  user = await app.login("mina");
  other = await app.login("otto");
});
afterEach(async () => {
  setSystemTime();
  for (const { id } of await keysNow()) await app.ask("DELETE", `/api/token/${id}`, undefined, user);
});
afterAll(() => app.close());

type Listed = { id: number; name: string; key: string } & Record<string, unknown>;
const dataOf = async <T>(path: string, headers = user) =>
  (await app.ask("GET", path, undefined, headers)).body.data as T;
const keysNow = () => dataOf<Listed[]>("/api/token/");
const grantsOf = (headers = user) => dataOf<Listed[]>("/api/applications/", headers);

describe("a request", () => {
  test("says who asks, where the answer goes and for what", async () => {
    const { agent, query } = await app.begin();
    expect((await agent.decide("request", query, user)).body.data).toEqual({
      ...{ client: "Agent", document_host: "", redirect_host: "127.0.0.1", server: "" },
      ...{ servers: ["files", "github"], refusal: null },
    });
    const byDocument = await agent.decide("request", { ...query, client_id: DOCUMENT_ID }, user);
    expect(byDocument.body.data).toMatchObject({ client: "Agent by document", document_host: "agent.example" });
    expect((await agent.decide("request", query, {})).status).toBe(401);
  });

  test.each([
    ["an unknown client", { client_id: "client_none" }, "application_unknown"],
    ["no client", { client_id: undefined }, "application_unknown"],
    [
      "a client whose document is another's",
      { client_id: "https://evil.example/x.json" },
      "application_document_invalid",
    ],
    ["another redirect URI", { redirect_uri: "https://evil.example/" }, "application_redirect_invalid"],
    ["a longer redirect URI", { redirect_uri: "http://127.0.0.1/callback/x" }, "application_redirect_invalid"],
  ])("of %s goes nowhere", async (_, change, code) => {
    const { agent, query } = await app.begin();
    for (const decision of ["request", "deny"] as const)
      expect((await agent.decide(decision, { ...query, ...change }, user)).body.code).toBe(code);
    const approval = await agent.decide("approve", { query: { ...query, ...change }, name: "agent" }, user);
    expect(approval.body.code).toBe(code);
    expect(await keysNow()).toEqual([]);
  });

  test.each([
    ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["with a challenge that is none", { code_challenge: "short" }, "invalid_request"],
    ["for a token at once", { response_type: "token" }, "unsupported_response_type"],
    ["for another site", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["for what is no MCP server", { resource: `${TEST_SITE}/v1` }, "invalid_target"],
    ["for other scopes", { scope: "admin" }, "invalid_scope"],
  ])("%s is refused to its client", async (_, change, error) => {
    const { agent, query } = await app.begin();
    const changed = { ...query, ...change };
    const pending = (await agent.decide("request", changed, user)).body.data as { refusal: { return_to: string } };
    const back = await agent.approve(changed, user);
    expect(back.href).toBe(pending.refusal.return_to);
    expect(back.origin + back.pathname).toBe("http://127.0.0.1/callback");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: "the state", iss: TEST_SITE });
    expect(back.searchParams.has("code")).toBe(false);
    expect(await keysNow()).toEqual([]);
  });

  test("without a redirect URI goes to the only one that its client registered", async () => {
    const one = await app.begin();
    const { redirect_uri: _, ...query } = one.query;
    expect((await one.agent.approve(query, user)).searchParams.get("code")).toStartWith("mcp_code_");
    const two = await app.begin({ redirect_uris: ["http://127.0.0.1/callback", "https://a.example/"] });
    const { redirect_uri: __, ...without } = two.query;
    expect((await two.agent.decide("request", without, user)).body.code).toBe("application_redirect_invalid");
  });
});

describe("a decision", () => {
  test("makes a key for MCP servers alone, whose secret nobody has", async () => {
    const { agent, query } = await app.begin();
    const back = await agent.approve(query, user, { name: "laptop", daily_quota: 500, days: 30, servers: ["github"] });
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: "the state", iss: TEST_SITE });
    const [key] = await keysNow();
    expect(key).toMatchObject({
      ...{ name: "laptop", key: "", application: "Agent", model_limits_enabled: true, model_limits: "mcp/github/*" },
      ...{ unlimited_quota: false, budget_period: "day", budget_quota: 500 },
    });
    expect(Number(key?.expired_time)).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
    const rotated = await app.ask("POST", `/api/token/${key?.id}/rotate`, { grace_seconds: 0 }, user);
    expect(rotated.body.code).toBe("token_of_application");
    // Changed otherwise, it is a key as any.
    const changed = await app.ask("PUT", "/api/token/", { id: key?.id, name: "computer" }, user);
    expect(changed.body).toMatchObject({ success: true, data: { name: "computer", key: "" } });
  });

  test.each([
    ["for all servers", {}, {}, "mcp/*"],
    ["for the server of the address", { resource: `${TEST_SITE}/mcp/files` }, { servers: ["github"] }, "mcp/files/*"],
  ])("%s", async (_, fields, choice, limits) => {
    const { agent, query } = await app.begin({}, fields);
    await agent.approve(query, user, choice);
    expect(await keysNow()).toMatchObject([{ model_limits: limits, unlimited_quota: true, expired_time: -1 }]);
  });

  test.each([
    ["a server that the account may not use", {}, { servers: ["secret"] }, "application_server_unavailable"],
    ["the address of such a server", { resource: `${TEST_SITE}/mcp/secret` }, {}, "application_server_unavailable"],
    ["no server", {}, { servers: [] }, "invalid_request"],
    ["a name that is too long", {}, { name: "x".repeat(31) }, "token_name_too_long"],
    ["a limit that is none", {}, { daily_quota: -1 }, "token_budget_invalid"],
  ])("with %s is refused", async (_, fields, choice, code) => {
    const { agent, query } = await app.begin({}, fields);
    expect((await agent.decide("approve", { query, name: "agent", ...choice }, user)).body.code).toBe(code);
    expect(await keysNow()).toEqual([]);
  });

  test("to deny tells the client, and makes nothing", async () => {
    const { agent, query } = await app.begin();
    const { body } = await agent.decide("deny", query, user);
    const back = new URL((body.data as { return_to: string }).return_to);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "the state" });
    expect(await keysNow()).toEqual([]);
  });

  test("is not made by another site for somebody who is signed in", async () => {
    const { agent, query } = await app.begin();
    const body = { query, name: "agent" };
    const { cookie = "" } = user;
    expect((await agent.decide("approve", body, { cookie })).status).toBe(401);
    const foreign = { ...user, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await agent.decide("approve", body, foreign)).status).toBe(403);
    expect(await keysNow()).toEqual([]);
  });
});

test("people see applications with access, and end it; others do neither", async () => {
  const agent = app.client();
  const { tokens } = await agent.signIn(user);
  // One that never fetched its tokens has no access.
  const waiting = await app.begin();
  await waiting.agent.approve(waiting.query, user);
  const [grant, ...more] = await grantsOf();
  expect(more).toEqual([]);
  expect(grant).toMatchObject({
    client: "Agent",
    host: "127.0.0.1",
    servers: null,
    key_name: "agent",
    organization: "",
  });
  expect(await grantsOf(other)).toEqual([]);
  expect((await app.ask("DELETE", `/api/applications/${grant?.id}`, undefined, other)).status).toBe(404);
  expect(await app.findAccess(tokens.access_token)).not.toBeNull();
  expect((await app.ask("DELETE", `/api/applications/${grant?.id}`, undefined, user)).body.success).toBe(true);
  expect(await app.findAccess(tokens.access_token)).toBeNull();
  expect(await grantsOf()).toEqual([]);
});
