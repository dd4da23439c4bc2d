/** Reasoning of earlier turns goes back in the member that each service reads, and signatures to every platform of their maker. */
import { afterEach, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { serviceAccount } from "../../support/gateway/served-families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(type: number, model: string, answer: JsonObject = chatReply(), key = "secret") {
  const upstream = startUpstream(({ path }) =>
    Response.json(path === "/token" ? { access_token: "t", expires_in: 3600 } : answer),
  );
  const isVertex = type === 41;
  const keys = [isVertex ? serviceAccount(upstream.url) : key];
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys, models: [model], ...(isVertex && { other: "us-east5" }) }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  const sent = () => recordOf(parseJson(upstream.received.at(-1)?.text ?? "")) ?? {};
  return { relay, sent };
}

const call = { id: "t1", type: "function", function: { name: "w", arguments: "{}" } };
const toolUse = { type: "tool_use", id: "t1", name: "w", input: {} };
const toolResult = { type: "tool_result", tool_use_id: "t1", content: "R" };
const tools = [{ name: "w", input_schema: { type: "object", properties: {} } }];
const thought = { type: "thinking", thinking: "T", signature: "" };

describe.each([
  [1000, "openai/gpt-oss-120b", { reasoning: "T" }],
  [1006, "qwen3", { reasoning: "T" }],
  [43, "deepseek-v4-pro", { reasoning_content: "T" }],
  [25, "kimi-k2.6", { reasoning_content: "T" }],
] as const)("type %i, %s", (type, model, expected) => {
  const reasoningOf = (body: JsonObject) => {
    const message = recordsOf(body.messages).find(({ role }) => role === "assistant") ?? {};
    const { reasoning, reasoning_content, reasoning_details } = message;
    return JSON.parse(JSON.stringify({ reasoning, reasoning_content, reasoning_details }));
  };

  test("from a Messages client", async () => {
    const { relay, sent } = start(type, model);
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [thought, toolUse] },
      { role: "user", content: [toolResult] },
    ];
    await relay.post("/v1/messages", { model, max_tokens: 50, tools, messages });
    expect(reasoningOf(sent())).toEqual(expected);
  });

  test.each(["reasoning", "reasoning_content"])("from a chat client that calls it %s", async (name) => {
    const { relay, sent } = start(type, model);
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: null, [name]: "T", tool_calls: [call] },
      { role: "tool", tool_call_id: "t1", content: "R" },
    ];
    await relay.post("/v1/chat/completions", { model, messages });
    expect(reasoningOf(sent())).toEqual(expected);
  });
});

const SIGNED = { type: "thinking", thinking: "T", signature: "c2lnbmVk" };
const CLAUDE = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "tool_use" };
const MESSAGE = { ...CLAUDE, content: [SIGNED, toolUse], usage: { input_tokens: 1, output_tokens: 1 } };
const BLOCKS = [
  { reasoningContent: { reasoningText: { text: "T", signature: SIGNED.signature } } },
  { toolUse: { toolUseId: "t1", name: "w", input: {} } },
];
const CONVERSE = {
  output: { message: { role: "assistant", content: BLOCKS } },
  stopReason: "tool_use",
  usage: { inputTokens: 1, outputTokens: 1 },
};
const PLATFORMS = [
  [14, "claude-sonnet-4-5", MESSAGE, "secret"],
  [1007, "us.anthropic.claude-sonnet-4-5-20250929-v1:0", CONVERSE, "key|us-east-1"],
  [33, "claude-sonnet-4-5", MESSAGE, "key|us-east-1"],
  [41, "claude-sonnet-4-5", MESSAGE, "its service account"],
] as const;

describe("Claude's signature moves between its platforms", () => {
  const client = { max_tokens: 9000, tools, thinking: { type: "enabled", budget_tokens: 2000 } };
  const moves = PLATFORMS.flatMap((from) => PLATFORMS.map((to) => [from[0], to[0], from, to] as const));

  test.each(moves)("from type %i to type %i", async (_from, _to, [fromType, fromModel, answer, fromKey], to) => {
    const first = start(fromType, fromModel, answer, fromKey);
    const messages: JsonObject[] = [{ role: "user", content: "go" }];
    const response = await first.relay.post("/v1/messages", { model: fromModel, ...client, messages });
    const { content } = (await response.json()) as JsonObject;
    expect(recordsOf(content)[0]).toEqual(SIGNED);
    const [toType, toModel, reply, toKey] = to;
    const second = start(toType, toModel, reply, toKey);
    messages.push({ role: "assistant", content }, { role: "user", content: [toolResult] });
    const next = await second.relay.post("/v1/messages", { model: toModel, ...client, messages });
    expect([next.status, next.headers.get("x-sluice-dropped")]).toEqual([200, null]);
    const sent = second.sent();
    const turn = recordsOf(sent.messages)[1] ?? {};
    expect(turn.content).toEqual(toType === 1007 ? BLOCKS : [SIGNED, toolUse]);
    const fields = toType === 1007 ? recordOf(sent.additionalModelRequestFields) : sent;
    expect(fields?.thinking).toMatchObject({ type: "enabled" });
  });

  test("to another maker's model it is left out and named", async () => {
    const { relay, sent } = start(43, "deepseek-v4-pro");
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [SIGNED, toolUse] },
      { role: "user", content: [toolResult] },
    ];
    const response = await relay.post("/v1/messages", { model: "deepseek-v4-pro", ...client, messages });
    expect(JSON.stringify(sent())).not.toContain(SIGNED.signature);
    expect(response.headers.get("x-sluice-dropped")).toMatch(/reasoning|thinking/);
  });

  test("Converse reasons in no turn that another model began with a call", async () => {
    const [, [type, model, answer, key]] = PLATFORMS;
    const { relay, sent } = start(type, model, answer, key);
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [toolUse] },
      { role: "user", content: [toolResult] },
    ];
    const response = await relay.post("/v1/messages", { model, ...client, messages });
    expect(sent().additionalModelRequestFields).toBeUndefined();
    expect(response.headers.get("x-sluice-dropped")).not.toBeNull();
  });
});

describe("a limit that includes reasoning is never raised", () => {
  test.each([
    [30_000, 16_384, false],
    [9000, 7975, false],
    [2000, 1024, false],
    [1000, null, true],
  ])("%i tokens leave %p for reasoning", async (limit, budget, isNamed) => {
    for (const [path, body] of [
      [
        "/v1/chat/completions",
        { max_completion_tokens: limit, reasoning_effort: "high", messages: [{ role: "user", content: "a" }] },
      ],
      ["/v1/responses", { max_output_tokens: limit, reasoning: { effort: "high" }, input: "a" }],
    ] as const) {
      for (const [type, model, answer, key] of PLATFORMS) {
        const { relay, sent } = start(type, model, answer, key);
        const response = await relay.post(path, { model, ...body });
        const { max_tokens, thinking, inferenceConfig, additionalModelRequestFields } = sent();
        expect(max_tokens ?? recordOf(inferenceConfig)?.maxTokens).toBe(limit);
        const requested = recordOf(thinking ?? recordOf(additionalModelRequestFields)?.thinking);
        expect(requested?.budget_tokens ?? null).toBe(budget);
        if (isNamed) expect(response.headers.get("x-sluice-dropped")).toContain("reasoning");
      }
    }
  });

  const messages = [{ role: "user", content: "a" }];

  test("for a name that ends in -thinking, either: it answers without, which is named", async () => {
    const model = "claude-sonnet-4-5-thinking";
    const { relay, sent } = start(14, model, PLATFORMS[0][2]);
    const body = { model, max_tokens: 500, temperature: 0.5, messages };
    const response = await relay.post("/v1/chat/completions", body);
    expect(sent()).toMatchObject({ model: "claude-sonnet-4-5", max_tokens: 500, temperature: 0.5 });
    expect(sent()).not.toHaveProperty("thinking");
    expect(response.headers.get("x-sluice-dropped")).toBe("reasoning_effort");
    const enough = await relay.post("/v1/chat/completions", { ...body, max_tokens: 2_000 });
    expect(sent()).toMatchObject({
      max_tokens: 2_000,
      thinking: { type: "enabled", budget_tokens: expect.any(Number) },
    });
    expect(enough.headers.get("x-sluice-dropped")).toBe("temperature");
  });

  test.each([
    [43, { max_tokens: 800, max_completion_tokens: 300 }, { max_tokens: 300 }],
    [43, { max_tokens: 300, max_completion_tokens: 800 }, { max_tokens: 300 }],
    [48, { max_tokens: 300, max_completion_tokens: 800 }, { max_completion_tokens: 300 }],
  ])("type %i: of two limits %p the smaller is sent", async (type, limits, expected) => {
    const { relay, sent } = start(type, "m");
    await relay.post("/v1/chat/completions", { model: "m", messages, ...limits });
    const { max_tokens, max_completion_tokens } = sent();
    expect(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens }))).toEqual(expected);
  });

  test("beyond the least that a provider takes, which is named", async () => {
    const model = "gpt-5-codex";
    const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] }];
    const { relay, sent } = start(1, model, { id: "resp_1", object: "response", status: "completed", output });
    const send = (limit: number) => relay.post("/v1/messages", { model, max_tokens: limit, messages });
    expect((await send(9)).headers.get("x-sluice-dropped")).toBe("max_tokens");
    expect(sent().max_output_tokens).toBe(16);
    expect((await send(16)).headers.get("x-sluice-dropped")).toBeNull();
  });
});

describe("services whose reasoning is part of the content", () => {
  const history = (content: JsonObject[]) => [
    { role: "user", content: "go" },
    { role: "assistant", content },
    { role: "user", content: [toolResult, { type: "text", text: "and?" }] },
  ];
  const assistantIn = (body: JsonObject) => recordsOf(body.messages).find(({ role }) => role === "assistant") ?? {};

  test("MiniMax gets its own message back, tags and line breaks included", async () => {
    const content = "<think>\nHm.\n</think>\n\nLet me look.";
    const answer = chatReply();
    Object.assign(recordOf(recordsOf(answer.choices)[0]?.message) ?? {}, { content, tool_calls: [call] });
    const { relay, sent } = start(35, "MiniMax-M2.7", answer);
    const ask = (messages: object[]) =>
      relay.post("/v1/messages", { model: "MiniMax-M2.7", max_tokens: 50, tools, messages });
    const first = recordOf(await (await ask([{ role: "user", content: "go" }])).json()) ?? {};
    await ask(history(recordsOf(first.content)));
    expect(assistantIn(sent())).toMatchObject({ content });
    expect(assistantIn(sent())).not.toHaveProperty("reasoning_content");
  });

  const chunk = { type: "thinking", thinking: [{ type: "text", text: "T" }] };
  test("Mistral gets a chunk of thinking, and no turn that nobody wrote", async () => {
    const { relay, sent } = start(42, "magistral-medium-latest");
    await relay.post("/v1/messages", {
      ...{ model: "magistral-medium-latest", max_tokens: 50, tools },
      messages: history([thought, { type: "text", text: "Look." }, toolUse]),
    });
    expect(assistantIn(sent()).content).toEqual([chunk, { type: "text", text: "Look." }]);
    expect(recordsOf(sent().messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("Mistral's own shape of a chat client stays as it is", async () => {
    const { relay, sent } = start(42, "magistral-medium-latest");
    const content = [chunk, { type: "text", text: "Hi" }];
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content },
      { role: "user", content: "x" },
    ];
    await relay.post("/v1/chat/completions", { model: "magistral-medium-latest", messages });
    expect(assistantIn(sent())).toEqual({ role: "assistant", content });
  });
});
