/** The management API as an MCP server, used with the official SDK by administrators, roles and service accounts. */
import { afterAll, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ENGINES, startFixture } from "../../../support/e2e/fixture.ts";

const fixture = await startFixture(["gpt-4o"], { engine: ENGINES.at(-1) ?? "embedded" });
afterAll(fixture.stop);
const { root } = fixture;
const { url } = fixture.gateway;
const rootToken = String(await root.get("/api/user/token"));

async function connect(path: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "an-agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }));
  return client;
}

const asRoot = { authorization: `Bearer ${rootToken}`, "sluice-user": "1" };

async function call(client: Client, name: string, input: object): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: { ...input } });
  const [first] = content as { text: string }[];
  return { text: first?.text ?? "", isError: isError === true };
}

test("finds, describes and reads; what changes has an address of its own", async () => {
  const client = await connect("/api/mcp", asRoot);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ["find_operations", true],
    ["describe_operation", true],
    ["read", true],
  ]);
  const found = await call(client, "find_operations", { query: "list channels" });
  expect(found.text.split("\n")[0]).toStartWith("GET /api/channel/: ");
  expect(found.text).not.toMatch(/^(?:PUT|DELETE) /m);
  const described = await call(client, "describe_operation", { operation: "GET /api/channel/{id}" });
  expect(JSON.parse(described.text)).toMatchObject({ parameters: [{ name: "id" }, {}], answer: expect.any(Object) });
  const listed = await call(client, "read", { operation: "GET /api/channel/", query: { p: 0, page_size: 5 } });
  expect(JSON.parse(listed.text)).toMatchObject({ success: true, data: [{ models: "gpt-4o" }] });
  const { id } = JSON.parse(listed.text).data[0];
  const one = await call(client, "read", { operation: "GET /api/channel/{id}", path: { id } });
  expect(JSON.parse(one.text).data.id).toBe(id);
  const missing = await call(client, "read", { operation: "GET /api/channel/{id}" });
  expect(missing).toEqual({ text: expect.stringContaining("id"), isError: true });
  for (const operation of ["DELETE /api/channel/{id}", "GET /api/channel/test/{id}", "GET /api/user/token"])
    expect((await call(client, "read", { operation, path: { id } })).isError).toBe(true);
  expect((await call(client, "change", { operation: "DELETE /api/channel/{id}", path: { id } })).isError).toBe(true);
  expect(
    JSON.parse((await call(client, "read", { operation: "GET /api/channel/{id}", path: { id } })).text).success,
  ).toBe(true);
  await client.close();
});

test("changes are made with the rights of the caller, and are in the audit log", async () => {
  const client = await connect("/api/mcp/change", asRoot);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("change");
  const body = {
    name: "by-agent",
    type: 1,
    key: "sk-1",
    base_url: "http://127.0.0.1:1",
    models: "m",
    group: "default",
  };
  const made = await call(client, "change", { operation: "POST /api/channel/", body });
  expect(made).toEqual({ text: expect.stringContaining('"success":true'), isError: false });
  const refused = await call(client, "change", { operation: "POST /api/channel/", body: { name: "half" } });
  expect([refused.isError, JSON.parse(refused.text).success]).toEqual([true, false]);
  const audit = await call(client, "read", { operation: "GET /api/audit/", query: { page_size: 5 } });
  expect(audit.text).toContain("by-agent");
  // Ids are parts of a path and nothing else.
  const outside = await call(client, "read", { operation: "GET /api/channel/{id}", path: { id: "../user/self?x=" } });
  expect(outside.isError).toBe(true);
  expect(outside.text).not.toContain("username");
  await client.close();
});

test("a service account has what its rights allow, and no more", async () => {
  const made = (await root.post("/api/service_account/", {
    name: "reader",
    rights: ["channels:read"],
    expires_time: 0,
  })) as {
    token: string;
  };
  const client = await connect("/api/mcp/change", { authorization: `Bearer ${made.token}` });
  const found = await call(client, "find_operations", {});
  expect(found.text.split("\n").every((line) => line.endsWith("(channels:read)"))).toBe(true);
  expect((await call(client, "read", { operation: "GET /api/channel/" })).isError).toBe(false);
  expect((await call(client, "read", { operation: "GET /api/user/" })).isError).toBe(true);
  expect((await call(client, "change", { operation: "PUT /api/option/", body: {} })).isError).toBe(true);
  await client.close();
});

test("users, sessions and other messages are refused", async () => {
  const ask = (path: string, init: RequestInit) => fetch(new URL(path, url), init);
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (headers: Record<string, string>, body = message) =>
    ask("/api/mcp", { method: "POST", headers: { ...json, ...headers }, body });
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: "Bearer wrong", "sluice-user": "1" })).status).toBe(401);
  await root.post("/api/user/", { username: "plain", password: "long-enough-9", display_name: "Plain" });
  const login = await ask("/api/user/login", {
    ...{ method: "POST", headers: json, body: JSON.stringify({ username: "plain", password: "long-enough-9" }) },
  });
  const { id } = ((await login.json()) as { data: { id: number } }).data;
  const cookie = login.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  // A session is no credential here.
  expect((await post({ cookie, "sluice-user": String(id) })).status).toBe(401);
  const own = await ask("/api/user/token", { headers: { cookie, "sluice-user": String(id) } });
  const token = ((await own.json()) as { data: string }).data;
  expect((await post({ authorization: `Bearer ${token}`, "sluice-user": String(id) })).status).toBe(403);
  expect((await post(asRoot, "[]")).status).toBe(400);
  for (const method of ["GET", "DELETE"]) expect((await ask("/api/mcp", { method })).status).toBe(405);
});
