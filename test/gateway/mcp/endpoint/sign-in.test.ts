/** Servers at which callers sign in: whose token a call has, and what a caller without one gets. */
import { afterEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { OperationError } from "../../../../src/lib/operation-error.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { until } from "../../../support/lib/until.ts";
import { serverAt, tool } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const PAGE = "https://ai.example/mcp-sign-ins";
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

const signInError = (
  code: "gateway_mcp_sign_in_refused" | "gateway_mcp_sign_in_required" | "gateway_mcp_sign_in_scope",
) => new OperationError(code, { server: "city", url: PAGE }, { status: 403 });

/** A gateway before a server that accepts the token `good` alone; `tokens`: what the caller's account has, by use. */
function start({
  tokens = [],
  definition = {},
}: {
  tokens?: readonly (string | OperationError)[];
  definition?: object;
} = {}) {
  const mcp = startMcpServer({ authorization: "Bearer good" });
  const server = serverAt(
    ...([4, "city", { url: mcp.url, auth: "oauth", usd_per_call: "0.0125", ...definition }] as const),
    { offered: [tool("weather")] },
  );
  const requested: string[] = [];
  const take = async (how: string, accountId: number): Promise<string> => {
    const found = tokens[Math.min(requested.push(`${how} ${accountId}`), tokens.length) - 1];
    if (typeof found === "string") return found;
    throw found ?? signInError("gateway_mcp_sign_in_required");
  };
  const signIns = {
    of: (_: object, accountId: number) => take("of", accountId),
    renew: (_: object, accountId: number, refused: string) => take(`renew ${refused}`, accountId),
    refused: () => signInError("gateway_mcp_sign_in_refused"),
    async missScope(_: object, __: number, missing: string): Promise<never> {
      requested.push(`scope ${missing}`);
      throw signInError("gateway_mcp_sign_in_scope");
    },
  };
  const relay = startRelay({ channels: [], mcpServers: createMcpIndex([server]), mcpFetches: { signIns } });
  stops.push(mcp.stop, relay.stop);
  return { mcp, relay, requested };
}

async function connect(url: string, capabilities: object = {}) {
  const client = new Client({ name: "tests", version: "1" }, { capabilities });
  const headers = { authorization: "Bearer sk-test" };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  stops.push(() => client.close());
  return client;
}
const call = (client: Client) => client.callTool({ name: "weather", arguments: { city: "Ghent" } });
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("a caller who has not signed in", () => {
  test("gets a result that says where to, is listed the tools, and pays nothing", async () => {
    const { mcp, relay } = start();
    const client = await connect(`${relay.url}/mcp/city`);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["weather"]);
    expect(await call(client)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(PAGE) }] });
    expect(mcp.requests).toEqual([]);
    expect(relay.billing.holds).toEqual([]);
    await until(() => relay.billing.records.length === 1);
    expect(relay.billing.records).toMatchObject([{ modelName: "mcp/city/weather", quota: 0, failed: true }]);
  });

  test("gets the protocol's error with the address if the client opens addresses", async () => {
    const { relay } = start();
    const client = await connect(`${relay.url}/mcp/city`, { elicitation: { url: {} } });
    const error = await failureOf(call(client));
    expect(error).toBeInstanceOf(UrlElicitationRequiredError);
    expect(error).toMatchObject({ code: -32042, elicitations: [{ mode: "url", url: PAGE }] });
  });

  test("closes the server to no other caller", async () => {
    const { relay, requested } = start({
      tokens: [...Array(8).fill(signInError("gateway_mcp_sign_in_required")), "good"],
    });
    const client = await connect(`${relay.url}/mcp/city`);
    for (let at = 0; at < 8; at += 1) expect(await call(client)).toMatchObject({ isError: true });
    expect(await call(client)).toMatchObject({ content: [{ text: "rainy in Ghent" }] });
    expect(requested.length).toBeGreaterThan(8);
  });

  test("gets no prompts of that server, and those of others", async () => {
    const { relay } = start({ definition: { prompts: true } });
    expect(await failureOf((await connect(`${relay.url}/mcp/city`)).listPrompts())).toMatchObject({
      message: expect.stringContaining(PAGE),
      data: { code: "mcp_sign_in_required", status: 403 },
    });
    expect((await (await connect(`${relay.url}/mcp`)).listPrompts()).prompts).toEqual([]);
  });
});

test("a database that does not answer is said so, and closes the server to nobody", async () => {
  const away = new OperationError("database_unavailable", {}, { status: 503 });
  // The first use is before the call, the second with it.
  const { relay } = start({ tokens: [...Array(6).fill(["good", away]).flat(), "good"] });
  const client = await connect(`${relay.url}/mcp/city`);
  for (let at = 0; at < 6; at += 1)
    expect(await failureOf(call(client))).toMatchObject({ data: { status: 503, code: "database_unavailable" } });
  expect(await call(client)).toMatchObject({ content: [{ text: "rainy in Ghent" }] });
  expect(relay.billing.openHolds).toBe(0);
});

test("a call has the token of the key's account, and is charged", async () => {
  const { mcp, relay, requested } = start({ tokens: ["good"] });
  expect(await call(await connect(`${relay.url}/mcp/city`))).toMatchObject({ content: [{ text: "rainy in Ghent" }] });
  expect(new Set(mcp.requests.map(({ headers }) => headers.get("authorization")))).toEqual(new Set(["Bearer good"]));
  expect(new Set(requested)).toEqual(new Set(["of 1"]));
  expect(relay.billing.records).toMatchObject([{ quota: 6_250, failed: false }]);
});

test("a refused token is renewed once, and one that stays refused is no failure of the server", async () => {
  const { relay, requested } = start({ tokens: ["old", "old", "good"] });
  expect(await call(await connect(`${relay.url}/mcp/city`))).toMatchObject({ content: [{ text: "rainy in Ghent" }] });
  expect(requested.slice(0, 3)).toEqual(["of 1", "of 1", "renew old 1"]);
  const other = start({ tokens: ["bad"] });
  const client = await connect(`${other.relay.url}/mcp/city`);
  for (let at = 0; at < 7; at += 1)
    expect(await call(client)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("refuses your sign-in") }],
    });
  expect(other.relay.billing.openHolds).toBe(0);
  expect(other.relay.billing.records.every(({ quota }) => quota === 0)).toBe(true);
});

test("a token without a permission that a tool needs is said so, with what it misses", async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="tools:write", resource_metadata="http://x/"';
  const raw = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: () => new Response(null, { status: 403, headers: { "www-authenticate": challenge } }),
  });
  stops.push(() => raw.stop(true));
  const { relay, requested } = start({ tokens: ["good"], definition: { url: `http://127.0.0.1:${raw.port}/mcp` } });
  const result = await call(await connect(`${relay.url}/mcp/city`));
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("more permissions") }] });
  expect(requested).toContain("scope tools:write");
});

test("no token goes to another address of the server's origin, wherever it redirects", async () => {
  const seen: (string | null)[] = [];
  const raw = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname !== "/mcp") seen.push(request.headers.get("authorization"));
      return new Response(null, { status: 307, headers: { location: "/tenant/other" } });
    },
  });
  stops.push(() => raw.stop(true));
  const { relay } = start({ tokens: ["good"], definition: { url: `http://127.0.0.1:${raw.port}/mcp` } });
  expect(await failureOf(call(await connect(`${relay.url}/mcp/city`)))).toMatchObject({ data: { status: 502 } });
  expect(seen).toEqual([]);
});
