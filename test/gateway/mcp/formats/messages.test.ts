/** MCP servers of Anthropic's clients, used by the gateway where the provider cannot: with a real MCP server. */
import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { readEvents } from "../../../../src/lib/http/sse.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";
import { type Step, startChatUpstream } from "../chat-upstream.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Upstream = ReturnType<typeof startUpstream>;

/** DeepSeek's chat completions connect to no MCP servers. */
function start(steps: readonly Step[] | Upstream, type = 43, options: Parameters<typeof startMcpServer>[0] = {}) {
  const upstream = "received" in steps ? steps : startChatUpstream(steps);
  const mcp = startMcpServer(options);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', CompletionRatio: '{"m": 4}', GroupRatio: '{"default": 1}' },
  });
  stops.push(upstream.stop, mcp.stop, relay.stop);
  const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
  return { upstream, mcp, relay, client };
}

const BASE = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "Weather?" }] };
const serverAt = (url: string, more: object = {}) => ({ type: "url", url, name: "city", ...more }) as const;
const sentTo = ({ received }: Upstream, at: number) =>
  JSON.parse(received[at]?.text ?? "{}") as JsonObject & { messages: JsonObject[]; tools?: JsonObject[] };
const namesOffered = (upstream: Upstream) =>
  sentTo(upstream, 0).tools?.map((tool) => (tool.function as JsonObject).name);
const WEATHER = ["city__weather", '{"city":"Ghent"}'] as const;
/** The blocks of an answer in which one call succeeds and one fails. */
const BLOCKS = [
  { type: "mcp_tool_use", name: "weather", server_name: "city", input: { city: "Ghent" } },
  { type: "mcp_tool_result", is_error: false, content: [{ type: "text", text: "rainy in Ghent" }] },
  { type: "mcp_tool_use", name: "broken", input: {} },
  { type: "mcp_tool_result", is_error: true, content: [{ type: "text", text: "the gauge is broken" }] },
  { type: "text", text: "It rains." },
];

describe("MCP servers of a Messages request", () => {
  test("are used round by round, and each round is charged", async () => {
    const { client, upstream, mcp, relay } = start([WEATHER, ["city__broken", "{}"], "It rains."], 43, {
      authorization: "Bearer secret",
    });
    const message = await client.beta.messages.create({
      ...BASE,
      mcp_servers: [serverAt(mcp.url, { authorization_token: "secret" })],
      betas: ["mcp-client-2025-04-04"],
    });
    expect(message.content).toMatchObject(BLOCKS);
    const [use, result] = message.content;
    expect(use?.type === "mcp_tool_use" && result?.type === "mcp_tool_result" && use.id === result.tool_use_id).toBe(
      true,
    );
    expect(message).toMatchObject({ stop_reason: "end_turn", usage: { input_tokens: 600, output_tokens: 60 } });
    await until(() => relay.billing.records.length === 3);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([140, 280, 420]);
    expect(relay.billing.openHolds).toBe(0);
    // The next request sends everything back.
    await client.beta.messages.create({
      ...BASE,
      messages: [
        ...BASE.messages,
        { role: "assistant", content: message.content },
        { role: "user", content: "Thanks" },
      ],
      mcp_servers: [serverAt(mcp.url, { authorization_token: "secret" })],
      betas: ["mcp-client-2025-04-04"],
    });
    const last = upstream.received.length - 1;
    expect(sentTo(upstream, last).messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Weather?"],
      ["assistant", null],
      ["tool", "rainy in Ghent"],
      ["assistant", null],
      ["tool", "Error: the gauge is broken"],
      ["assistant", "It rains."],
      ["user", "Thanks"],
    ]);
  });

  test("are streamed as one message", async () => {
    const { client, mcp, relay } = start([WEATHER, ["city__broken", "{}"], "It rains."]);
    const stream = client.beta.messages.stream({
      ...BASE,
      mcp_servers: [serverAt(mcp.url)],
      betas: ["mcp-client-2025-04-04"],
    });
    const types: string[] = [];
    const indexes: number[] = [];
    stream.on("streamEvent", (event) => {
      types.push(event.type);
      if (event.type === "content_block_start") indexes.push(event.index);
    });
    const message = await stream.finalMessage();
    expect(message.content).toMatchObject(BLOCKS);
    expect(indexes).toEqual([0, 1, 2, 3, 4]);
    expect(types.filter((type) => type === "message_start" || type === "message_stop")).toHaveLength(2);
    expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
    expect(message).toMatchObject({ stop_reason: "end_turn", usage: { input_tokens: 600, output_tokens: 60 } });
    await until(() => relay.billing.records.length === 3);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([140, 280, 420]);
    await until(() => mcp.sessions.size === 0);
  });

  test.each([
    ["tool_configuration", { tool_configuration: { allowed_tools: ["weather"] } }, undefined],
    ["a toolset's tools", {}, { default_config: { enabled: false }, configs: { weather: { enabled: true } } }],
  ])("offer only the tools that %s enables", async (_what, server, toolset) => {
    const { relay, upstream, mcp } = start(["ok"]);
    const tools = toolset && [{ type: "mcp_toolset", mcp_server_name: "city", ...toolset }];
    const answer = await relay.post("/v1/messages", { ...BASE, tools, mcp_servers: [serverAt(mcp.url, server)] });
    expect(answer.status).toBe(200);
    expect(namesOffered(upstream)).toEqual(["city__weather"]);
  });

  test("end with the client's own tools, which the client answers", async () => {
    const { client, upstream, mcp } = start([[WEATHER, ["mine", "{}"]], "both"]);
    const tools = [
      { name: "mine", input_schema: { type: "object" as const } },
      { type: "mcp_toolset" as const, mcp_server_name: "city" },
    ];
    const more = { tools, mcp_servers: [serverAt(mcp.url)], betas: ["mcp-client-2025-11-20"] };
    const first = await client.beta.messages.create({ ...BASE, ...more });
    expect(first.stop_reason).toBe("tool_use");
    expect(first.content.map(({ type }) => type)).toEqual(["mcp_tool_use", "tool_use", "mcp_tool_result"]);
    const mine = first.content[1];
    const answer = {
      type: "tool_result" as const,
      tool_use_id: mine?.type === "tool_use" ? mine.id : "",
      content: "42",
    };
    const second = await client.beta.messages.create({
      ...{ ...BASE, ...more },
      messages: [...BASE.messages, { role: "assistant", content: first.content }, { role: "user", content: [answer] }],
    });
    expect(second.content).toMatchObject([{ type: "text", text: "both" }]);
    expect(sentTo(upstream, 1).messages.slice(1)).toMatchObject([
      { role: "assistant", tool_calls: [{}, {}] },
      { role: "tool", content: "rainy in Ghent" },
      { role: "tool", content: "42" },
    ]);
  });

  test("pause after ten rounds", async () => {
    const { client, upstream, mcp } = start(Array.from({ length: 12 }, () => WEATHER));
    const message = await client.beta.messages.create({ ...BASE, mcp_servers: [serverAt(mcp.url)] });
    expect(message.stop_reason).toBe("pause_turn");
    expect([upstream.received.length, mcp.calls.length, message.content.length]).toEqual([10, 10, 20]);
  });

  test.each([false, true])(
    "that cannot be reached are an error in Anthropic's format (streamed: %p)",
    async (stream) => {
      const { relay, upstream } = start([]);
      const answer = await relay.post("/v1/messages", {
        ...BASE,
        stream,
        mcp_servers: [serverAt("http://127.0.0.1:1/")],
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        type: "error",
        error: { type: "invalid_request_error", message: expect.stringContaining("city") },
      });
      expect([upstream.received, relay.billing.holds]).toEqual([[], []]);
    },
  );

  test.each([
    [{ tool_configuration: "none" }, {}, "mcp_servers.tool_configuration"],
    [{ tool_configuration: { enabled: "no" } }, {}, "mcp_servers.tool_configuration.enabled"],
    [{ tool_configuration: { allowed_tools: "weather" } }, {}, "mcp_servers.tool_configuration.allowed_tools"],
    [{}, { default_config: "off" }, "tools.default_config"],
    [{}, { configs: { delete: { enabled: 0 } } }, "tools.configs.delete.enabled"],
  ])("are refused where the restriction %j %j cannot be read", async (server, toolset, field) => {
    const { relay, mcp } = start(["Never called."]);
    const tools = Object.keys(toolset).length > 0 ? [{ type: "mcp_toolset", mcp_server_name: "city", ...toolset }] : [];
    const body = { ...BASE, tools, mcp_servers: [serverAt(mcp.url, server)] };
    const answer = await relay.post("/v1/messages", body);
    expect([answer.status, (await answer.json()).error.message]).toEqual([400, expect.stringContaining(`“${field}”`)]);
    expect(mcp.requests).toEqual([]);
  });

  test("whose later round fails end a stream with the format's error", async () => {
    const refusal = Response.json(
      { error: { message: "bad request", type: "invalid_request_error" } },
      { status: 400 },
    );
    const { relay, mcp } = start([WEATHER, refusal]);
    const answer = await relay.post("/v1/messages", { ...BASE, stream: true, mcp_servers: [serverAt(mcp.url)] });
    const events = readEvents(await answer.text()).map(({ data }) => JSON.parse(data) as JsonObject);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    await until(() => relay.billing.records.length === 2);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([140, 0]);
    expect(relay.billing.openHolds).toBe(0);
  });
});

describe("on a server that speaks Anthropic's format without MCP", () => {
  const write = (data: { type: string } & JsonObject) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null, usage };
  const blocks = [
    { type: "thinking", thinking: "Let me look.", signature: "sealed" },
    { type: "tool_use", id: "toolu_1", name: "city__weather", input: { city: "Ghent" } },
  ];
  const reasoned = [
    write({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
    write({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
    write({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me look." } }),
    write({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sealed" } }),
    write({ type: "content_block_stop", index: 0 }),
    write({ type: "content_block_start", index: 1, content_block: { ...blocks[1], input: {} } }),
    write({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"city":' } }),
    write({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '"Ghent"}' } }),
    write({ type: "content_block_stop", index: 1 }),
    write({
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    write({ type: "message_stop" }),
  ].join("");
  const answered = [
    write({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
    write({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    write({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It rains." } }),
    write({ type: "content_block_stop", index: 0 }),
    write({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    write({ type: "message_stop" }),
  ].join("");

  test.each([false, true])("the next round gets thinking with its signature (streamed: %p)", async (stream) => {
    const { relay, upstream, mcp } = start(
      startUpstream((_received, _request, count) => {
        if (stream) return sse(count === 1 ? reasoned : answered);
        return count === 1
          ? Response.json({ ...message, content: blocks, stop_reason: "tool_use" })
          : Response.json({ ...message, content: [{ type: "text", text: "It rains." }], stop_reason: "end_turn" });
      }),
      14,
    );
    const headers = { "anthropic-beta": "mcp-client-2025-04-04,interleaved-thinking-2025-05-14" };
    const body = { ...BASE, stream, mcp_servers: [serverAt(mcp.url)] };
    const answer = await relay.post("/v1/messages", body, { headers });
    expect(await answer.text()).toContain("mcp_tool_result");
    expect(upstream.received[0]?.headers.get("anthropic-beta")).toBe("interleaved-thinking-2025-05-14");
    expect(sentTo(upstream, 0).mcp_servers).toBeUndefined();
    expect(sentTo(upstream, 1).messages.slice(1)).toMatchObject([
      { role: "assistant", content: blocks },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });
});
