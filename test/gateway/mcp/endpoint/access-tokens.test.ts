/** Access tokens of applications at the gateway's MCP addresses, and everywhere else. */
import { afterEach, expect, test } from "bun:test";
import type { AccessToken, AccessTokens } from "../../../../src/domain/api-keys/authorization/access-tokens.ts";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { nameSet } from "../../../../src/lib/values/patterns/name-patterns.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { serverAt } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

const TOKEN = `mcp_access_${"0".repeat(64)}`;
const ACCESS: AccessToken = { keyId: 1, personId: 1, server: "", expiresAt: Number.MAX_SAFE_INTEGER };
type Setup = Partial<Parameters<typeof startRelay>[0]>;

function start(setup: Setup & Readonly<{ access?: Partial<AccessToken>; find?: AccessTokens["find"] }> = {}) {
  const { access, find, ...rest } = setup;
  const upstream = startMcpServer();
  const finds: string[] = [];
  const relay = startRelay({
    channels: [{ models: ["gpt"] }],
    mcpServers: createMcpIndex([serverAt(1, "one", { url: upstream.url }), serverAt(2, "two", { url: upstream.url })]),
    accessTokens: {
      known: () => undefined,
      async find(token, address) {
        finds.push(token);
        return find ? find(token, address) : token === TOKEN ? { ...ACCESS, ...access } : null;
      },
    },
    ...rest,
  });
  stops.push(relay.stop, upstream.stop);
  const call = async (path: string, token = TOKEN, method = "tools/list", params: object = {}) => {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
    const response = await relay.post(path, { jsonrpc: "2.0", id: 1, method, params }, { headers });
    const text = await response.text();
    const body = (text.startsWith("{") ? JSON.parse(text) : {}) as {
      error?: { data?: { code?: string } };
      result?: { tools: { name: string }[] };
    };
    return {
      status: response.status,
      headers: response.headers,
      code: body.error?.data?.code,
      tools: body.result?.tools,
    };
  };
  return { relay, upstream, call, finds };
}

test("is valid at the address it was issued for alone", async () => {
  const all = start();
  expect(await all.call("/mcp")).toMatchObject({ status: 200 });
  expect(await all.call("/mcp/one")).toMatchObject({ status: 401, code: "invalid_access_token" });
  const one = start({ access: { server: "one" } });
  expect(await one.call("/mcp/one")).toMatchObject({ status: 200 });
  for (const path of ["/mcp", "/mcp/two", "/mcp/none"]) {
    const { status, headers } = await one.call(path);
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toMatch(
      /^Bearer error="invalid_token", error_description="invalid_access_token", resource_metadata="http[^"]*\/mcp[^"]*", scope="mcp"$/,
    );
  }
});

test("is no key anywhere else, and not looked up there", async () => {
  const { relay, finds } = start();
  const body = { model: "gpt", messages: [{ role: "user", content: "hi" }] };
  const carried: Record<string, string>[] = [
    { authorization: `Bearer ${TOKEN}` },
    { authorization: TOKEN },
    { authorization: "", "x-api-key": TOKEN },
  ];
  for (const headers of carried) {
    const response = await relay.post("/v1/chat/completions", body, { headers });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("/mcp only");
  }
  expect((await relay.get("/v1/models", { authorization: `Bearer ${TOKEN}` })).status).toBe(401);
  expect(finds).toEqual([]);
});

test("is read from the header alone, and API keys are looked up as ever", async () => {
  const { relay, call, finds } = start();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  for (const [path, headers] of [
    ["/mcp", { authorization: "", "x-api-key": TOKEN }],
    [`/mcp?access_token=${TOKEN}`, { authorization: "" }],
    [`/mcp?key=${TOKEN}`, { authorization: "" }],
  ] as const) {
    expect((await relay.post(path, ping, { headers })).status).toBe(401);
  }
  expect(await call("/mcp", "sk-test")).toMatchObject({ status: 200 });
  expect(finds).toEqual([]);
});

test("never reaches the server behind it", async () => {
  const { call, upstream } = start();
  expect(await call("/mcp", TOKEN, "tools/call", { name: "one__weather", arguments: { city: "Ghent" } })).toMatchObject(
    {
      status: 200,
    },
  );
  expect(upstream.calls).toEqual(["weather Ghent"]);
  for (const { headers } of upstream.requests) expect(JSON.stringify([...headers])).not.toContain("mcp_access_");
});

test("has the limits of its key", async () => {
  const { call } = start({ tokens: { test: { modelLimits: nameSet(["mcp/two/*"]) } } });
  const { tools = [] } = await call("/mcp");
  expect(tools.length).toBeGreaterThan(0);
  expect(tools.every(({ name }) => name.startsWith("two__"))).toBe(true);
});

test.each<[string, Parameters<typeof start>[0], number, string]>([
  ["unknown", { find: async () => null }, 401, "invalid_access_token"],
  ["of a deleted key", { access: { keyId: 9 } }, 401, "invalid_access_token"],
  ["of a person who is gone", { access: { personId: 9 } }, 401, "invalid_access_token"],
  ["of a banned person", { user: { status: 2 } }, 403, "user_banned"],
  ["of an expired key", { tokens: { test: { expiredTime: 1 } } }, 401, "api_key_expired"],
  ["of a disabled key", { tokens: { test: { status: 2 } } }, 401, "api_key_disabled"],
  ["while the database is away", { find: () => Promise.reject(new Error("away")) }, 503, "key_check_unavailable"],
  ["after too many tries", { find: async () => "limited" }, 503, "key_check_unavailable"],
  ["where the site has turned it off", { options: { "mcp.oauth_enabled": "false" } }, 401, "invalid_access_token"],
])("%s it is refused", async (_, setup, status, code) => {
  const answer = await start(setup).call("/mcp");
  expect([answer.status, answer.code]).toEqual([status, code]);
});

test("nothing says how to sign in where it is turned off, or the address is not the site's", async () => {
  const path = "/.well-known/oauth-protected-resource/mcp";
  const off = start({ options: { "mcp.oauth_enabled": "false" } });
  expect(await (await off.relay.get(path, {})).json()).not.toHaveProperty("authorization_servers");
  const response = await off.relay.post("/mcp", {}, { headers: { authorization: "" } });
  expect(response.headers.get("www-authenticate")).toMatch(/^Bearer resource_metadata="[^"]*"$/);
  const on = start();
  expect(await (await on.relay.get(path, {})).json()).toMatchObject({
    resource: `${on.relay.url}/mcp`,
    authorization_servers: [on.relay.url],
  });
});
