/** MCP servers of Chat Completions requests: with the official client and a real MCP server. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { readEvents } from "../../../../src/lib/http/sse.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chunk, DONE, sse, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";
import { type Step, startChatUpstream } from "../chat-upstream.ts";
import { serverAt } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

type Upstream = ReturnType<typeof startUpstream>;
type Message = OpenAI.Chat.ChatCompletionMessage & { executed_tools?: JsonObject[]; reasoning_content?: string };

/** The site's server `city`, which the request may also name by its address; DeepSeek's chat completions run no tools. */
function start(steps: readonly Step[] | Upstream, options: Record<string, string | boolean> = {}) {
  const upstream = "received" in steps ? steps : startChatUpstream(steps);
  const mcp = startMcpServer();
  const lookup = createMcpIndex([serverAt(1, "city", { url: mcp.url, usd_per_call: "0.0125" })]);
  const relay = startRelay({
    channels: [{ type: 43, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', CompletionRatio: '{"m": 4}', GroupRatio: '{"default": 1}', ...options },
    mcpServers: lookup,
  });
  stops.push(upstream.stop, mcp.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  /** The official client's types know no MCP tools in this format. */
  const ask = async (more: JsonObject, messages: object[] = [{ role: "user", content: "Weather?" }]) => {
    const body = { model: "m", messages, ...more };
    return await client.chat.completions.create(body as unknown as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming);
  };
  return { upstream, mcp, relay, client, ask };
}

const CITY = { type: "mcp", server_label: "city" };
const WEATHER = ["city__weather", '{"city":"Ghent"}'] as const;
const sentTo = ({ received }: Upstream, at: number) =>
  JSON.parse(received[at]?.text ?? "{}") as JsonObject & { messages: JsonObject[]; tools?: JsonObject[] };
const namesOffered = (upstream: Upstream) =>
  sentTo(upstream, 0).tools?.map((tool) => (tool.function as JsonObject).name);
const EXECUTED = [
  {
    index: 0,
    type: "mcp",
    server_label: "city",
    name: "weather",
    arguments: '{"city":"Ghent"}',
    output: "rainy in Ghent",
  },
  { index: 1, type: "mcp", name: "broken", output: null, error: { type: "mcp_tool_execution_error" } },
];

describe("MCP servers of a chat", () => {
  test("are used round by round; each round and each call of a tool is charged", async () => {
    const { ask, upstream, mcp, relay } = start([WEATHER, ["city__broken", "{}"], "It rains."]);
    const answer = await ask({ tools: [CITY] });
    const message = answer.choices[0]?.message as Message;
    expect(message).toMatchObject({ role: "assistant", content: "It rains.", executed_tools: EXECUTED });
    expect(message.tool_calls).toBeUndefined();
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage).toMatchObject({ prompt_tokens: 600, completion_tokens: 60, total_tokens: 660 });
    await until(() => relay.billing.records.length === 5);
    expect(relay.billing.records.map(({ modelName, quota }) => [modelName, quota])).toEqual([
      ["m", 140],
      ["mcp/city/weather", 6_250],
      ["m", 280],
      ["mcp/city/broken", 0],
      ["m", 420],
    ]);
    expect(relay.billing.openHolds).toBe(0);
    expect(mcp.calls).toEqual(["weather Ghent", "broken"]);
    // The next request sends the message back, as the official client does.
    await ask({ tools: [CITY] }, [{ role: "user", content: "Weather?" }, message, { role: "user", content: "Thanks" }]);
    expect(sentTo(upstream, 3).messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Weather?"],
      ["assistant", null],
      ["tool", "rainy in Ghent"],
      ["tool", expect.stringContaining("the gauge is broken")],
      ["assistant", "It rains."],
      ["user", "Thanks"],
    ]);
  });

  test.each([true, false])("are streamed as one message (usage: %p)", async (usage) => {
    const { relay, mcp } = start([WEATHER, ["city__broken", "{}"], "It rains."]);
    const answer = await relay.post("/v1/chat/completions", {
      ...{ model: "m", messages: [{ role: "user", content: "?" }], tools: [CITY], stream: true },
      ...(usage && { stream_options: { include_usage: true } }),
    });
    const text = await answer.text();
    const events = readEvents(text);
    expect(events.at(-1)?.data).toBe("[DONE]");
    const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data) as JsonObject & { choices: JsonObject[] });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    const choices = chunks.flatMap((each) => each.choices) as { delta: JsonObject; finish_reason: unknown }[];
    expect(choices.filter(({ delta }) => delta.role !== undefined)).toHaveLength(1);
    expect(choices.map(({ delta }) => delta.content ?? "").join("")).toBe("It rains.");
    expect(choices.flatMap(({ delta }) => delta.executed_tools ?? [])).toMatchObject(EXECUTED);
    expect(choices.map(({ finish_reason: reason }) => reason).filter(Boolean)).toEqual(["stop"]);
    expect(text).not.toContain("tool_calls");
    const sums = chunks.flatMap((each) => each.usage ?? []);
    expect(sums).toMatchObject(usage ? [{ prompt_tokens: 600, completion_tokens: 60 }] : []);
    await until(() => relay.billing.records.length === 5 && mcp.sessions.size === 0);
  });

  test("are read by the official client's stream", async () => {
    const { client } = start([WEATHER, "It rains."]);
    const body = { model: "m", messages: [{ role: "user", content: "?" }], tools: [CITY] };
    const stream = client.chat.completions.stream(body as unknown as OpenAI.Chat.ChatCompletionCreateParamsStreaming);
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "It rains." } });
  });

  test.each([
    ["its label", CITY],
    ["an address", { ...CITY, server_url: "sluice://city" }],
    ["LiteLLM's clients", { ...CITY, server_url: "litellm_proxy/mcp/city", require_approval: "never" }],
  ])("are named by %s", async (_by, tool) => {
    const { ask, mcp } = start([WEATHER, "ok"]);
    await ask({ tools: [tool] });
    expect(mcp.calls).toEqual(["weather Ghent"]);
  });

  test("are reached at an address with headers, and offer what the request allows", async () => {
    const { ask, upstream, mcp } = start([WEATHER, "ok"]);
    const own = { type: "function", function: { name: "mine", parameters: { type: "object" } } };
    const headers = { "x-own": "1", authorization: "Bearer secret" };
    await ask({ tools: [own, { ...CITY, server_url: mcp.url, allowed_tools: ["weather"], headers }] });
    expect(namesOffered(upstream)).toEqual(["mine", "city__weather"]);
    expect(mcp.requests.every(({ headers: sent }) => sent.get("x-own") === "1")).toBe(true);
  });

  test.each([false, true])("leave the client's own functions to it (streamed: %p)", async (stream) => {
    const { relay, upstream, mcp } = start([WEATHER, [WEATHER, ["mine", "{}"]]]);
    const own = { type: "function", function: { name: "mine", parameters: { type: "object" } } };
    const answer = await relay.post("/v1/chat/completions", {
      ...{ model: "m", messages: [{ role: "user", content: "?" }], tools: [CITY, own], stream },
    });
    const text = await answer.text();
    const parsed = stream
      ? readEvents(text).flatMap(({ data }) => (data === "[DONE]" ? [] : (JSON.parse(data).choices as JsonObject[])))
      : (JSON.parse(text).choices as JsonObject[]);
    const calls = parsed.flatMap(({ delta, message }) => ((delta ?? message) as JsonObject).tool_calls ?? []);
    expect(calls).toMatchObject([{ id: "call_2_1", function: { name: "mine" } }, ...(stream ? [{ index: 0 }] : [])]);
    expect(parsed.at(-1)?.finish_reason).toBe("tool_calls");
    // The other call is made once the model has the client's result.
    expect([mcp.calls, upstream.received.length]).toEqual([["weather Ghent"], 2]);
  });

  test("have the texts and reasoning of all rounds, but signatures of the last one alone", async () => {
    const call = { id: "c1", type: "function", function: { name: WEATHER[0], arguments: WEATHER[1] } };
    const { relay } = start(
      startUpstream((_received, _request, count) => {
        const detail = {
          type: "reasoning.text",
          index: 0,
          format: "anthropic-claude-v1",
          signature: `sealed-${count}`,
        };
        const deltas = [{ reasoning_content: `Thought ${count}.` }, { reasoning_details: [detail] }];
        const more =
          count === 1 ? [{ content: "Let me look." }, { tool_calls: [{ index: 0, ...call }] }] : [{ content: "Rain." }];
        const last = chunk({}, {}, count === 1 ? "tool_calls" : "stop");
        return sse([...[...deltas, ...more].map((delta) => chunk(delta)), last, DONE].join(""));
      }),
    );
    const answer = await relay.post("/v1/chat/completions", {
      ...{ model: "m", messages: [{ role: "user", content: "?" }], tools: [CITY], stream: true },
    });
    const deltas = readEvents(await answer.text()).flatMap(({ data }) =>
      data === "[DONE]" ? [] : (JSON.parse(data).choices as { delta: JsonObject }[]).map(({ delta }) => delta),
    );
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe("Let me look.\n\nRain.");
    expect(deltas.map(({ reasoning_content: text }) => text ?? "").join("")).toBe("Thought 1.\n\nThought 2.");
    const signatures = deltas.flatMap(({ reasoning_details: details }) => (details as JsonObject[] | undefined) ?? []);
    expect(signatures.flatMap(({ signature }) => signature ?? [])).toEqual(["sealed-2"]);
  });

  test("end after ten rounds", async () => {
    const { ask, upstream, mcp } = start(Array.from({ length: 12 }, () => WEATHER));
    const answer = await ask({ tools: [CITY], tool_choice: "required" });
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect([upstream.received.length, mcp.calls.length]).toEqual([10, 9]);
    expect([0, 1, 9].map((at) => sentTo(upstream, at).tool_choice)).toEqual(["required", "auto", "none"]);
  });

  test.each([
    [{ n: 2 }, CITY, "n"],
    [{}, { ...CITY, require_approval: "always" }, "tools.require_approval"],
    [{}, { ...CITY, require_approval: { never: { tool_names: ["weather"] } } }, "tools.require_approval"],
    [{}, { ...CITY, allowed_tools: "weather" }, "tools.allowed_tools"],
    [{}, { ...CITY, headers: { a: 1 } }, "tools.headers.a"],
    [{}, { type: "mcp", server_url: "sluice://city" }, "tools.server_label"],
  ])("are refused with %j and %j", async (more, tool, field) => {
    const { relay, upstream, mcp } = start(["Never."]);
    const body = { model: "m", messages: [{ role: "user", content: "?" }], ...more, tools: [tool] };
    const answer = await relay.post("/v1/chat/completions", body);
    expect([answer.status, (await answer.json()).error.message]).toEqual([400, expect.stringContaining(`“${field}”`)]);
    expect([upstream.received, mcp.requests]).toEqual([[], []]);
  });

  test.each([
    [{ server_label: "other" }, 400, "mcp_server_not_found"],
    [{ server_url: 5 }, 400, null],
    [{ server_url: "http://127.0.0.1:1/" }, 424, "http_error"],
  ])("that cannot be used are an error: %j", async (more, status, code) => {
    const { relay } = start(["Never."]);
    const body = { model: "m", messages: [{ role: "user", content: "?" }], tools: [{ ...CITY, ...more }] };
    const answer = await relay.post("/v1/chat/completions", body);
    const { error } = await answer.json();
    expect(answer.status).toBe(status);
    if (code) expect(error.code).toBe(code);
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toEqual([]);
  });

  test("whose later round fails end a stream with an error, with the earlier rounds charged", async () => {
    const refusal = Response.json(
      { error: { message: "bad request", type: "invalid_request_error" } },
      { status: 400 },
    );
    const { relay } = start([WEATHER, refusal]);
    const answer = await relay.post("/v1/chat/completions", {
      ...{ model: "m", messages: [{ role: "user", content: "?" }], tools: [CITY], stream: true },
    });
    const events = readEvents(await answer.text()).map(({ data }) => data);
    expect(events.at(-1)).toBe("[DONE]");
    expect(JSON.parse(events.at(-2) ?? "")).toMatchObject({ error: { type: "invalid_request_error" } });
    await until(() => relay.billing.records.length === 3);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([140, 6_250, 0]);
  });
});
