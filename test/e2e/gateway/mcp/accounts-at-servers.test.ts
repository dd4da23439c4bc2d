/**
 * Accounts that sign in at an MCP server: whose token each call has, and that one of many calls renews it, also with two workers on one
 * database.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSignInServers } from "../../../support/console/services/mcp-sign-in.ts";
import { createApiKey, login, type Session, setOptions } from "../../../support/e2e/console-client.ts";
import { type Gateway, setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

const PASSWORD = "some-password-1";
const QUOTA = 1_000_000;
/** 0.002 dollars. */
const CALL_PRICE = 1000;

type Person = Session & Readonly<{ name: string; key: string }>;
type Answer = { result?: { isError?: boolean; content: { text: string }[] }; error?: { message: string } };

describe.each([
  ["the embedded database", false],
  ["a Postgres server, with two workers", true],
])("on %s", (_name, isServer) => {
  const servers = startSignInServers();
  let gateway: Gateway;
  let root: Session;
  let id = 0;
  let alice: Person;
  let bob: Person;
  let database: TemporaryPostgres | null = null;

  beforeAll(async () => {
    database = isServer ? await startTemporaryPostgres({ durable: false }) : null;
    gateway = await startGateway({
      env: {
        ...{ GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT_ENABLE: "false" },
        ...(database && { DATABASE_URL: database.url, WORKERS: "2" }),
      },
    });
    root = await setUp(gateway);
    await setOptions(root, { Organizations: "on" });
    const server = { url: servers.url, auth: "oauth", usd_per_call: "0.002" };
    const added = await root.post("/api/mcp-server/", { name: "city", server });
    id = added.id;
    expect(added.listing.error).toContain("only after a sign-in");
    await signIn(root, "root");
    expect((await root.post(`/api/mcp-server/${id}/refresh`)).waiting).toBe(1);
    const tools = await root.get(`/api/mcp-server/${id}/tools`);
    await root.post(`/api/mcp-server/${id}/tools/approve`, {
      tools: tools.map(({ name, hash }: { name: string; hash: string }) => ({ name, hash })),
    });
    alice = await addPerson("alice");
    bob = await addPerson("bob");
  }, 120_000);
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    await database?.stop();
    await servers.stop();
  }, 60_000);
  beforeEach(() => servers.reset());

  async function addPerson(name: string): Promise<Person> {
    await root.post("/api/user/", { username: name, password: PASSWORD });
    const session = await login(gateway, name, PASSWORD);
    await root.put("/api/user/", { id: session.userId, quota: QUOTA });
    return { ...session, name, key: (await createApiKey(session)).key };
  }

  /** Signs an account in as a browser does: their own, or an organization's. */
  async function signIn(session: Session, subject: string, organization?: number) {
    servers.behavior.subject = subject;
    const send = (path: string, body: object, cookie: string, header?: number) =>
      fetch(`${gateway.url}/api/mcp_sign_ins/${path}`, {
        method: "POST",
        headers: {
          ...{ "content-type": "application/json", "sluice-user": String(session.userId), cookie },
          ...(header !== undefined && { "Sluice-Organization": String(header) }),
        },
        body: JSON.stringify(body),
      });
    const started = await send(`${id}/start`, {}, session.cookie, organization);
    const { data, message } = (await started.json()) as { data?: { url: string }; message: string };
    if (!data) throw new Error(message);
    const cookie = started.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const reply = await send("complete", await servers.visit(data.url), `${session.cookie}; ${cookie}`);
    const completed = (await reply.json()) as { success: boolean; message: string; data: { account_id: number } };
    if (!completed.success) throw new Error(completed.message);
    return completed.data;
  }

  /** Calls a tool that says who has signed in. */
  async function whoami(key: string): Promise<string> {
    const reply = await fetch(`${gateway.url}/mcp/city`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } }),
    });
    const text = await reply.text();
    const { result, error }: Answer = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
    return result?.content[0]?.text ?? error?.message ?? "";
  }
  const quotaOf = async ({ userId }: Session): Promise<number> => (await root.get(`/api/user/${userId}`)).quota;
  const mustSignIn = expect.stringContaining("/mcp-sign-ins");

  test("each account has its own token, and pays for answers alone", async () => {
    expect(await whoami(alice.key)).toEqual(mustSignIn);
    expect(servers.presented).toEqual([]);
    await signIn(alice, "alice-there");
    expect(await whoami(alice.key)).toBe("alice-there");
    expect(await whoami(bob.key)).toEqual(mustSignIn);
    await signIn(bob, "bob-there");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => whoami(at % 2 === 0 ? alice.key : bob.key)),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? "alice-there" : "bob-there")));
    await until(async () => (await quotaOf(alice)) === QUOTA - 11 * CALL_PRICE);
    await until(async () => (await quotaOf(bob)) === QUOTA - 10 * CALL_PRICE);
  }, 60_000);

  test("twenty calls at the same time renew an expired token once", async () => {
    for (let round = 0; round < 3; round += 1) {
      servers.reset();
      servers.behavior.lifetime = 1;
      await signIn(alice, "alice-there");
      await Bun.sleep(1_100);
      Object.assign(servers.behavior, { lifetime: 3600, delayMs: 300 });
      servers.grants.splice(0);
      servers.presented.splice(0);
      const answers = await Promise.all(Array.from({ length: 20 }, () => whoami(alice.key)));
      expect(new Set(answers)).toEqual(new Set(["alice-there"]));
      expect(servers.grants.map((form) => form.get("grant_type"))).toEqual(["refresh_token"]);
      // Nobody has presented the old one meanwhile.
      expect(new Set(servers.presented).size).toBe(1);
    }
  }, 60_000);

  test("a sign-in that can't be renewed asks for another one, and nobody pays", async () => {
    servers.behavior.lifetime = 1;
    await signIn(bob, "bob-there");
    await Bun.sleep(1_100);
    servers.behavior.answers["/token"] = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const before = await quotaOf(bob);
    expect(await whoami(bob.key)).toEqual(mustSignIn);
    const [view] = await bob.get("/api/mcp_sign_ins/");
    expect(view).toMatchObject({ name: "city", state: "ended", signed_in_by: "bob" });
    expect(await whoami(bob.key)).toEqual(mustSignIn);
    expect(await quotaOf(bob)).toBe(before);
    servers.reset();
    await signIn(bob, "bob-there");
    expect(await whoami(bob.key)).toBe("bob-there");
  }, 60_000);

  test("an organization's keys use the sign-in that a member has made for it, as long as it is a member", async () => {
    const organization: number = (await alice.post("/api/organization/", { username: "ours" })).id;
    await root.put("/api/user/", { id: organization, quota_delta: QUOTA });
    const { link } = await alice.post(`/api/organization/${organization}/invitations`, { role: "admin" });
    const token = new URL(link).searchParams.get("token");
    await bob.post("/api/organization/invitation/accept", { token });
    const as = async (session: Session, method: string, path: string, body?: object) => {
      const reply = await fetch(gateway.url + path, {
        method,
        headers: {
          ...{ cookie: session.cookie, "sluice-user": String(session.userId), "content-type": "application/json" },
          "Sluice-Organization": String(organization),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return ((await reply.json()) as { data: never }).data as { key: string; state: string }[] & { key: string };
    };
    const { key } = await as(alice, "POST", "/api/token/", { name: "ours", unlimited_quota: true, expired_time: -1 });
    const ours = key.startsWith("sk-") ? key : `sk-${key}`;
    // Alice's own sign-in is hers.
    expect(await whoami(alice.key)).toBe("alice-there");
    expect(await whoami(ours)).toEqual(mustSignIn);
    expect((await signIn(bob, "bob-for-ours", organization)).account_id).toBe(organization);
    expect(await whoami(ours)).toBe("bob-for-ours");
    expect(await whoami(bob.key)).toBe("bob-there");
    expect(await as(alice, "GET", "/api/mcp_sign_ins/")).toMatchObject([{ state: "signed_in", signed_in_by: "bob" }]);
    await alice.delete(`/api/organization/${organization}/members/${bob.userId}`);
    expect(await whoami(ours)).toEqual(mustSignIn);
    expect(await as(alice, "GET", "/api/mcp_sign_ins/")).toMatchObject([{ state: "none" }]);
    expect(await whoami(bob.key)).toBe("bob-there");
  }, 60_000);

  test("no token leaves the gateway, is logged, or outlives its user", async () => {
    await signIn(alice, "alice-there");
    await whoami(alice.key);
    const token = servers.presented.at(-1) ?? "";
    const texts = [
      JSON.stringify(await alice.get("/api/mcp_sign_ins/")),
      JSON.stringify(await root.get("/api/mcp-server/")),
      JSON.stringify(await root.get("/api/log/?p=1&page_size=100")),
      gateway.output(),
    ];
    expect(token).toStartWith("access-");
    for (const text of texts) expect(text).not.toContain(token);
    await root.delete(`/api/user/${bob.userId}`);
    await until(async () => (await whoami(bob.key)) !== "bob-there");
    await alice.delete(`/api/mcp_sign_ins/${id}`);
    expect(servers.revoked).toHaveLength(1);
    expect(await whoami(alice.key)).toEqual(mustSignIn);
  }, 60_000);
});
