/** The gateway as an MCP server, with the official client before it and real servers behind it. */
import { afterEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMcpIndex, type McpServer } from "../../../src/domain/models/mcp/directory.ts";
import { nameSet } from "../../../src/lib/values/patterns/name-patterns.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { until } from "../../support/lib/until.ts";
import { serverAt, TOOLS, tool } from "./configured-server.ts";
import { startMcpServer } from "./mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;
function start(servers: readonly McpServer[], setup: Setup = {}) {
  const relay = startRelay({ channels: [], mcpServers: createMcpIndex(servers), ...setup });
  stops.push(relay.stop);
  return relay;
}

async function connect(relay: ReturnType<typeof start>, path = "/mcp", key = "sk-test") {
  const client = new Client({ name: "tests", version: "1" });
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(relay.url + path), { requestInit: { headers } });
  await client.connect(transport);
  stops.push(() => client.close());
  return { client, transport };
}

function startUpstream(options: Parameters<typeof startMcpServer>[0] = {}) {
  const upstream = startMcpServer(options);
  stops.push(upstream.stop);
  return upstream;
}

/** A server of our own making, which follows no protocol. */
function startRaw(respond: (request: Request) => Response | Promise<Response>) {
  const requests: Request[] = [];
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
    fetch(request) {
      requests.push(request);
      return respond(request);
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}/mcp`, requests };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => ({}),
    (error: unknown) => error as { code: number; message: string; data?: { code: string; status: number } },
  );

const price = (usd: string) => ({ usd_per_call: usd });

describe("the joined address", () => {
  test("lists the approved tools of all servers, and calls each where it is from", async () => {
    const [one, two] = [startUpstream(), startUpstream()];
    const relay = start([serverAt(1, "one", { url: one.url }), serverAt(2, "two", { url: two.url })]);
    const { client, transport } = await connect(relay);
    expect(transport.sessionId).toMatch(/^[\da-f-]{36}$/);
    expect(client.getServerVersion()?.name).toBe("sluice");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      ["one", "two"].flatMap((server) => TOOLS.map(({ name }) => `${server}__${name}`)),
    );
    const result = await client.callTool({ name: "two__weather", arguments: { city: "Ghent" } });
    expect(result.content).toEqual([{ type: "text", text: "rainy in Ghent" }]);
    expect([one.calls, two.calls]).toEqual([[], ["weather Ghent"]]);
    const { client: ofOne } = await connect(relay, "/mcp/one");
    expect((await ofOne.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    await ofOne.callTool({ name: "weather", arguments: { city: "Bruges" } });
    expect(one.calls).toEqual(["weather Bruges"]);
  });

  test("has lists of many tools in pages, each tool once", async () => {
    const offered = Array.from({ length: 1_000 }, (_, at) => tool(`t${at}`));
    const options = { "mcp.tool_search_threshold": "0" };
    const servers = [serverAt(1, "many", { url: "http://127.0.0.1:1" }, { offered })];
    const { client } = await connect(start(servers, { options }));
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { tools, nextCursor } = await client.listTools({ cursor });
      expect(tools.length).toBeLessThanOrEqual(250);
      names.push(...tools.map(({ name }) => name));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(offered.map(({ name }) => `many__${name}`));
    expect(await failureOf(client.listTools({ cursor: "none" }))).toMatchObject({ code: -32602 });
  });

  test("keeps apart names that differ only in what clients refuse", async () => {
    const upstream = startUpstream();
    const offered = ["a.b", "a b", "a/b", `${"x".repeat(120)}1`, `${"x".repeat(120)}2`].map((name) => tool(name));
    const { client } = await connect(start([serverAt(1, "one", { url: upstream.url }, { offered })]));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(5);
    expect(names.every((name) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toBe(true);
    await failureOf(client.callTool({ name: names[1] ?? "" }));
    expect(upstream.calls).toEqual(["a b"]);
  });

  test("asks for a key as RFC 9728 says", async () => {
    const relay = start([], { options: { ServerAddress: "https://ai.example/base" } });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const response = await relay.post("/mcp/one", ping, { headers: { authorization: "" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer resource_metadata="https://ai.example/base/.well-known/oauth-protected-resource/mcp/one", scope="mcp"',
    );
    expect(await response.json()).toMatchObject({ id: null, error: { data: { code: "missing_api_key" } } });
    const metadata = await relay.get("/.well-known/oauth-protected-resource/mcp/one", {});
    const described = await metadata.json();
    expect(described).toMatchObject({
      resource: "https://ai.example/base/mcp/one",
      authorization_servers: ["https://ai.example/base"],
      scopes_supported: ["mcp"],
    });
    expect((await relay.get("/mcp")).status).toBe(405);
    const unknown = await relay.post("/mcp/none", ping);
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { data: { code: "mcp_server_not_found" } } },
    ]);
    // What several messages would cost would be one call.
    expect((await relay.post("/mcp", [ping, ping])).status).toBe(400);
  });

  test.each(["2025-11-25", "2025-06-18"])("speaks revision %s", async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "tests", version: "1" } };
    const headers = { accept: "application/json, text/event-stream" };
    const relay = start([]);
    const response = await relay.post("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params }, { headers });
    expect(await response.json()).toMatchObject({ result: { protocolVersion, capabilities: { tools: {} } } });
  });
});

describe("who may use what", () => {
  const url = "http://127.0.0.1:1/mcp";
  const listed = async (servers: readonly McpServer[], setup: Setup = {}) =>
    (await (await connect(start(servers, setup))).client.listTools()).tools.map(({ name }) => name);

  test.each([
    [{ groups: ["default"] }, true],
    [{ groups: ["vip"] }, false],
    [{ keys: [1] }, true],
    [{ keys: [2] }, false],
    [{ accounts: [1], groups: ["vip"] }, false],
    [{ projects: [7] }, false],
    [{ enabled: false }, false],
  ])("%j", async (scope, isOffered) => {
    const servers = [serverAt(1, "one", { url, ...scope }, { offered: [tool("a")] })];
    expect(await listed(servers)).toEqual(isOffered ? ["one__a"] : []);
    const { client } = await connect(start(servers));
    const failure = await failureOf(client.callTool({ name: "one__a" }));
    expect(failure).toMatchObject({ code: isOffered ? -32000 : -32602 });
  });

  test("keys and policies that name models have only the tools that they name", async () => {
    const upstream = startUpstream();
    const tokens = { test: { modelLimits: nameSet(["gpt-5", "mcp/one/weather"]) } };
    const relay = start([serverAt(1, "one", { url: upstream.url })], { tokens });
    const { client } = await connect(relay);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["one__weather"]);
    expect(await failureOf(client.callTool({ name: "one__delete" }))).toMatchObject({
      data: { code: "model_not_allowed", status: 403 },
    });
    await client.callTool({ name: "one__weather", arguments: { city: "Ghent" } });
    expect(upstream.calls).toEqual(["weather Ghent"]);
  });

  test("the key of one server goes to it alone, and no caller's key to any", async () => {
    const [one, two] = [startUpstream({ authorization: "Bearer secret-of-one" }), startUpstream()];
    const { client } = await connect(
      start([
        serverAt(1, "one", { url: one.url, auth: "key" }, { secret: "secret-of-one" }),
        serverAt(2, "two", { url: two.url, auth: "key", header: "X-Token" }, { secret: "secret-of-two" }),
      ]),
    );
    for (const name of ["one__weather", "two__weather"]) await client.callTool({ name, arguments: { city: "Lier" } });
    const sent = (upstream: typeof one) => JSON.stringify(upstream.requests.map(({ headers }) => [...headers]));
    expect(sent(one)).toContain("secret-of-one");
    expect(sent(one)).not.toMatch(/secret-of-two|sk-test/);
    expect(sent(two)).toContain("secret-of-two");
    expect(sent(two)).not.toMatch(/secret-of-one|sk-test/);
  });

  test("sessions at a server are never shared by two keys or two sessions", async () => {
    const upstream = startUpstream();
    const relay = start([serverAt(1, "one", { url: upstream.url })], { tokens: { a: { id: 1 }, b: { id: 2 } } });
    const clients = [
      await connect(relay, "/mcp", "sk-a"),
      await connect(relay, "/mcp", "sk-a"),
      await connect(relay, "/mcp", "sk-b"),
    ];
    for (const { client } of [...clients, ...clients])
      await client.callTool({ name: "one__weather", arguments: { city: "x" } });
    expect(upstream.sessions.size).toBe(3);
    // One that the server has forgotten is opened again, and the call is made once.
    upstream.sessions.clear();
    await clients[0]?.client.callTool({ name: "one__weather", arguments: { city: "again" } });
    expect(upstream.calls.filter((call) => call === "weather again")).toEqual(["weather again"]);
    await clients[0]?.transport.terminateSession();
    await until(() => upstream.sessions.size === 0);
  });
});

describe("what a call costs", () => {
  const start1 = (definition: object, setup: Setup = {}) => {
    const upstream = startUpstream();
    const relay = start([serverAt(1, "one", { url: upstream.url, ...definition })], setup);
    return { upstream, relay };
  };
  const options = { GroupRatio: '{"default": 2}' };

  test("its price, once, held before and with a receipt", async () => {
    const { relay } = start1(price("0.0125"), { options });
    const { client } = await connect(relay);
    await client.callTool({ name: "one__weather", arguments: { city: "Ghent" } });
    expect(relay.billing.records).toMatchObject([
      {
        modelName: "mcp/one/weather",
        quota: 12_500,
        failed: false,
        promptTokens: 0,
        completionTokens: 0,
        channelId: 0,
        other: {
          model_price: 0.0125,
          receipt: { total: 12_500, groupRatio: "2" },
          reserved: 12_500,
          ending: "complete",
        },
      },
    ]);
    expect(relay.billing.holds).toMatchObject([{ amount: 12_500, state: "settled" }]);
  });

  test.each([
    ["broken", {}],
    ["missing", {}],
    ["slow", { timeout_ms: 1_000 }],
    ["long", { max_result_bytes: 20_000 }],
    ["long", { max_result_tokens: 1_000 }],
  ])("nothing where the tool fails: %s", async (name, definition) => {
    const { relay } = start1({ ...price("1"), ...definition }, { options });
    const { client } = await connect(relay);
    await failureOf(client.callTool({ name: `one__${name}` }));
    expect(relay.billing.records).toMatchObject([{ modelName: `mcp/one/${name}`, quota: 0, failed: true }]);
    expect(relay.billing.holds).toMatchObject([{ amount: 1_000_000, state: "refunded" }]);
  });

  test("is refused, unsent, without the money for it", async () => {
    const { relay, upstream } = start1(price("1"), { options });
    relay.billing.available = 999_999;
    const { client } = await connect(relay);
    expect(await failureOf(client.callTool({ name: "one__weather" }))).toMatchObject({
      data: { code: "insufficient_user_quota", status: 429 },
    });
    expect(upstream.calls).toEqual([]);
    expect(relay.billing.openHolds).toBe(0);
    expect(relay.billing.records).toMatchObject([{ quota: 0, failed: true }]);
  });

  test("counts toward the limits of the key; lists do not", async () => {
    const { relay, upstream } = start1({}, { tokens: { test: { requestsPerMinute: 2 } } });
    const { client } = await connect(relay);
    for (let round = 0; round < 5; round += 1) await client.listTools();
    const call = () => failureOf(client.callTool({ name: "one__weather", arguments: { city: "x" } }));
    expect(await call()).toEqual({});
    expect(await call()).toEqual({});
    expect(await call()).toMatchObject({ data: { code: "rate_limit_exceeded", status: 429 } });
    expect(upstream.calls).toHaveLength(2);
  });

  test("a client that leaves pays for what was called, and holds nothing", async () => {
    const { relay, upstream } = start1(price("1"), { options });
    const leave = new AbortController();
    const params = { name: "weather", arguments: { city: "Ghent" } };
    const headers = { accept: "application/json, text/event-stream" };
    const response = await relay.post(
      "/mcp/one",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      { headers, signal: leave.signal },
    );
    leave.abort();
    void response.body?.cancel().catch(() => {});
    await until(() => relay.billing.records.length === 1);
    expect(upstream.calls).toEqual(["weather Ghent"]);
    expect(relay.billing.records).toMatchObject([{ quota: 1_000_000 }]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("is in the session of the agent, with arguments and result where the site logs them", async () => {
    const { relay } = start1({}, { options: { LogChatContentEnabled: "true" } });
    const { client, transport } = await connect(relay);
    await client.callTool({ name: "one__weather", arguments: { city: "Ghent" } });
    expect(relay.billing.records).toMatchObject([
      {
        other: {
          agent_session: { id: transport.sessionId, by: "body" },
          input_content: '{"city":"Ghent"}',
          output_content: "rainy in Ghent",
        },
      },
    ]);
  });

  test("a guardrail that blocks what is sent keeps it from the server", async () => {
    const rules = { secrets: { kind: "words", words: ["xyzzy"] } };
    const { relay, upstream } = start1({}, { options: { Guardrails: JSON.stringify(rules) } });
    const { client } = await connect(relay);
    expect(await failureOf(client.callTool({ name: "one__weather", arguments: { city: "near XYZZY" } }))).toMatchObject(
      {
        code: -32000,
      },
    );
    expect(upstream.calls).toEqual([]);
  });
});

describe("hostile servers", () => {
  const callAt = async (url: string, definition: object = {}, setup: Setup = {}) => {
    const relay = start([serverAt(1, "bad", { url, timeout_ms: 2_000, ...definition })], setup);
    const { client } = await connect(relay);
    const call = () => failureOf(client.callTool({ name: "bad__weather", arguments: { city: "x" } }));
    return { relay, call };
  };
  const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  const initialized = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "x", version: "1" },
  };
  /** Answers calls with what `body` makes of their id. */
  const startServer = (body: (id: number) => BodyInit | null, type = "text/event-stream") =>
    startRaw(async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "initialize") return Response.json({ jsonrpc: "2.0", id, result: initialized });
      return new Response(body(id), { headers: { "content-type": type } });
    });

  test("a redirect is not followed, so no key goes there", async () => {
    const inside = startRaw(() => new Response("secret"));
    const { url } = startRaw(() => new Response(null, { status: 307, headers: { location: inside.url } }));
    const { call } = await callAt(url, { auth: "key" });
    expect(await call()).toMatchObject({ data: { code: "mcp_server_failed", status: 502 } });
    expect(inside.requests).toEqual([]);
  });

  test("private addresses are closed unless the operator opens them", async () => {
    const upstream = startUpstream();
    const { call } = await callAt(upstream.url, {}, { config: { allowPrivateUpstreams: false } });
    expect(await call()).toMatchObject({ data: { code: "mcp_server_failed", status: 502 } });
    expect(upstream.requests).toEqual([]);
  });

  test.each(["text/event-stream", "application/json"])("an endless result as %s ends at its bound", async (type) => {
    let sent = 0;
    const part = new Uint8Array(65_536).fill(97);
    const { url } = startServer(
      () =>
        new ReadableStream({
          async pull(controller) {
            sent += part.byteLength;
            controller.enqueue(part);
            await Bun.sleep(0);
          },
        }),
      type,
    );
    const { call } = await callAt(url, { max_result_bytes: 100_000, timeout_ms: 60_000 });
    expect(await call()).toMatchObject({
      data: { code: "mcp_server_failed" },
      message: expect.stringContaining("more than 100000 bytes"),
    });
    expect(sent).toBeLessThan(16 * 1_048_576);
  });

  test.each([
    [
      "a stream that is cut",
      event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } }),
    ],
    ["a stream without anything", ""],
    ["a stream that breaks within the result", 'event: message\ndata: {"jsonrpc": "2.0", "id"'],
  ])("%s fails at once, not at the time-out", async (_name, body) => {
    const { url } = startServer(() => body);
    const { call } = await callAt(url, { timeout_ms: 600_000 });
    expect(await call()).toMatchObject({
      data: { code: "mcp_server_failed" },
      message: expect.stringContaining("ended before its result"),
    });
  });

  test("a hang ends at the time-out", async () => {
    const { url } = startServer(() => new ReadableStream());
    const { relay, call } = await callAt(url, { timeout_ms: 1_000, ...price("1") });
    expect(await call()).toMatchObject({ data: { code: "mcp_timeout", status: 504 } });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("nothing more is sent after some failures in a row", async () => {
    let calls = 0;
    const { url } = startServer(() => {
      calls += 1;
      return "";
    });
    const { relay, call } = await callAt(url, price("1"));
    for (let failures = 0; failures < 5; failures += 1)
      expect(await call()).toMatchObject({ data: { code: "mcp_server_failed" } });
    expect(await call()).toMatchObject({ data: { code: "mcp_server_unavailable", status: 503 } });
    expect(calls).toBe(5);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("too large results of one caller close the server to no other", async () => {
    const upstream = startUpstream();
    const { relay, call } = await callAt(upstream.url, { max_result_bytes: 100_000 });
    const { client } = await connect(relay);
    for (let failures = 0; failures < 6; failures += 1)
      expect(await failureOf(client.callTool({ name: "bad__long" }))).toMatchObject({
        data: { code: "mcp_server_failed" },
      });
    expect(await call()).toEqual({});
  });

  test("answers to other ids, and requests of its own, are not results", async () => {
    const { url } = startServer(
      (id) =>
        event({ jsonrpc: "2.0", id: id + 100, result: { content: [{ type: "text", text: "forged" }] } }) +
        event({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }) +
        event({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "true" }] } }),
    );
    const relay = start([serverAt(1, "bad", { url })]);
    const { client } = await connect(relay);
    expect((await client.callTool({ name: "bad__weather" })).content).toEqual([{ type: "text", text: "true" }]);
  });
});
