/** MCP tools of Responses requests, run by the gateway where the provider cannot: with a real MCP server. */
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import OpenAI from "openai";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { readEvents } from "../../../../src/lib/http/sse.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";
import { type Step, startChatUpstream } from "../chat-upstream.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Parameters<typeof startRelay>[0];
function start(steps: readonly Step[], more: Partial<Setup> = {}, options: Parameters<typeof startMcpServer>[0] = {}) {
  const upstream = startChatUpstream(steps);
  const mcp = startMcpServer(options);
  const relay = startRelay({
    // DeepSeek's chat completions run no tools.
    channels: [{ type: 43, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', CompletionRatio: '{"m": 4}', GroupRatio: '{"default": 1}' },
    ...more,
  });
  stops.push(upstream.stop, mcp.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, mcp, relay, client };
}

const serverAt = (url: string, more: object = {}) =>
  ({ type: "mcp", server_label: "city", server_url: url, require_approval: "never", ...more }) as const;
const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const sentTo = ({ received }: ReturnType<typeof startUpstream>, at: number) =>
  JSON.parse(received[at]?.text ?? "{}") as JsonObject & { messages: JsonObject[]; tools?: JsonObject[] };

describe("MCP tools on a channel that has none", () => {
  test("are listed, called and charged round by round", async () => {
    const { client, upstream, mcp, relay } = start([
      ["city__weather", '{"city":"Ghent"}'],
      [
        ["city__weather", '{"city":"Bruges"}'],
        ["city__delete", '{"city":"Lier"}'],
      ],
      "It rains.",
    ]);
    const response = await client.responses.create({ model: "m", input: "Weather?", tools: [serverAt(mcp.url)] });
    expect(mcp.calls).toEqual(["weather Ghent", "weather Bruges", "delete Lier"]);
    const [listed, ...items] = response.output;
    expect(listed).toMatchObject({ type: "mcp_list_tools", server_label: "city", error: null });
    expect(listed?.type === "mcp_list_tools" && listed.tools.map(({ name }) => name)).toEqual([
      "broken",
      "delete",
      "long",
      "slow",
      "weather",
    ]);
    expect(items.slice(0, 3)).toMatchObject([
      { type: "mcp_call", name: "weather", server_label: "city", status: "completed", output: "rainy in Ghent" },
      { type: "mcp_call", arguments: '{"city":"Bruges"}', output: "rainy in Bruges", error: null },
      { type: "mcp_call", name: "delete", output: "deleted Lier" },
    ]);
    expect(response.output_text).toBe("It rains.");
    expect(new Set(response.output.map(({ id }) => id)).size).toBe(5);
    // What the rounds used, and what they cost: 1 unit a prompt token, 4 a completion token.
    expect(response.usage).toMatchObject({ input_tokens: 600, output_tokens: 60, total_tokens: 660 });
    await until(() => relay.billing.records.length === 3);
    expect(
      relay.billing.records.map(({ promptTokens, completionTokens, quota }) => [promptTokens, completionTokens, quota]),
    ).toEqual([
      [100, 10, 140],
      [200, 20, 280],
      [300, 30, 420],
    ]);
    expect(relay.billing.openHolds).toBe(0);
    expect(response.tools).toEqual([serverAt(mcp.url)]);

    const [first, second, third] = [0, 1, 2].map((at) => sentTo(upstream, at));
    expect(first?.tools?.map((tool) => (tool.function as JsonObject).name)).toContain("city__weather");
    expect(second?.messages.slice(1)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call_1_0", function: { name: "city__weather" } }] },
      { role: "tool", tool_call_id: "call_1_0", content: "rainy in Ghent" },
    ]);
    expect(third?.messages.slice(3).map(({ role }) => role)).toEqual(["assistant", "tool", "tool"]);
    await until(() => mcp.sessions.size === 0);
  });

  test("are only the allowed ones, called with the client's credentials", async () => {
    const { client, upstream, mcp } = start(
      [["city__weather", '{"city":"Ghent"}'], "ok"],
      {},
      {
        authorization: "Bearer secret",
        json: true,
      },
    );
    const tool = serverAt(mcp.url, {
      authorization: "secret",
      allowed_tools: ["weather"],
      server_description: "Belgium.",
    });
    const response = await client.responses.create({ model: "m", input: "?", tools: [tool] });
    expect(response.output_text).toBe("ok");
    const offered = sentTo(upstream, 0).tools?.map((tool) => tool.function as JsonObject);
    expect(offered?.map(({ name, description }) => [name, description])).toEqual([
      ["city__weather", "Belgium.\n\nThe weather of a city."],
    ]);
    expect(JSON.stringify(response.tools)).not.toContain("secret");
  });

  test("that fail are errors of their calls, and the model reads them", async () => {
    const { client, upstream, mcp } = start([
      ["city__broken", "{}"],
      ["city__weather", "{no json"],
      ["city__long", "{}"],
      "sorry",
    ]);
    const response = await client.responses.create({ model: "m", input: "?", tools: [serverAt(mcp.url)] });
    const calls = response.output.filter((item) => item.type === "mcp_call");
    const content = [{ type: "text", text: "the gauge is broken" }];
    expect(calls[0]).toMatchObject({
      ...{ status: "failed", output: null },
      error: { type: "mcp_tool_execution_error", content },
    });
    expect(calls[1]).toMatchObject({ status: "failed", error: { type: "mcp_protocol_error", code: -32602 } });
    expect(calls[2]?.output?.length).toBeLessThan(101_000);
    expect(
      sentTo(upstream, 3)
        .messages.filter(({ role }) => role === "tool")
        .map(({ content }) => String(content).slice(0, 19)),
    ).toEqual(["the gauge is broken", "Error: The argument", "x".repeat(19)]);
    expect(response.output_text).toBe("sorry");
  });

  test("end with the client's own functions, which the client answers", async () => {
    const { client, upstream, mcp } = start([
      [
        ["city__weather", '{"city":"Ghent"}'],
        ["mine", "{}"],
      ],
      "both",
    ]);
    const own = { type: "function", name: "mine", parameters: { type: "object" }, strict: false } as const;
    const tools = [own, serverAt(mcp.url)];
    const first = await client.responses.create({ model: "m", input: "?", tools });
    const [, , mine] = first.output;
    if (mine?.type !== "function_call") throw new Error("no function call");
    expect(first.output[1]).toMatchObject({ type: "mcp_call", output: "rainy in Ghent" });
    expect(upstream.received).toHaveLength(1);
    const answer = { type: "function_call_output", call_id: mine.call_id, output: "42" } as const;
    const second = await client.responses.create({
      ...{ model: "m", tools, previous_response_id: first.id },
      input: [answer],
    });
    expect(second.output_text).toBe("both");
    // The server's tools are known from the first response.
    expect(second.output.map(({ type }) => type)).toEqual(["message"]);
    const { messages } = sentTo(upstream, 1);
    expect(
      messages
        .filter(({ role }) => role === "tool")
        .map(({ content }) => content)
        .sort(),
    ).toEqual(["42", "rainy in Ghent"]);
    // The same by a client that sends all items itself.
    const items = [{ role: "user", content: "?" }, ...first.output, answer] as OpenAI.Responses.ResponseInput;
    await client.responses.create({ model: "m", tools, input: items, store: false });
    expect(sentTo(upstream, 2).messages.filter(({ role }) => role === "tool")).toHaveLength(2);
  });

  test("end after ten rounds with an answer", async () => {
    const { client, upstream, mcp, relay } = start(
      Array.from({ length: 20 }, () => ["city__weather", '{"city":"G"}'] as const),
    );
    const response = await client.responses.create({ model: "m", input: "?", tools: [serverAt(mcp.url)] });
    expect(upstream.received).toHaveLength(10);
    expect(mcp.calls).toHaveLength(9);
    expect(sentTo(upstream, 9)).toMatchObject({ tool_choice: "none" });
    expect(response.output.at(-1)).toMatchObject({ type: "mcp_call", status: "failed" });
    await until(() => relay.billing.records.length === 10);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("end with an answer when the tools have taken ten minutes", async () => {
    const realNow = performance.now.bind(performance);
    const { client, upstream, mcp, relay } = start(
      Array.from({ length: 5 }, () => ["city__weather", '{"city":"G"}'] as const),
    );
    // Each call takes six minutes: the third round is the last.
    const clock = spyOn(performance, "now").mockImplementation(() => realNow() + mcp.calls.length * 360_000);
    stops.push(() => clock.mockRestore());
    const response = await client.responses.create({ model: "m", input: "?", tools: [serverAt(mcp.url)] });
    expect(upstream.received).toHaveLength(3);
    expect(sentTo(upstream, 1).tool_choice).not.toBe("none");
    expect(sentTo(upstream, 2)).toMatchObject({ tool_choice: "none" });
    expect(response.output.at(-1)).toMatchObject({ type: "mcp_call", status: "failed" });
    await until(() => relay.billing.records.length === 3);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("end with the upstream's error in a later round, with the earlier ones charged", async () => {
    const { client, mcp, relay } = start([
      ["city__weather", '{"city":"Ghent"}'],
      Response.json({ error: { message: "bad request", type: "invalid_request_error" } }, { status: 400 }),
    ]);
    const failure = await failureOf(client.responses.create({ model: "m", input: "?", tools: [serverAt(mcp.url)] }));
    expect(failure).toMatchObject({ status: 400, type: "invalid_request_error" });
    await until(() => relay.billing.records.length === 2);
    expect(relay.billing.records.map(({ quota, failed }) => [quota, failed])).toEqual([
      [140, false],
      [0, true],
    ]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("stop when the client leaves between two rounds", async () => {
    const begun = Promise.withResolvers<void>();
    const { mcp, relay, upstream } = start([["city__slow", "{}"], "never"], {}, { onSlow: begun.resolve });
    const leave = new AbortController();
    const body = { model: "m", input: "?", tools: [serverAt(mcp.url)] };
    const answer = relay.post("/v1/responses", body, { signal: leave.signal });
    await begun.promise;
    leave.abort();
    await failureOf(answer);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 140 });
    expect(relay.billing.openHolds).toBe(0);
    expect(upstream.received).toHaveLength(1);
  });
});

describe("a stream with MCP tools", () => {
  test("is one stream of all rounds with the events of every item", async () => {
    const { client, mcp, relay } = start([["city__weather", '{"city":"Ghent"}'], ["city__broken", "{}"], "It rains."]);
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const stream = await client.responses.create({
      ...{ model: "m", input: "?", tools: [serverAt(mcp.url)] },
      stream: true,
    });
    for await (const event of stream) events.push(event);
    const call = ["output_item.added", "mcp_call.in_progress", "mcp_call_arguments.delta", "mcp_call_arguments.done"];
    const text = ["output_text.delta", "output_text.delta"];
    expect(
      events
        .map(({ type }) => type.replace("response.", ""))
        .filter((type, at, all) => type !== "output_text.delta" || all[at - 1] !== type || all[at - 2] !== type),
    ).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", "mcp_list_tools.in_progress", "mcp_list_tools.completed", "output_item.done"],
      ...[...call, "mcp_call.completed", "output_item.done"],
      ...[...call, "mcp_call.failed", "output_item.done"],
      ...["output_item.added", "content_part.added", ...text, "output_text.done", "content_part.done"],
      ...["output_item.done", "completed"],
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    const last = events.at(-1);
    if (last?.type !== "response.completed") throw new Error("not completed");
    const { response } = last;
    const first = events[0];
    expect(first?.type === "response.created" && first.response.id).toBe(response.id);
    expect(response.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "mcp_call", "message"]);
    expect(response.output.map((item) => item.type === "mcp_call" && item.output)).toContain("rainy in Ghent");
    expect(response.usage).toMatchObject({ input_tokens: 600, output_tokens: 60 });
    const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event] : []));
    expect(done.map(({ item }) => item)).toEqual(response.output);
    for (const event of events) {
      if ("item_id" in event && "output_index" in event)
        expect(event.item_id).toBe(response.output[event.output_index]?.id ?? "");
    }
    await until(() => relay.billing.records.length === 3);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([140, 280, 420]);
    await until(() => mcp.sessions.size === 0);
    // It can be continued by its id.
    const next = await client.responses.create({ model: "m", input: "And?", previous_response_id: response.id });
    expect(next.output_text).toBe("done");
  });

  test("that fails in a later round ends with the format's error, with the earlier rounds charged", async () => {
    const refusal = Response.json(
      { error: { message: "bad request", type: "invalid_request_error" } },
      { status: 400 },
    );
    const { mcp, relay } = start([["city__weather", '{"city":"Ghent"}'], refusal]);
    const answer = await relay.post("/v1/responses", {
      model: "m",
      input: "?",
      stream: true,
      tools: [serverAt(mcp.url)],
    });
    const events = readEvents(await answer.text()).map(({ data }) => JSON.parse(data) as JsonObject);
    expect(events.slice(-2)).toMatchObject([
      { type: "error", message: expect.stringContaining("bad request") },
      { type: "response.failed", response: { status: "failed", output: [{}, { output: "rainy in Ghent" }] } },
    ]);
    await until(() => relay.billing.records.length === 2);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([140, 0]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test.each(["slow", "weather"])("stops when the client leaves (%s)", async (tool) => {
    const begun = Promise.withResolvers<void>();
    const endless = sse(new ReadableStream({ pull: () => new Promise<never>(() => {}) }));
    const { relay, mcp, upstream } = start(
      [[`city__${tool}`, '{"city":"Ghent"}'], endless],
      {},
      { onSlow: begun.resolve },
    );
    const leave = new AbortController();
    const body = { model: "m", input: "?", stream: true, tools: [serverAt(mcp.url)] };
    const answer = await relay.post("/v1/responses", body, { signal: leave.signal });
    const reading = failureOf(answer.text());
    if (tool === "slow") await begun.promise;
    else await until(() => upstream.received.length === 2);
    leave.abort();
    await reading;
    await until(() => relay.billing.openHolds === 0);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 140 });
    expect(upstream.received).toHaveLength(tool === "slow" ? 1 : 2);
    if (tool === "weather") await until(() => upstream.received[1]?.aborted);
    await until(() => mcp.sessions.size === 0);
  });
});

describe("an MCP server that cannot be used", () => {
  test.each([
    ["does not exist", "http://127.0.0.1:1/mcp", true, "127.0.0.1:1"],
    ["has a private address", "http://127.0.0.1:1/mcp", false, "private"],
    ["is no URL", "file:///etc/passwd", true, "https://"],
  ])("because it %s is an error before anything is charged", async (_why, url, allowPrivateWebhooks, message) => {
    const upstream = startUpstream(() => Response.json(chatReply()));
    stops.push(upstream.stop);
    const { client, relay } = start([], { config: { allowPrivateWebhooks } });
    const failure = await failureOf(client.responses.create({ model: "m", input: "?", tools: [serverAt(url)] }));
    expect(failure).toMatchObject(
      url.startsWith("http") ? { status: 424, type: "external_connector_error", code: "http_error" } : { status: 400 },
    );
    expect(String(failure).toLowerCase()).toContain(message);
    expect(upstream.received).toHaveLength(0);
    // Logged where a call had begun, and never charged.
    expect(relay.billing.records.filter(({ quota, failed }) => quota > 0 || !failed)).toEqual([]);
    expect(relay.billing.holds).toEqual([]);
  });

  test.each([
    [{ allowed_tools: "weather" }, "tools.allowed_tools"],
    [{ allowed_tools: [1] }, "tools.allowed_tools"],
    [{ allowed_tools: { tool_names: "weather" } }, "tools.allowed_tools.tool_names"],
    [{ allowed_tools: { read_only: "yes" } }, "tools.allowed_tools.read_only"],
    [{ require_approval: "sometimes" }, "tools.require_approval"],
    [{ require_approval: { never: "weather" } }, "tools.require_approval.never"],
    [{ headers: "x" }, "tools.headers"],
    [{ headers: { "x-key": 5 } }, "tools.headers.x-key"],
  ])("because its restriction %j cannot be read is refused, and never left open", async (wrong, field) => {
    const { relay, mcp } = start(["Never called."]);
    const answer = await relay.post("/v1/responses", { model: "m", input: "?", tools: [serverAt(mcp.url, wrong)] });
    expect([answer.status, (await answer.json()).error.message]).toEqual([400, expect.stringContaining(`“${field}”`)]);
    expect(mcp.requests).toEqual([]);
  });

  test("because of its credentials is an error that has its status", async () => {
    const { client, mcp } = start([], {}, { authorization: "Bearer other" });
    const failure = await failureOf(client.responses.create({ model: "m", input: "?", tools: [serverAt(mcp.url)] }));
    expect(String(failure)).toContain("HTTP 401");
  });
});

describe("MCP tools on a channel whose provider runs them", () => {
  const NATIVE = {
    id: "resp_1",
    object: "response",
    status: "completed",
    output: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  };

  test("pass through as bytes", async () => {
    const { relay, mcp, upstream } = start([Response.json(NATIVE)], { channels: [] });
    const native = startRelay({
      channels: [{ type: 1, baseUrl: upstream.url, models: ["m"], setting: { mcp_tools: true } }],
      options: { ModelRatio: '{"m": 1}' },
    });
    stops.push(native.stop);
    relay.stop();
    const body = JSON.stringify({ model: "m", input: "?", tools: [serverAt(mcp.url)] });
    expect((await native.post("/v1/responses", body)).status).toBe(200);
    expect(upstream.received[0]?.text).toBe(body);
    expect(mcp.requests).toEqual([]);
  });

  test("go to such a channel where the best ones have one, else the gateway runs them", async () => {
    for (const [priority, path] of [
      [0, "/v1/responses"],
      [5, "/v1/chat/completions"],
    ] as const) {
      const upstream = startUpstream(({ path }) => Response.json(path.endsWith("responses") ? NATIVE : chatReply()));
      const mcp = startMcpServer();
      const relay = startRelay({
        channels: [
          { type: 1, baseUrl: upstream.url, models: ["m"], setting: { mcp_tools: true }, weight: 1 },
          { type: 43, baseUrl: upstream.url, models: ["m"], priority, weight: 1_000_000 },
        ],
        options: { ModelRatio: '{"m": 1}' },
      });
      stops.push(upstream.stop, mcp.stop, relay.stop);
      expect((await relay.post("/v1/responses", { model: "m", input: "?", tools: [serverAt(mcp.url)] })).status).toBe(
        200,
      );
      expect(upstream.received.map((received) => received.path)).toEqual([path]);
    }
  });
});
