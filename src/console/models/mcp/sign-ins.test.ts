import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { Elysia } from "elysia";
import pino from "pino";
import { users } from "../../../../db/schema/accounts/users.ts";
import { mcpClients, mcpRevocations, mcpServers, mcpSignIns } from "../../../../db/schema/models/mcp.ts";
import { startSignInServers } from "../../../../test/support/console/services/mcp-sign-in.ts";
import { startTestConsole, TEST_SITE, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { deleteUser } from "../../../domain/accounts/users/delete-user.ts";
import { createMcpDirectory, type McpDirectory } from "../../../domain/models/mcp/directory.ts";
import { revokeDeleted } from "../../../domain/models/mcp/sign-ins/revoke-deleted.ts";
import { SignInTokens } from "../../../domain/models/mcp/sign-ins/tokens.ts";
import { refreshAllTools } from "../../../domain/models/mcp/tools/pin-tools.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createCheckedFetch, createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { mcpRoutes } from "./mcp.ts";
import { mcpSignInRoutes } from "./sign-ins.ts";

const CALLBACK = `${TEST_SITE}/oauth/mcp/callback`;
const servers = startSignInServers({ id: "entered", secret: "the-entered-secret", redirectUri: CALLBACK });
const policy = createAddressPolicy(true);
const send = createCheckedFetch(policy);
const log = pino({ level: "silent" });

let app: TestConsole;
let directory: McpDirectory;
/** Two processes with the same database. */
let processes: readonly [SignInTokens, SignInTokens];
const people = new Map<string, Record<string, string>>();
const ids = new Map<string, number>();
let id = 0;

beforeAll(async () => {
  app = await startTestConsole(undefined, async ({ db, changes, vault, settings }, guarded, limits) => {
    directory = await createMcpDirectory({ db, changes, log, vault });
    const make = () => new SignInTokens({ db, vault, send, settings });
    processes = [make(), make()];
    const mcpFetches = { send, fetch: createSafeFetch(policy), signIns: processes[0] };
    const { clientAddress } = { clientAddress: { isHttps: () => false, ip: () => "127.0.0.1" } as never };
    const services = { db, vault, settings, send, mcpServers: directory, clientAddress };
    return new Elysia()
      .use(mcpRoutes({ db, changes, vault, log, mcpFetches }, guarded))
      .use(mcpSignInRoutes(services, guarded, limits));
  });
  for (const name of ["alice", "bob"]) ids.set(name, await app.addUser(name));
  ids.set("root", await app.addUser("root", "root"));
  for (const name of ids.keys()) people.set(name, await app.login(name));
});
afterAll(async () => {
  await servers.stop();
  directory.close();
  await app.close();
});
beforeEach(async () => {
  servers.reset();
  await app.db.delete(mcpServers);
  await app.changes.publish("mcp_servers", [id]);
  id = await add();
});

const as = async (who: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const { cookie = "", ...own } = people.get(who) ?? {};
  const { cookie: more, ...rest } = headers;
  return app.ask(method, path, body, { ...own, ...rest, cookie: more ? `${cookie}; ${more}` : cookie });
};
async function add(definition: object = {}, secret = ""): Promise<number> {
  const server = { url: servers.url, auth: "oauth", ...definition };
  const { body } = await as("root", "POST", "/api/mcp-server/", { name: "city", server, ...(secret && { secret }) });
  if (!body.success) throw new Error(body.message);
  return (body.data as { id: number }).id;
}
const list = async (who: string) =>
  ((await as(who, "GET", "/api/mcp_sign_ins/")).body.data as Record<string, unknown>[]).map(
    ({ name, state, reason, missing_scope }) => ({ name, state, reason, missing_scope }),
  );
const start = async (who: string) => {
  const answer = await as(who, "POST", `/api/mcp_sign_ins/${id}/start`);
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { ...answer.body, url: (answer.body.data as { url?: string } | null)?.url ?? "", cookie };
};
const complete = async (who: string, callback: object, cookie: string) =>
  (await as(who, "POST", "/api/mcp_sign_ins/complete", callback, { cookie })).body;
const signIn = async (who: string) => {
  servers.behavior.subject = who;
  const { url, cookie, message } = await start(who);
  if (!url) throw new Error(message);
  return await complete(who, await servers.visit(url), cookie);
};
const server = () => {
  const found = directory.get(id);
  if (!found) throw new Error("the server is gone");
  return found;
};
const idOf = (who: string): number => ids.get(who) ?? 0;
const token = (who: string, process = processes[0]) => process.of(server(), idOf(who));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error) => error.code,
  );
/** As if the access tokens had been issued long ago, and expired. */
const age = () =>
  app.db.update(mcpSignIns).set({ issuedAt: 1, expiresAt: 2, renewingUntil: 0 }).where(eq(mcpSignIns.serverId, id));

test("a user signs in, has a token of their own, and signs out with it revoked", async () => {
  expect(await list("alice")).toEqual([{ name: "city", state: "none", reason: "", missing_scope: "" }]);
  expect(await codeOf(token("alice"))).toBe("gateway_mcp_sign_in_required");
  expect(await signIn("alice")).toMatchObject({ success: true, data: { server: "city", account_id: idOf("alice") } });
  expect(await list("alice")).toMatchObject([{ state: "signed_in" }]);
  expect(await list("bob")).toMatchObject([{ state: "none" }]);
  const own = await token("alice");
  expect(own).toStartWith("access-");
  expect(await codeOf(token("bob"))).toBe("gateway_mcp_sign_in_required");
  await signIn("bob");
  expect(await token("bob")).not.toBe(own);
  expect(await token("alice")).toBe(own);

  expect(servers.requested.filter((path) => path === "/register")).toHaveLength(1);
  expect(servers.grants.map((form) => form.get("resource"))).toEqual([servers.url, servers.url]);
  const [row] = await app.db
    .select()
    .from(mcpSignIns)
    .where(eq(mcpSignIns.userId, idOf("alice")));
  expect(JSON.stringify(row)).not.toContain(own);
  expect(row?.scope).toBe("tools:read");
  const signedOut = await as("alice", "DELETE", `/api/mcp_sign_ins/${id}`);
  expect(signedOut.body.data).toEqual({ revoked: true });
  expect(servers.revoked[0]).toStartWith("refresh-");
  expect(await codeOf(token("alice"))).toBe("gateway_mcp_sign_in_required");
  expect(await token("bob")).toStartWith("access-");
  expect((await as("alice", "DELETE", `/api/mcp_sign_ins/${id}`)).body.code).toBe("mcp_sign_in_none");
});

test("a sign-in is completed once, by the person, browser and session that began it", async () => {
  const { url, cookie } = await start("alice");
  const callback = await servers.visit(url);
  expect((await complete("bob", callback, cookie)).code).toBe("oauth_state_wrong");
  // Somebody else's try has used it up.
  expect((await complete("alice", callback, cookie)).code).toBe("oauth_state_wrong");

  const second = await start("alice");
  const answer = await servers.visit(second.url);
  expect((await complete("alice", answer, "")).code).toBe("oauth_state_wrong");
  expect((await complete("alice", { ...answer, state: "guessed" }, second.cookie)).code).toBe("oauth_state_wrong");
  const before = people.get("alice") ?? {};
  people.set("alice", await app.login("alice"));
  expect((await complete("alice", answer, second.cookie)).code).toBe("oauth_state_wrong");
  people.set("alice", before);

  const third = await start("alice");
  const last = await servers.visit(third.url);
  expect((await complete("alice", last, third.cookie)).success).toBe(true);
  expect((await complete("alice", last, third.cookie)).code).toBe("oauth_state_wrong");
  expect(servers.grants).toHaveLength(1);
});

test("an answer of another issuer, an error and a missing code are refused, and nothing is exchanged", async () => {
  const attempt = async (change: (callback: Record<string, string>) => object) => {
    const { url, cookie } = await start("alice");
    return await complete("alice", change(await servers.visit(url)), cookie);
  };
  const withIssuer = (iss: string) => attempt((callback) => ({ ...callback, iss }));
  expect((await withIssuer("https://attacker.example")).code).toBe("mcp_oauth_issuer");
  expect((await withIssuer(`${servers.issuer}/`)).code).toBe("mcp_oauth_issuer");
  expect((await attempt(({ iss: _, ...callback }) => callback)).code).toBe("mcp_oauth_issuer");
  const refused = await attempt(({ code: _, ...callback }) => ({ ...callback, error: "server_error<>" }));
  expect(refused).toMatchObject({ code: "mcp_oauth_refused" });
  expect(refused.message).toEndWith("refused: server_error");
  const denied = await attempt(({ code: _, ...callback }) => ({ ...callback, error: "access_denied" }));
  expect(denied.code).toBe("mcp_oauth_denied");
  expect((await attempt(({ code: _, ...callback }) => callback)).code).toBe("mcp_oauth_invalid");
  expect(servers.grants).toHaveLength(0);
  servers.behavior.namesIssuer = false;
  expect((await attempt((callback) => callback)).success).toBe(true);
});

test("metadata that is for another server, of another issuer or unsafe is refused", async () => {
  const refusal = async (change: Partial<typeof servers.behavior>) => {
    servers.reset();
    Object.assign(servers.behavior, change);
    return (await start("alice")).code;
  };
  const elsewhere = "http://127.0.0.1:9";
  expect(await refusal({ resource: { resource: "https://other.example/mcp" } })).toBe("mcp_oauth_resource");
  expect(await refusal({ resource: { authorization_servers: [elsewhere] } })).toBe("mcp_oauth_other_issuer");
  expect(await refusal({ metadata: { issuer: elsewhere } })).toBe("mcp_oauth_issuer");
  expect(await refusal({ metadata: { code_challenge_methods_supported: undefined } })).toBe("mcp_oauth_no_pkce");
  expect(await refusal({ metadata: { code_challenge_methods_supported: ["plain"] } })).toBe("mcp_oauth_no_pkce");
  expect(await refusal({ metadata: { authorization_endpoint: "javascript:alert(1)" } })).toBe("mcp_oauth_invalid");
  expect(await refusal({ metadata: { token_endpoint: "file:///etc/passwd" } })).toBe("mcp_oauth_insecure");
  expect(await refusal({ metadata: { revocation_endpoint: "gopher://x/" } })).toBe("mcp_oauth_insecure");
  const huge = () => new Response("x".repeat(300_000));
  const metadata = "/.well-known/oauth-authorization-server";
  expect(await refusal({ answers: { [metadata]: huge } })).toBe("why_too_large");
  expect(await refusal({ answers: { "/resource": huge } })).toBe("why_too_large");
  expect(await refusal({ answers: { [metadata]: () => new Response("<html>") } })).toBe("mcp_oauth_invalid");
  const redirected = () => Response.redirect(`${elsewhere}/x`, 302);
  expect(await refusal({ answers: { [metadata]: redirected } })).toBe("mcp_oauth_no_server");
  await app.db.delete(mcpClients);
  expect(await refusal({ metadata: { registration_endpoint: undefined } })).toBe("mcp_oauth_no_registration");
  const clientless = () => Response.json({ error: "invalid_client_metadata" }, { status: 400 });
  expect(await refusal({ answers: { "/register": clientless } })).toBe("mcp_oauth_refused");
});

test("a token endpoint that redirects, answers too much or no tokens gets the code once, and nothing is stored", async () => {
  const attempt = async (answer: (request: Request) => Response) => {
    servers.behavior.answers["/token"] = answer;
    const { url, cookie } = await start("alice");
    return (await complete("alice", await servers.visit(url), cookie)).code;
  };
  let followed = 0;
  servers.behavior.answers["/elsewhere"] = () => {
    followed += 1;
    return Response.json({ access_token: "stolen", token_type: "Bearer" });
  };
  for (const status of [302, 307, 308])
    expect(
      await attempt(() => new Response(null, { status, headers: { location: `${servers.issuer}/elsewhere` } })),
    ).toBe("why_redirects");
  expect(followed).toBe(0);
  const endless = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }));
  expect(await attempt(endless)).toBe("why_too_large");
  expect(await attempt(() => Response.json({ access_token: "a", token_type: "DPoP" }))).toBe("mcp_oauth_invalid");
  expect(await attempt(() => Response.json({ access_token: "a\r\nb", token_type: "Bearer" }))).toBe(
    "mcp_oauth_invalid",
  );
  expect(await attempt(() => Response.json({ error: "invalid_grant" }, { status: 400 }))).toBe("mcp_oauth_refused");
  expect(await app.db.$count(mcpSignIns)).toBe(0);
});

test("addresses in private networks are refused, whoever names them", async () => {
  const lookup = async (name: string) => [name === "mcp.test" ? "203.0.113.7" : "10.0.0.1"];
  const guarded = createCheckedFetch(createAddressPolicy(false), lookup as never);
  const { discoverTarget } = await import("../../../domain/models/mcp/sign-ins/discover.ts");
  for (const address of ["http://inside.test/mcp", "http://169.254.169.254/mcp", "http://[::1]/mcp"])
    expect(await codeOf(discoverTarget(guarded, new URL(address)))).toStartWith("why_");
  // What a public server names is checked like its own address.
  const through: string[] = [];
  const named = (async (url: URL, request: never) => {
    through.push(url.host);
    if (url.host !== "mcp.test") return await guarded(url, request);
    const isMetadata = url.pathname.startsWith("/.well-known/oauth-protected-resource");
    if (!isMetadata) return new Response(null, { status: 401 });
    return Response.json({ resource: "https://mcp.test/mcp", authorization_servers: ["https://inside.test"] });
  }) as typeof guarded;
  expect(await codeOf(discoverTarget(named, new URL("https://mcp.test/mcp")))).toStartWith("why_");
  expect(through.at(-1)).toBe("inside.test");
});

test("one of many calls at the same time renews an expired token, in whichever process", async () => {
  await signIn("alice");
  const old = await token("alice");
  for (let round = 0; round < 3; round += 1) {
    await age();
    servers.behavior.delayMs = 200;
    servers.grants.splice(0);
    const calls = Array.from({ length: 20 }, (_, at) => token("alice", processes[at % 2 === 0 ? 0 : 1]));
    const renewed = new Set(await Promise.all(calls));
    expect(renewed.size).toBe(1);
    expect(renewed.has(old)).toBe(false);
    expect(servers.grants).toHaveLength(1);
  }
});

test("a token that the server refuses is renewed once for all who present it", async () => {
  await signIn("alice");
  const old = await token("alice");
  // A server that refuses what was just issued would refuse the next one, too.
  expect(await codeOf(processes[0].renew(server(), idOf("alice"), old))).toBe("gateway_mcp_sign_in_refused");
  await app.db.update(mcpSignIns).set({ issuedAt: 1 });
  servers.grants.splice(0);
  const calls = Array.from({ length: 20 }, (_, at) =>
    processes[at % 2 === 0 ? 0 : 1].renew(server(), idOf("alice"), old),
  );
  expect(new Set(await Promise.all(calls)).size).toBe(1);
  expect(servers.grants).toHaveLength(1);
});

test("a refused refresh token ends the sign-in, and a failure for now does not", async () => {
  await signIn("alice");
  await age();
  servers.behavior.answers["/token"] = () => new Response("busy", { status: 503 });
  expect(await codeOf(token("alice"))).toBe("gateway_mcp_sign_in_not_renewed");
  // Nobody asks again at once.
  servers.requested.splice(0);
  expect(await codeOf(token("alice", processes[1]))).toBe("gateway_mcp_sign_in_not_renewed");
  expect(servers.requested).toEqual([]);
  expect(await list("alice")).toMatchObject([
    { state: "signed_in", reason: expect.stringContaining("not valid OAuth") },
  ]);
  delete servers.behavior.answers["/token"];
  await age();
  expect(await token("alice")).toStartWith("access-");

  await age();
  servers.behavior.answers["/token"] = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  expect(await codeOf(token("alice"))).toBe("gateway_mcp_sign_in_required");
  expect(await list("alice")).toMatchObject([{ state: "ended", reason: expect.stringContaining("invalid_grant") }]);
  const [row] = await app.db.select().from(mcpSignIns);
  expect(row?.grantCipher).toBe("");
  delete servers.behavior.answers["/token"];
  await signIn("alice");
  expect(await list("alice")).toMatchObject([{ state: "signed_in", reason: "" }]);
});

test("a sign-in without a refresh token ends when its token expires", async () => {
  servers.behavior.refreshes = false;
  await signIn("alice");
  await age();
  expect(await codeOf(token("alice"))).toBe("gateway_mcp_sign_in_required");
  expect(await list("alice")).toMatchObject([{ state: "ended", reason: "The sign-in has expired." }]);
});

test("a token that was renewed while its user signed out is revoked, and used by nobody", async () => {
  await signIn("alice");
  await age();
  servers.behavior.delayMs = 300;
  const renewal = codeOf(token("alice"));
  await Bun.sleep(100);
  await as("alice", "DELETE", `/api/mcp_sign_ins/${id}`);
  expect(await renewal).toBe("gateway_mcp_sign_in_required");
  expect(await app.db.$count(mcpSignIns)).toBe(0);
});

test("an administrator's client is used with its secret, which only its authorization server gets", async () => {
  await app.db.delete(mcpServers);
  await app.changes.publish("mcp_servers", [id]);
  id = await add({ client_id: "entered" }, "the-entered-secret");
  await signIn("alice");
  expect(servers.requested).not.toContain("/register");
  await age();
  expect(await token("alice")).toStartWith("access-");
  const rows = JSON.stringify([await app.db.select().from(mcpSignIns), await app.db.select().from(mcpServers)]);
  expect(rows).not.toContain("the-entered-secret");
  // With another authorization server the secret goes.
  const server = { url: servers.url, auth: "oauth", client_id: "entered", issuer: "https://other.example" };
  await as("root", "PUT", `/api/mcp-server/${id}`, { name: "city", server });
  expect(directory.get(id)?.secret).toBe("");
  expect(await app.db.$count(mcpSignIns)).toBe(0);
});

test("another address, authorization server or client ends all sign-ins, and a name does not", async () => {
  const { issuer } = servers;
  const put = (change: object, name = "city") =>
    as("root", "PUT", `/api/mcp-server/${id}`, {
      name,
      server: { url: servers.url, auth: "oauth", issuer, ...change },
    });
  await signIn("alice");
  await put({ description: "x" }, "town");
  expect(await token("alice")).toStartWith("access-");
  for (const change of [
    { url: `${servers.url}/other` },
    { issuer: "https://other.example" },
    { client_id: "x" },
    { auth: "none" },
  ]) {
    await put({});
    await signIn("alice");
    expect(await app.db.$count(mcpSignIns)).toBe(1);
    await put(change);
    expect(await app.db.$count(mcpSignIns)).toBe(0);
  }
  // Also where a process has not read the change, or another release stored one: what is stored decides.
  await put({});
  await signIn("alice");
  const moved = { ...server(), url: new URL("http://127.0.0.1:9/mcp") };
  expect(await codeOf(processes[0].of(moved, idOf("alice")))).toBe("gateway_mcp_sign_in_required");
});

test("a server that changes during a sign-in gets no code", async () => {
  const { url, cookie } = await start("alice");
  const callback = await servers.visit(url);
  await app.db.update(mcpServers).set({ definition: sql`replace(${mcpServers.definition}, '/mcp', '/moved')` });
  await app.changes.enforce("mcp_servers", [id]);
  expect((await complete("alice", callback, cookie)).code).toBe("mcp_sign_in_changed");
  expect(servers.grants).toHaveLength(0);
});

test("tools are listed with the sign-in of the administrator who asks, later without asking", async () => {
  const refresh = async () =>
    (await as("root", "POST", `/api/mcp-server/${id}/refresh`)).body.data as { error: string };
  expect((await refresh()).error).toContain("only after a sign-in");
  await signIn("alice");
  expect((await refresh()).error).toContain("only after a sign-in");
  await signIn("root");
  expect(await refresh()).toEqual({ error: "", waiting: 1, skipped: 0 } as never);
  const [row] = await app.db.select().from(mcpServers);
  expect(row?.listedBy).toBe(idOf("root"));
  const { db, changes } = app;
  const job = () =>
    refreshAllTools(
      { db, changes, log, vault: app.vault, send, fetch: createSafeFetch(policy), signIns: processes[0] },
      AbortSignal.timeout(10_000),
    );
  const own = await token("root");
  servers.presented.splice(0);
  await job();
  expect(new Set(servers.presented)).toEqual(new Set([own]));
  await db
    .update(users)
    .set({ role: 1 })
    .where(eq(users.id, idOf("root")));
  servers.presented.splice(0);
  await job();
  expect(new Set(servers.presented)).toEqual(new Set([null]));
  await db
    .update(users)
    .set({ role: 100 })
    .where(eq(users.id, idOf("root")));
});

test("what a token misses is requested with the next sign-in", async () => {
  await signIn("alice");
  expect(await codeOf(processes[0].missScope(server(), idOf("alice"), "tools:write"))).toBe(
    "gateway_mcp_sign_in_scope",
  );
  expect(await list("alice")).toMatchObject([{ missing_scope: "tools:write" }]);
  const { url } = await start("alice");
  expect(new URL(url).searchParams.get("scope")).toBe("tools:read tools:write");
});

test("only accounts that may use a server sign in there", async () => {
  await as("root", "PUT", `/api/mcp-server/${id}`, {
    name: "city",
    server: { url: servers.url, auth: "oauth", issuer: servers.issuer, accounts: [idOf("bob")] },
  });
  expect(await list("alice")).toEqual([]);
  expect((await start("alice")).code).toBe("mcp_server_not_found");
  expect(await list("bob")).toMatchObject([{ name: "city" }]);
  // Administrators list and try its tools.
  expect(await list("root")).toMatchObject([{ name: "city" }]);
});

test("what the database says of its failure is for nobody who calls a server", async () => {
  const { vault, settings } = app;
  const failing = () => Promise.reject(new Error("Failed query: select grant_cipher from mcp_sign_ins"));
  const db = { select: () => ({ from: () => ({ where: failing }) }) } as never;
  const tokens = new SignInTokens({ db, vault, send, settings });
  expect(await codeOf(tokens.of(server(), 1))).toBe("database_unavailable");
  expect(await codeOf(tokens.renew(server(), 1, "old"))).toBe("database_unavailable");
});

test("a sign-in goes with its user and its server", async () => {
  ids.set("carol", await app.addUser("carol"));
  people.set("carol", await app.login("carol"));
  await signIn("carol");
  await signIn("alice");
  await deleteUser(app, idOf("carol"));
  const left = await app.db.select({ userId: mcpSignIns.userId }).from(mcpSignIns);
  expect(left).toEqual([{ userId: idOf("alice") }]);
  await as("root", "DELETE", `/api/mcp-server/${id}`);
  expect(await app.db.$count(mcpSignIns)).toBe(0);
  expect(await app.db.$count(mcpClients)).toBe(0);
});

test("what a deleted sign-in had is revoked, with the secret of the client, and never holds up the deletion", async () => {
  await as("root", "DELETE", `/api/mcp-server/${id}`);
  id = await add({ client_id: "entered" }, "the-entered-secret");
  ids.set("dora", await app.addUser("dora"));
  people.set("dora", await app.login("dora"));
  await signIn("dora");
  await signIn("alice");
  await app.db.delete(mcpRevocations);
  const revoke = (now: number, signal = new AbortController().signal) =>
    revokeDeleted({ db: app.db, vault: app.vault, send }, now, signal);
  // The authorization server does not answer.
  servers.behavior.answers["/revoke"] = () => new Response(null, { status: 503 });
  await deleteUser(app, idOf("dora"));
  await revoke(0, AbortSignal.abort());
  await revoke(0);
  expect(servers.revoked).toEqual([]);
  expect(await app.db.select().from(mcpRevocations)).toMatchObject([{ attempts: 1, nextAt: 60 }]);
  await revoke(59);
  await revoke(60);
  expect(await app.db.select().from(mcpRevocations)).toMatchObject([{ attempts: 2, nextAt: 300 }]);
  // With the server all of its sign-ins go.
  await as("root", "DELETE", `/api/mcp-server/${id}`);
  expect(await app.db.$count(mcpRevocations)).toBe(2);
  delete servers.behavior.answers["/revoke"];
  await revoke(300);
  expect(servers.revoked).toHaveLength(2);
  expect(await app.db.$count(mcpRevocations)).toBe(0);
});

test("revocations that keep failing end, and so do those that no server takes", async () => {
  await signIn("alice");
  await app.db.delete(mcpRevocations);
  servers.behavior.answers["/revoke"] = () => new Response(null, { status: 503 });
  await as("alice", "DELETE", `/api/mcp_sign_ins/${id}`);
  const revoke = (now: number) =>
    revokeDeleted({ db: app.db, vault: app.vault, send }, now, new AbortController().signal);
  for (let attempt = 1; attempt < 5; attempt += 1) await revoke(10 ** (attempt + 4));
  expect(await app.db.$count(mcpRevocations)).toBe(1);
  await revoke(10 ** 9);
  expect(await app.db.$count(mcpRevocations)).toBe(0);
  await app.db.insert(mcpRevocations).values({ grantCipher: "of another key", secretCipher: "" });
  await revoke(0);
  expect(await app.db.$count(mcpRevocations)).toBe(0);
  // What is revoked at once needs no other try.
  delete servers.behavior.answers["/revoke"];
  await signIn("alice");
  await as("alice", "DELETE", `/api/mcp_sign_ins/${id}`);
  expect([servers.revoked.length, await app.db.$count(mcpRevocations)]).toEqual([1, 0]);
});

/** Starts the SDK's authorization server, which a process ends with itself only, at an address. */
const SDK_SERVER = `
  import { setupAuthServer } from "@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js";
  const [authServerUrl, mcpServerUrl] = process.argv.slice(-2).map((address) => new URL(address));
  setupAuthServer({ authServerUrl, mcpServerUrl, strictResource: true });`;

test("signs in at the authorization server of the official SDK", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const issuer = new URL(`http://localhost:${taken.port}`);
  await taken.stop(true);
  const resource: Bun.Server<undefined> = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch(request) {
      if (!new URL(request.url).pathname.startsWith("/.well-known/oauth-protected-resource"))
        return new Response(null, { status: 401 });
      return Response.json({
        resource: `${resource.url.origin}/mcp`,
        authorization_servers: [issuer.href],
        scopes_supported: ["mcp:tools"],
      });
    },
  });
  const url = `http://127.0.0.1:${resource.port}/mcp`;
  const sdk = Bun.spawn([process.execPath, "-e", SDK_SERVER, issuer.href, url], {
    cwd: import.meta.dir,
    stdout: "pipe",
  });
  try {
    // It says that it listens.
    await sdk.stdout.getReader().read();
    await app.db.delete(mcpServers);
    await app.changes.publish("mcp_servers", [id]);
    id = await add({ url });
    expect(await signIn("alice")).toMatchObject({ success: true });
    expect(await token("alice")).toMatch(/^[\da-f-]{36}$/);
    const [row] = await app.db.select().from(mcpSignIns);
    expect(row?.scope).toBe("mcp:tools");
  } finally {
    sdk.kill();
    await Promise.all([sdk.exited, resource.stop(true)]);
  }
});
