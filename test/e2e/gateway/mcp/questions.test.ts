/**
 * Servers that ask the clients of priced calls, with the executable: every message of a client comes on a connection of its own, so with
 * two workers an answer or a cancellation arrives at either.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startAskingServer } from "../../../gateway/mcp/endpoint/asking-server.ts";
import { settledAccount } from "../../../support/billing/books.ts";
import { createApiKey } from "../../../support/e2e/console-client.ts";
import { type Gateway, type Session, setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

/** 0.002 dollars. */
const CALL_PRICE = 1000;

describe.each([
  ["the embedded database", false],
  ["a Postgres server, with two workers", true],
])("on %s", (_name, isServer) => {
  const server = startAskingServer();
  let database: TemporaryPostgres | null = null;
  let gateway: Gateway;
  let root: Session;
  let key: string;

  beforeAll(async () => {
    database = isServer ? await startTemporaryPostgres({ durable: false }) : null;
    gateway = await startGateway({ env: database ? { DATABASE_URL: database.url, WORKERS: "2" } : {} });
    root = await setUp(gateway);
    const asks = { elicitation: true, sampling: true };
    const { id } = await root.post("/api/mcp-server/", {
      name: "asking",
      server: { url: server.url, usd_per_call: "0.002", ...asks },
    });
    const tools = await root.get(`/api/mcp-server/${id}/tools`);
    await root.post(`/api/mcp-server/${id}/tools/approve`, {
      tools: tools.map(({ name: tool, hash }: { name: string; hash: string }) => ({ name: tool, hash })),
    });
    ({ key } = await createApiKey(root));
  }, 120_000);
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    await database?.stop();
    server.stop();
  }, 60_000);

  async function connect(name: string) {
    const capabilities = { elicitation: {}, sampling: {} };
    const client = new Client({ name, version: "1" }, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      await Bun.sleep(Math.random() * 30);
      return { action: "accept" as const, content: { color: `${name}: ${params.message}` } };
    });
    client.setRequestHandler(CreateMessageRequestSchema, () => {
      const content = { type: "text" as const, text: `${name} ${"x".repeat(50_000)}` };
      return { model: "own", role: "assistant" as const, content };
    });
    const headers = { authorization: `Bearer ${key}`, connection: "close" };
    const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/asking`), {
      requestInit: { headers },
    });
    await client.connect(transport);
    const call = async (tool: string, input: Record<string, unknown>) =>
      JSON.stringify(await client.callTool({ name: tool, arguments: input }));
    return { client, call };
  }

  test("each answer reaches the call that asked, and each call is charged once", async () => {
    const before = await settledAccount(root);
    const names = ["ann", "bob", "cy"];
    const clients = await Promise.all(names.map(connect));
    const rounds = Array.from({ length: 12 }, (_, at) => `w${at}`);
    await Promise.all(
      clients.flatMap(({ call }, at) =>
        rounds.map(async (word, round) => {
          if (round % 3 === 0) return expect(await call("sample", {})).toContain(`${names[at]} xxx`);
          expect(await call("elicit", { word })).toContain(`${names[at]}: Which ${word}?`);
        }),
      ),
    );
    const charged = names.length * rounds.length * CALL_PRICE;
    const after = await until(
      () => settledAccount(root),
      (account) => before.quota - account.quota >= charged,
    );
    expect(before.quota - after.quota).toBe(charged);
    for (const { client } of clients) await client.close();
  }, 60_000);

  test("a cancellation reaches the server, and the call is charged as far as it was called", async () => {
    const before = await settledAccount(root);
    const { client } = await connect("dora");
    const already = server.seen.begun;
    const calls = Array.from({ length: 6 }, () => {
      const stop = new AbortController();
      const end = client.callTool({ name: "wait" }, undefined, { signal: stop.signal }).catch(() => "canceled");
      return { stop, end };
    });
    await until(() => server.seen.begun === already + calls.length);
    for (const { stop } of calls) stop.abort();
    expect(await Promise.all(calls.map(({ end }) => end))).toEqual(calls.map(() => "canceled"));
    await until(() => server.seen.canceled === calls.length);
    const charged = calls.length * CALL_PRICE;
    const after = await until(
      () => settledAccount(root),
      (account) => before.quota - account.quota >= charged,
    );
    expect(before.quota - after.quota).toBe(charged);
    await client.close();
  }, 60_000);
});
