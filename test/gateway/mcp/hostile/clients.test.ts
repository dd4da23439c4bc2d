/** What clients may send to the MCP endpoint by mistake or with intent. */
import { afterEach, expect, test } from "bun:test";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { readEvents } from "../../../../src/lib/http/sse.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { until } from "../../../support/lib/until.ts";
import { connecting } from "../endpoint/asking-client.ts";
import { askingAt, startAskingServer } from "../endpoint/asking-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});
const connect = connecting(stops);

function start(setup: Partial<Parameters<typeof startRelay>[0]> = {}, definition: object = {}) {
  const server = startAskingServer();
  const mcpServers = createMcpIndex([
    askingAt(1, "one", server.url, { prompts: true, resources: true, ...definition }),
  ]);
  const relay = startRelay({ channels: [], mcpServers, ...setup });
  stops.push(server.stop, relay.stop);
  const send = async (body: object | string, headers: Record<string, string> = {}) => {
    const accept = "application/json, text/event-stream";
    const response = await relay.post("/mcp/one", body, { headers: { accept, ...headers } });
    const text = await response.text();
    const [event] = text.startsWith("{") ? [] : readEvents(text);
    const answer = JSON.parse(event?.data ?? (text || "{}")) as {
      id?: unknown;
      error?: { code: number; message: string };
    };
    return { status: response.status, text, ...answer };
  };
  return { relay, server, send };
}

const message = (method: string, params?: unknown, more: JsonObject = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params,
  ...more,
});

test.each([
  ["initialize", undefined],
  ["initialize", { protocolVersion: 5, capabilities: {}, clientInfo: { name: "a", version: "1" } }],
  [
    "initialize",
    { protocolVersion: "2025-11-25", capabilities: { sampling: [] }, clientInfo: { name: "a", version: "1" } },
  ],
  ["tools/list", { cursor: {} }],
  ["tools/list", { cursor: "unknown" }],
  ["tools/call", {}],
  ["tools/call", { name: "log", arguments: [] }],
  ["tools/call", { name: "ro\u200bots" }],
  ["tools/call", { name: "__proto__" }],
  ["tools/call", { name: "x".repeat(100_000) }],
  ["prompts/get", { name: "x", arguments: { a: 1 } }],
  ["resources/read", { uri: 5 }],
  ["logging/setLevel", { level: "loud" }],
])("wrong parameters are said to be wrong, briefly: %s %#", async (method, params) => {
  const { send, server } = start();
  const { status, id, error, text } = await send(message(method, params));
  expect([status, id, error?.code]).toEqual([200, 7, -32602]);
  expect(error?.message).not.toContain("MCP error");
  expect(text.length).toBeLessThan(1_500);
  expect(server.seen.begun).toBe(0);
});

test.each([
  ["a batch", [message("tools/list")]],
  ["no object", "5"],
  ["an id that is none", message("tools/list", {}, { id: {} })],
  ["another version", message("tools/list", {}, { jsonrpc: "1.0" })],
  ["a name twice", '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}'],
  ["deep nesting", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
])("%s is refused", async (_what, body) => {
  const { send, server } = start();
  expect((await send(body)).status).toBe(400);
  expect(server.seen.begun).toBe(0);
});

test("another revision of the protocol is refused", async () => {
  const { send } = start();
  expect((await send(message("tools/list"), { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
});

test("levels of logging, which reach all processes, count toward the limits of the key", async () => {
  const { send } = start({ tokens: { test: { requestsPerMinute: 2 } } });
  const setLevel = () =>
    send(message("logging/setLevel", { level: "error" }), { "mcp-session-id": crypto.randomUUID() });
  expect([(await setLevel()).error, (await setLevel()).error]).toEqual([undefined, undefined]);
  expect((await setLevel()).error).toMatchObject({ data: { status: 429 } });
});

test("a storm of changed lists leaves what the session is to get", async () => {
  const { relay } = start();
  const connected = await connect(`${relay.url}/mcp/one`);
  await connected.call("log-late");
  await connected.call("storm", { count: 500 });
  await Bun.sleep(500);
  await connected.call("roots");
  await until(() => connected.logs.length > 0);
  expect(connected.logs).toMatchObject([{ data: "late 0" }]);
});

test("progress is bounded", async () => {
  const { relay } = start({}, { max_result_bytes: 8_388_608 });
  const { client } = await connect(`${relay.url}/mcp/one`);
  let reports = 0;
  await client.callTool({ name: "progress", arguments: { count: 11_000 } }, undefined, {
    onprogress: () => {
      reports += 1;
    },
  });
  expect(reports).toBe(10_000);
}, 30_000);
