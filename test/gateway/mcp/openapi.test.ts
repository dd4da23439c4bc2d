/** Operations of OpenAPI documents as tools of the gateway, with the official client before it and an API behind it. */
import { afterEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readMcpRules } from "../../../src/domain/models/mcp/definition.ts";
import { createMcpIndex, type McpServer } from "../../../src/domain/models/mcp/directory.ts";
import { readTools } from "../../../src/domain/models/mcp/openapi/read-tools.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "fields", in: "query", schema: { type: "array" } },
          { name: "api_key", in: "query", schema: { type: "string" } },
        ],
      },
    },
    "/pets": {
      post: { operationId: "addPet", requestBody: { required: true, content: { "application/json": { schema: {} } } } },
    },
  },
};
const { tools: TOOLS } = readTools(DOCUMENT, 100);

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

async function start(respond: (request: Request) => Response | Promise<Response>, definition: object = {}) {
  const requests: { method: string; path: string; headers: Headers; body: string }[] = [];
  const api = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      requests.push({ method, path: pathname + search, headers, body: await request.clone().text() });
      return await respond(request);
    },
  });
  stops.push(() => api.stop(true));
  const rules = {
    kind: "openapi",
    url: `http://127.0.0.1:${api.port}/v1`,
    usd_per_call: "1",
    timeout_ms: 1_000,
    ...definition,
  };
  const server: McpServer = { ...readMcpRules(rules), id: 1, name: "pets", secret: "s3cret key", offered: TOOLS };
  const relay = startRelay({ channels: [], mcpServers: createMcpIndex([server]) });
  stops.push(relay.stop);
  const client = new Client({ name: "tests", version: "1" });
  const headers = { authorization: "Bearer sk-test" };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${relay.url}/mcp`), { requestInit: { headers } }));
  stops.push(() => client.close());
  const call = (name: string, input: Record<string, unknown>) =>
    client.callTool({ name: `pets__${name}`, arguments: input });
  const failure = (name: string, input: Record<string, unknown>) =>
    call(name, input).then(
      () => ({}),
      (error: unknown) => error as { code: number; message: string; data?: { code: string; status: number } },
    );
  return { relay, requests, client, call, failure };
}
const pet = () => Response.json({ name: "Rex" });

test("a call is a request of the operation, with the key where the API takes it, and is charged", async () => {
  const { relay, requests, client, call } = await start(pet, { auth: "key", query: "api_key" });
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ["pets__getPet", true],
    ["pets__addPet", false],
  ]);
  expect(JSON.stringify(tools)).not.toContain("/pets/");
  // The caller's own value for the key's member does not reach the API.
  const result = await call("getPet", { id: "a/b", fields: ["x", "y"], api_key: "mine" });
  expect(result.content).toEqual([{ type: "text", text: '{"name":"Rex"}' }]);
  expect(requests.map(({ method, path }) => [method, path])).toEqual([
    ["GET", "/v1/pets/a%2Fb?fields=x&fields=y&api_key=s3cret%20key"],
  ]);
  expect(JSON.stringify([...(requests[0]?.headers ?? [])])).not.toContain("sk-test");
  expect(relay.billing.records).toMatchObject([{ modelName: "mcp/pets/getPet", quota: 500_000, failed: false }]);
});

test("a body goes as JSON, with the key in a header", async () => {
  const { requests, call } = await start(pet, { auth: "key", header: "X-Key" });
  await call("addPet", { body: { name: "Rex" } });
  expect(requests).toMatchObject([{ method: "POST", path: "/v1/pets", body: '{"name":"Rex"}' }]);
  expect(requests[0]?.headers.get("x-key")).toBe("s3cret key");
});

test("a refusal of the API is an error that the model reads, and costs nothing", async () => {
  const { relay, call } = await start(() => Response.json({ error: "no such pet" }, { status: 404 }));
  expect(await call("getPet", { id: "9" })).toMatchObject({
    ...{ isError: true, content: [{ type: "text", text: 'HTTP 404\n{"error":"no such pet"}' }] },
  });
  expect(relay.billing.records).toMatchObject([{ quota: 0, failed: true }]);
  expect(relay.billing.openHolds).toBe(0);
});

test("arguments that make no request are refused with their name, and nothing is sent", async () => {
  const { relay, requests, failure } = await start(pet);
  expect(await failure("getPet", {})).toMatchObject({
    code: -32602,
    message: expect.stringContaining("id is missing"),
  });
  expect(await failure("getPet", { id: ".." })).toMatchObject({ code: -32602, data: { status: 400 } });
  expect([requests, relay.billing.openHolds]).toEqual([[], 0]);
});

test("images come as images, and other bytes as a resource", async () => {
  const types = ["image/png", "application/pdf"];
  const { call } = await start(() => new Response("bytes", { headers: { "content-type": types.shift() ?? "" } }));
  const data = btoa("bytes");
  expect((await call("getPet", { id: "1" })).content).toEqual([{ type: "image", data, mimeType: "image/png" }]);
  expect((await call("getPet", { id: "1" })).content).toMatchObject([
    { type: "resource", resource: { mimeType: "application/pdf", blob: data } },
  ]);
});

describe("hostile APIs", () => {
  test.each<[string, () => Response, object]>([
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/inside", 307), { code: "mcp_server_failed" }],
    ["refused credentials", () => new Response("who?", { status: 401 }), { code: "mcp_server_failed" }],
    ["an error of the API", () => new Response("oh", { status: 503 }), { code: "mcp_server_failed" }],
    ["a hang", () => new Response(new ReadableStream()), { code: "mcp_timeout" }],
  ])("%s fails and costs nothing", async (_name, respond, data) => {
    const { relay, requests, failure } = await start(respond, { auth: "key" });
    expect(await failure("getPet", { id: "1" })).toMatchObject({ data });
    expect([requests.length, relay.billing.openHolds]).toEqual([1, 0]);
    expect(relay.billing.records).toMatchObject([{ quota: 0, failed: true }]);
  });

  test("an endless result ends at its bound", async () => {
    let sent = 0;
    const part = new Uint8Array(65_536).fill(97);
    const endless = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            sent += part.byteLength;
            controller.enqueue(part);
            await Bun.sleep(0);
          },
        }),
      );
    const { failure } = await start(endless, { max_result_bytes: 100_000, timeout_ms: 60_000 });
    expect(await failure("getPet", { id: "1" })).toMatchObject({
      message: expect.stringContaining("more than 100000"),
    });
    expect(sent).toBeLessThan(16 * 1_048_576);
  });
});
