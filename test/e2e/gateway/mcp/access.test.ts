/** Access of applications over processes: two workers, requests at once, a restart. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { oauthClient } from "../../../support/console/services/oauth-client.ts";
import { login, ROOT_NAME, ROOT_PASSWORD } from "../../../support/e2e/console-client.ts";
import { type Gateway, type Session, setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

const AT_ONCE = 8;

describe.each([
  ["the embedded database", false],
  ["a Postgres server, with two workers", true],
])("on %s", (_name, isServer) => {
  let database: TemporaryPostgres | null = null;
  let gateway: Gateway;
  let root: Session;
  let dataDir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = isServer ? await startTemporaryPostgres({ durable: false }) : null;
    dataDir = await mkdtemp(path.join(tmpdir(), "sluice-access-"));
    env = database ? { DATABASE_URL: database.url, WORKERS: "2" } : {};
    gateway = await startGateway({ dataDir, env });
    root = await setUp(gateway, { ServerAddress: "https://ai.example" });
  }, 120_000);
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    await database?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }, 60_000);

  const client = () =>
    oauthClient(
      (method, at, body, headers = {}) =>
        fetch(gateway.url + at, {
          method,
          // Each request on a connection of its own, so that any worker may take it.
          headers: { "content-type": "application/json", connection: "close", ...headers },
          ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      "https://ai.example",
    );
  const person = () => ({ cookie: root.cookie, "sluice-user": String(root.userId) });
  const ping = async (token: string, at = "/mcp") => {
    const response = await fetch(gateway.url + at, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    await response.text();
    return response.status;
  };
  const many = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, work));

  test("every worker takes new tokens at once, refreshes give one pair, and revocation holds everywhere", async () => {
    const agent = client();
    const { clientId, tokens } = await agent.signIn(person());
    expect(new Set(await many(() => ping(tokens.access_token)))).toEqual(new Set([200]));
    const refreshed = await many(() => agent.refresh(clientId, tokens.refresh_token));
    expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(refreshed.map(({ body }) => body.refresh_token)).size).toBe(1);
    const access = String(refreshed[0]?.body.access_token);
    expect(new Set(await many(() => ping(access)))).toEqual(new Set([200]));
    expect((await agent.revoke(clientId, access)).status).toBe(200);
    for (const token of [access, tokens.access_token])
      expect(new Set(await many(() => ping(token)))).toEqual(new Set([401]));
  }, 60_000);

  test("of many requests with one code at most one gets tokens, which have ended", async () => {
    const agent = client();
    const { clientId, code, verifier, tokens } = await agent.signIn(person());
    const redeemed = await many(() => agent.redeem({ client_id: clientId, code, code_verifier: verifier }));
    expect(new Set(redeemed.map(({ body }) => body.error))).toEqual(new Set(["invalid_grant"]));
    expect(await ping(tokens.access_token)).toBe(401);
  }, 60_000);

  test("tokens are good after a restart, and an access token for one address only there", async () => {
    const agent = client();
    const { clientId, tokens } = await agent.signIn(person());
    expect(await gateway.stop()).toBe(0);
    gateway = await startGateway({ dataDir, env });
    root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    expect(await ping(tokens.access_token)).toBe(200);
    expect(await ping(tokens.access_token, "/mcp/none")).toBe(401);
    expect((await agent.refresh(clientId, tokens.refresh_token)).status).toBe(200);
  }, 60_000);
});
