/** MCP tools through other entries, and with what else a request and its key may say. */
import { afterEach, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";
import { startChatUpstream } from "./chat-upstream.ts";
import { startMcpServer } from "./mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Parameters<typeof startRelay>[0];

function start(channels: Setup["channels"], more: Partial<Setup> = {}) {
  const mcp = startMcpServer();
  const relay = startRelay({ channels, options: { ModelRatio: '{"m": 1}' }, ...more });
  stops.push(mcp.stop, relay.stop);
  const tool = { type: "mcp", server_label: "city", server_url: mcp.url, require_approval: "never" };
  return { relay, mcp, body: { model: "m", input: "?", tools: [tool] } };
}

const WEATHER = ["city__weather", '{"city":"Ghent"}'] as const;
/** DeepSeek's chat completions connect to no MCP servers. */
const chatChannel = (url: string, more: object = {}) => ({ type: 43, baseUrl: url, models: ["m"], ...more });

test("turns of a WebSocket run MCP tools, also where they continue an unstored response", async () => {
  const upstream = startChatUpstream([WEATHER, "It rains.", "Yes."]);
  stops.push(upstream.stop);
  const { relay, body } = start([chatChannel(upstream.url)]);
  const headers = { authorization: "Bearer sk-test" };
  const RuntimeWebSocket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket;
  const socket = new RuntimeWebSocket(`${relay.url.replace("http", "ws")}/v1/responses`, { headers });
  stops.push(() => socket.terminate());
  const ended: { id: string; output: JsonObject[] }[] = [];
  const types: string[] = [];
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(String(data));
    types.push(event.type);
    if (event.type === "response.completed") ended.push(event.response);
  };
  await new Promise<void>((resolve) => {
    socket.onopen = () => resolve();
  });
  socket.send(JSON.stringify({ type: "response.create", store: false, ...body }));
  await until(() => ended.length === 1);
  expect(ended[0]?.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "message"]);
  expect(types).toContain("response.mcp_call.completed");
  const more = { store: false, previous_response_id: ended[0]?.id, input: "Still?" };
  socket.send(JSON.stringify({ type: "response.create", ...body, ...more }));
  await until(() => ended.length === 2);
  const { messages } = JSON.parse(upstream.received[2]?.text ?? "{}") as { messages: JsonObject[] };
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
});

test("every round respects the request's preferences", async () => {
  const upstream = startChatUpstream([WEATHER, "It rains."]);
  const other = startUpstream(() => Response.json(chatReply()));
  stops.push(upstream.stop, other.stop);
  const { relay, body } = start([
    chatChannel(other.url, { name: "first", priority: 9 }),
    chatChannel(upstream.url, { name: "chosen" }),
  ]);
  const answer = await relay.post("/v1/responses", { ...body, provider: { only: ["chosen"] } });
  expect(JSON.stringify(await answer.json())).toContain("It rains.");
  expect([upstream.received.length, other.received.length]).toEqual([2, 0]);
});

test("the first round counts once toward the limits of a key", async () => {
  const upstream = startChatUpstream([WEATHER, "It rains."]);
  stops.push(upstream.stop);
  const { relay, body } = start([chatChannel(upstream.url)], { tokens: { test: { requestsPerMinute: 2 } } });
  expect((await relay.post("/v1/responses", body)).status).toBe(200);
  expect((await relay.post("/v1/responses", body)).status).toBe(429);
});

test("a balance that is used up between two rounds ends the response, with the earlier rounds charged", async () => {
  const [name, input] = WEATHER;
  const calls = [{ id: "call_1", type: "function", function: { name, arguments: input } }];
  const message = { role: "assistant", content: null, tool_calls: calls };
  const upstream = startUpstream(() => {
    relay.billing.available = 0;
    return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
  });
  stops.push(upstream.stop);
  const { relay, body, mcp } = start([chatChannel(upstream.url)]);
  const answer = await relay.post("/v1/responses", body);
  expect([answer.status, (await answer.json()).error.code]).toEqual([429, "insufficient_quota"]);
  expect(mcp.calls).toEqual(["weather Ghent"]);
  // The second round is refused, which costs nothing.
  expect(relay.billing.records.map(({ promptTokens, quota }) => [promptTokens, quota > 0])).toEqual([
    [10, true],
    [0, false],
  ]);
  expect([relay.billing.openHolds, upstream.received.length]).toEqual([0, 1]);
});
