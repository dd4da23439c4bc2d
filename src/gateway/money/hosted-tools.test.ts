import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Every model has the ratio 1 for all its tokens, so 100 tokens cost 100 units; a dollar is 500,000 units. */
const MODELS = [
  "gpt-4o",
  "gpt-5",
  "claude-sonnet-4-5",
  "gemini-2.5-flash",
  "gemini-3-flash",
  "gpt-4o-search-preview",
  "gpt-5-search-api",
  "fixed",
];
const ones = (models: readonly string[]) => JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));

function start(type: number, answer: Parameters<typeof startUpstream>[0], options: Record<string, string> = {}) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: MODELS }],
    options: {
      ModelRatio: ones(MODELS.filter((model) => model !== "fixed")),
      CompletionRatio: ones(MODELS),
      ModelPrice: '{"fixed": 0.1}',
      ...options,
    },
  });
  stops.push(upstream.stop, relay.stop);
  return relay;
}

const linesOf = (relay: ReturnType<typeof start>) =>
  relay.billing.records.at(-1)?.other.receipt?.lines.map(({ item, quantity, amount }) => [item, quantity, amount]);

const TOKENS = [
  ["input", "60", "60"],
  ["output", "40", "40"],
];

describe("tools of the Responses API", () => {
  const usage = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
  const output = [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "gate" } },
    {
      type: "web_search_call",
      id: "ws_2",
      status: "completed",
      action: { type: "open_page", url: "https://x.example" },
    },
    { type: "web_search_call", id: "ws_3", status: "completed", action: { type: "search", query: "sluice" } },
    { type: "file_search_call", id: "fs_1", status: "completed", queries: ["gate"], results: null },
    { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1", container_id: "cntr_1", outputs: [] },
    { type: "code_interpreter_call", id: "ci_2", status: "completed", code: "2", container_id: "cntr_1", outputs: [] },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi", annotations: [] }],
    },
  ];
  const response = { id: "resp_1", object: "response", status: "completed", model: "gpt-5", output, usage };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...output.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
    { type: "response.completed", response },
  ];

  test.each([false, true])("web search, file search and a container; streamed: %p", async (stream) => {
    const relay = start(1, () =>
      stream
        ? sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
        : Response.json(response),
    );
    const tools = [{ type: "web_search" }];
    await (await relay.post("/v1/responses", { model: "gpt-5", input: "hi", tools, stream })).text();
    const record = await relay.billing.nextRecord();
    // 2 × $0.01, 1 × $0.0025, 1 × $0.03
    expect(linesOf(relay)).toEqual([
      ...TOKENS,
      ["web_search", "2", "10000"],
      ["file_search", "1", "1250"],
      ["code_interpreter", "1", "15000"],
    ]);
    expect(record.quota).toBe(26_350);
  });

  test("the preview's search costs more with models that do not reason", async () => {
    const relay = start(1, () => Response.json({ ...response, output: output.slice(0, 1), model: "gpt-4o" }));
    const tools = [{ type: "web_search_preview" }, { type: "function", name: "f", parameters: {} }];
    await relay.post("/v1/responses", { model: "gpt-4o", input: "hi", tools });
    expect(linesOf(relay)).toEqual([...TOKENS, ["web_search_preview", "1", "12500"]]);
    await relay.post("/v1/responses", { model: "gpt-5", input: "hi", tools });
    expect(linesOf(relay)).toEqual([...TOKENS, ["web_search_preview", "1", "5000"]]);
  });

  test("are added to a fixed price, times the group's ratio", async () => {
    const relay = start(1, () => Response.json({ ...response, output: output.slice(0, 1) }), {
      GroupRatio: '{"default": 0.5}',
    });
    await relay.post("/v1/responses", { model: "fixed", input: "hi" });
    // ($0.1 + $0.01) × 0.5
    expect(relay.billing.records[0]?.quota).toBe(27_500);
  });

  test("operators can set the prices", async () => {
    const relay = start(1, () => Response.json(response), { ToolPrice: '{"file_search": 1}' });
    await relay.post("/v1/responses", { model: "gpt-5", input: "hi" });
    expect(linesOf(relay)).toEqual([...TOKENS, ["file_search", "1", "500000"]]);
  });
});

describe("chat models that always search", () => {
  test.each([
    ["gpt-4o-search-preview", "12500"],
    ["gpt-5-search-api", "5000"],
  ])("%s", async (model, amount) => {
    const usage = { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 };
    const relay = start(1, () => Response.json(chatReply({ usage })));
    await relay.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] });
    expect(linesOf(relay)).toEqual([...TOKENS, ["web_search_preview", "1", amount]]);
  });

  test("other chat models do not search", async () => {
    const relay = start(1, () => Response.json(chatReply()));
    await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] });
    expect(relay.billing.records[0]?.quota).toBe(15);
  });
});

describe("Claude's web search", () => {
  const usage = { input_tokens: 60, output_tokens: 40, server_tool_use: { web_search_requests: 3 } };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage,
  };
  const ask = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };

  test.each(["/v1/messages", "/v1/chat/completions"])("by the searches that it reports, with %s", async (path) => {
    const relay = start(14, () => Response.json(message));
    await relay.post(path, ask);
    expect(linesOf(relay)).toEqual([...TOKENS, ["web_search", "3", "15000"]]);
    expect(relay.billing.records[0]?.quota).toBe(15_100);
  });

  test("streamed, as the totals grow", async () => {
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 60 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    ];
    const relay = start(14, () =>
      sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")),
    );
    await (await relay.post("/v1/messages", { ...ask, stream: true })).text();
    expect((await relay.billing.nextRecord()).quota).toBe(15_100);
  });
});

describe("Google's search", () => {
  const usageMetadata = { promptTokenCount: 60, candidatesTokenCount: 40, totalTokenCount: 100 };
  const groundingMetadata = {
    webSearchQueries: ["gate", "sluice"],
    groundingChunks: [{ web: { uri: "https://x.example", title: "x" } }],
  };
  const content = { role: "model", parts: [{ text: "Hi" }] };
  const answer = { candidates: [{ index: 0, content, finishReason: "STOP", groundingMetadata }], usageMetadata };
  const messages = [{ role: "user", content: "hi" }];
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];

  test.each([
    ["gemini-2.5-flash", "1", "17500"],
    ["gemini-3-flash", "2", "14000"],
  ])("with %s costs per answer or per query", async (model, uses, amount) => {
    const relay = start(24, () => Response.json(answer));
    await relay.post("/v1/chat/completions", { model, messages, web_search_options: {} });
    expect(linesOf(relay)).toEqual([...TOKENS, ["google_search", uses, amount]]);
    await relay.post(`/v1beta/models/${model}:generateContent`, { contents, tools: [{ googleSearch: {} }] });
    expect(linesOf(relay)).toEqual([...TOKENS, ["google_search", uses, amount]]);
  });

  test("a search without results in the answer costs nothing", async () => {
    const [candidate] = answer.candidates;
    const relay = start(24, () => Response.json({ ...answer, candidates: [{ ...candidate, groundingMetadata: {} }] }));
    await relay.post("/v1/chat/completions", { model: "gemini-3-flash", messages, web_search_options: {} });
    expect(linesOf(relay)).toEqual(TOKENS);
  });
});

test("a search that Claude's or Google's clients request from OpenAI uses the Responses API, and is charged", async () => {
  const usage = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
  const output = [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "gate" } },
    { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
  ];
  const paths: string[] = [];
  const relay = start(1, ({ path }) => {
    paths.push(path);
    return Response.json({ id: "resp_1", object: "response", status: "completed", model: "gpt-5", output, usage });
  });
  const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }];
  const messages = [{ role: "user", content: "hi" }];
  const answer = await relay.post("/v1/messages", { model: "gpt-5", max_tokens: 99, messages, tools });
  expect(await answer.json()).toMatchObject({ content: [{ type: "server_tool_use" }, {}, { text: "Hi" }] });
  expect(linesOf(relay)).toEqual([...TOKENS, ["web_search", "1", "5000"]]);
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  await relay.post("/v1beta/models/gpt-5:generateContent", { contents, tools: [{ googleSearch: {} }] });
  expect(linesOf(relay)).toEqual([...TOKENS, ["web_search", "1", "5000"]]);
  expect(new Set(paths)).toEqual(new Set(["/v1/responses"]));
});

test("a search that Claude's clients request from OpenRouter uses its plugin", async () => {
  const relay = start(20, ({ text }) => {
    sent.push(text);
    return Response.json(chatReply());
  });
  const sent: string[] = [];
  const tools = [{ type: "web_search_20250305", name: "web_search", allowed_domains: ["meteo.example"] }];
  const messages = [{ role: "user", content: "hi" }];
  const answer = await relay.post("/v1/messages", { model: "gpt-5", max_tokens: 99, messages, tools });
  expect([answer.status, answer.headers.get("x-sluice-dropped")]).toEqual([200, "tools: allowed_domains"]);
  expect(JSON.parse(sent[0] ?? "")).toMatchObject({ plugins: [{ id: "web" }], web_search_options: {} });
  expect(JSON.parse(sent[0] ?? "")).not.toHaveProperty("tools");
});

test("a search that a chat model of OpenAI lacks is reported as dropped, and rejected for strict clients", async () => {
  const sent: string[] = [];
  const relay = start(1, ({ text }) => {
    sent.push(text);
    return Response.json(chatReply());
  });
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], web_search_options: {} };
  const answer = await relay.post("/v1/chat/completions", body);
  expect([answer.status, answer.headers.get("x-sluice-dropped")]).toEqual([200, "web_search_options"]);
  expect(JSON.parse(sent[0] ?? "")).not.toHaveProperty("web_search_options");
  const strict = await relay.post("/v1/chat/completions", body, { headers: { "x-sluice-strict": "1" } });
  expect([strict.status, await strict.text()]).toEqual([400, expect.stringContaining("web_search_options")]);
  expect(sent).toHaveLength(1);
  await relay.post("/v1/chat/completions", { ...body, model: "gpt-4o-search-preview" });
  expect(JSON.parse(sent[1] ?? "")).toHaveProperty("web_search_options");
});

test.each([false, true])(
  "a paused turn of Claude is incomplete, and the log has the exact reason; streamed: %p",
  async (stream) => {
    const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5" };
    const usage = { input_tokens: 60, output_tokens: 40 };
    const events = [
      { type: "message_start", message: { ...message, content: [], usage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "pause_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    const content = [{ type: "text", text: "I look." }];
    const relay = start(14, () =>
      stream
        ? sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
        : Response.json({ ...message, content, stop_reason: "pause_turn", stop_sequence: null, usage }),
    );
    const messages = [{ role: "user", content: "hi" }];
    const answer = await relay.post("/v1/chat/completions", { model: "claude-sonnet-4-5", messages, stream });
    expect(await answer.text()).toContain('"finish_reason":"length"');
    expect((await relay.billing.nextRecord()).other.stop_reason).toBe("pause_turn");
  },
);

test("a normal end leaves no reason of the upstream's own in the log", async () => {
  const usage = { input_tokens: 60, output_tokens: 40 };
  const content = [{ type: "text", text: "Hi" }];
  const relay = start(14, () =>
    Response.json({ id: "msg_1", type: "message", role: "assistant", content, stop_reason: "end_turn", usage }),
  );
  const messages = [{ role: "user", content: "hi" }];
  await relay.post("/v1/chat/completions", { model: "claude-sonnet-4-5", messages });
  expect((await relay.billing.nextRecord()).other).not.toHaveProperty("stop_reason");
});
