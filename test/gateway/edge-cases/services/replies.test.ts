/** Replies that differ from their format's in one point, from documentation and, where they are stored, from recordings. */
import { afterEach, describe, expect, test } from "bun:test";
import { providerOf } from "../../../../src/providers/registry.ts";
import { hasReference, referenceText } from "../../../support/formats/reference.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** The recorded response of a service; empty where recordings are not stored. */
const recorded = (path: string): string =>
  hasReference(`recorded/${path}`) ? JSON.parse(referenceText(`recorded/${path}`)).response : "";

function start(type: number, model: string, answer: (path: string) => Response, options: Record<string, string> = {}) {
  const upstream = startUpstream(({ path }) => answer(path));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), ...options },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, sent: () => JSON.parse(upstream.received.at(-1)?.text ?? "null") };
}

const MP3 = Buffer.from("ID3\u0004\u0000 the sound");

describe.each([
  ["documented", JSON.stringify({ audio_data: MP3.toString("base64") })],
  ["recorded", recorded("mistral/speech.1.json")],
])("Mistral's speech (%s)", (_, answer) => {
  test.skipIf(answer === "")("is the audio inside the JSON, charged by the text", async () => {
    const model = "voxtral-mini-tts-latest";
    const { relay, sent } = start(
      42,
      model,
      () => new Response(answer, { headers: { "content-type": "application/json" } }),
    );
    const ask = { model, input: "Ruby.", voice: "en_paul_neutral", speed: 2 };
    const speech = await relay.post("/v1/audio/speech", ask);
    expect([speech.status, speech.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(Buffer.from(await speech.arrayBuffer())).toEqual(Buffer.from(JSON.parse(answer).audio_data, "base64"));
    expect(sent()).toEqual({ model, input: "Ruby.", voice: "en_paul_neutral" });
    expect(speech.headers.get("x-sluice-dropped")).toBe("speed");
    expect(relay.billing.records).toHaveLength(1);
    expect(relay.billing.records[0]?.promptTokens).toBeGreaterThan(0);
  });
});

describe.each([
  [
    "documented",
    'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"InvalidParameter","message":"Role must be user","request_id":"r"}\n\n',
  ],
  ["recorded", recorded("qwen/error-sse.json")],
])("DashScope's error in a stream (%s)", (_, events) => {
  test.skipIf(events === "")("has its status, for streamed calls and others", async () => {
    const model = "qwen-max";
    const { relay } = start(17, model, () => sse(events));
    for (const stream of [true, false]) {
      const ask = { model, stream, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
      const answer = await relay.post("/v1/messages", ask);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({
          error: expect.objectContaining({ message: expect.stringContaining("Role must be") }),
        }),
      ]);
    }
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toEqual([]);
  });
});

test("a coding plan of Qwen is called in OpenAI's format by every client", async () => {
  const model = "qwen3-coder-plus";
  const upstream = startUpstream(() => Response.json(chatReply()));
  const channel = { type: 17, baseUrl: `${upstream.url}/coding/v1`, models: [model] };
  const relay = startRelay({ channels: [channel], options: { ModelRatio: JSON.stringify({ [model]: 1 }) } });
  stops.push(relay.stop, upstream.stop);
  const ask = { model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
  const answer = await relay.post("/v1/messages", ask);
  expect(await answer.json()).toMatchObject({ content: [{ type: "text", text: "Hello there" }] });
  expect((await relay.post("/v1/chat/completions", ask)).status).toBe(200);
  expect(upstream.received.map(({ path }) => path)).toEqual(Array(2).fill("/coding/v1/chat/completions"));
});

test("Dify's replaced message is the replacement alone for a client that does not stream", async () => {
  const events = [
    { event: "message", message_id: "m", answer: "Something rude." },
    { event: "message_replace", message_id: "m", answer: "I can't say that." },
    { event: "message_end", message_id: "m", metadata: { usage: { prompt_tokens: 5, completion_tokens: 3 } } },
  ];
  const { relay } = start(37, "dify", () => sse(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")));
  const ask = { model: "dify", messages: [{ role: "user", content: "Hi" }] };
  const answer = await relay.post("/v1/chat/completions", ask);
  const [choice] = (await answer.json()).choices;
  expect([choice.message.content, choice.finish_reason]).toEqual(["I can't say that.", "content_filter"]);
  // Whoever has read the other text learns that it was taken back.
  const streamed = await (await relay.post("/v1/chat/completions", { ...ask, stream: true })).text();
  expect(streamed).toContain("I can't say that.");
  expect(streamed).toContain('"finish_reason":"content_filter"');
});

describe("DeepSeek's beta", () => {
  const model = "deepseek-v4-flash";
  const user = { role: "user", content: "Hi" };
  const strict = { type: "function", function: { name: "f", strict: true, parameters: { type: "object" } } };
  const loose = { type: "function", function: { name: "g", parameters: { type: "object" } } };

  test("has answers that are begun; other chats stay", async () => {
    const paths: string[] = [];
    const { relay } = start(43, model, (path) => {
      paths.push(path);
      return Response.json(chatReply());
    });
    const begun = { role: "assistant", content: "Once", prefix: true };
    await relay.post("/v1/chat/completions", { model, messages: [user, begun] });
    await relay.post("/v1/chat/completions", {
      model,
      messages: [user, begun, { role: "user", content: '"prefix": true' }],
    });
    await relay.post("/v1/completions", { model, prompt: "Once", suffix: "end" });
    expect(paths).toEqual(["/beta/chat/completions", "/v1/chat/completions", "/beta/completions"]);
  });

  test.each([
    [[strict], "https://api.deepseek.com/v1/chat/completions", "https://api.deepseek.com/beta/chat/completions"],
    [[strict], "https://api.deepseek.com/chat/completions", "https://api.deepseek.com/beta/chat/completions"],
    [[strict], "https://api.deepseek.com/beta/chat/completions", "https://api.deepseek.com/beta/chat/completions"],
    [[strict, loose], "https://api.deepseek.com/v1/chat/completions", undefined],
    [[strict], "https://proxy.example/v1/chat/completions", undefined],
  ])("has strict tools, if all are, at DeepSeek itself: %j %s", async (tools, url, expected) => {
    const body = JSON.stringify({ model, messages: [user], tools });
    const channel = { baseUrl: "", other: "", openaiOrganization: "" };
    const signing = { nowSeconds: () => 0, post: async () => ({ status: 500, text: "" }) };
    expect((await providerOf(43)?.sign?.({ url, headers: {}, body }, channel, "k", signing))?.url).toBe(expected);
  });
});

test.each([
  ["spark-x", "/x2"],
  ["SparkDesk-x2", "/x2"],
  ["SparkDesk-X1.5", "/x2"],
  ["SparkDesk-x1", "/v1/x1"],
  ["SparkDesk-v3.5", "/v3.5/chat"],
  ["SparkDesk-v9.0", "/v9.0/chat"],
  ["SparkDesk-x7", "/x7"],
  ["SparkDesk", "/v2.1/chat"],
])("Spark's %s is called at %s, whatever the channel's version is", (model, path) => {
  const ask = { capability: "chat", dialect: "spark", model, stream: true } as const;
  const channel = { baseUrl: "", other: "v2.1", openaiOrganization: "" };
  expect(providerOf(18)?.url(channel, ask)).toBe(`https://spark-api.xf-yun.com${path}`);
});

describe("Bedrock", () => {
  const messages = [{ role: "user", content: "Hi" }];
  const message = {
    id: "m",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const converse = {
    output: { message: { role: "assistant", content: [{ text: "Hello" }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  };

  test("Claude without a limit reserves a moderate part of the quota, unless the operator says otherwise", async () => {
    const model = "claude-opus-4-8";
    const limitOf = async (fields: object, options = {}) => {
      const { relay, sent } = start(33, model, () => Response.json(message), options);
      await relay.post("/v1/chat/completions", { model, messages, ...fields });
      return sent().max_tokens;
    };
    expect(await limitOf({})).toBe(16_384);
    expect(await limitOf({ max_tokens: 90_000 })).toBe(90_000);
    expect(await limitOf({}, { "claude.default_max_tokens": '{"default": 50000}' })).toBe(50_000);
  });

  test("Converse hands GLM 4.7 Flash the schema of the output", async () => {
    const model = "zai.glm-4.7-flash";
    const { relay, sent } = start(1007, model, () => Response.json(converse));
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const format = { type: "json_schema", json_schema: { name: "answer", schema } };
    const answer = await relay.post("/v1/chat/completions", { model, messages, response_format: format });
    expect([answer.status, answer.headers.get("x-sluice-dropped")]).toEqual([200, null]);
    const { jsonSchema } = sent().outputConfig.textFormat.structure;
    expect([jsonSchema.name, JSON.parse(jsonSchema.schema)]).toEqual(["answer", schema]);
  });

  test.each([
    ["qwen.qwen3-235b-a22b-2507-v1:0", { reasoning_effort: "medium" }, { reasoning_config: "high" }],
    ["qwen.qwen3-32b-v1:0", { reasoning_effort: "low" }, { reasoning_config: "low" }],
    ["us.meta.llama4-scout-17b-instruct-v1:0", { top_k: 40 }, { top_k: 40 }],
    ["us.amazon.nova-pro-v1:0", { top_k: 40 }, { inferenceConfig: { topK: 40 } }],
  ])("Converse hands %s what only the model knows: %j", async (model, fields, expected) => {
    const { relay, sent } = start(1007, model, () => Response.json(converse));
    const answer = await relay.post("/v1/chat/completions", { model, messages, ...fields });
    expect([answer.status, answer.headers.get("x-sluice-dropped")]).toEqual([200, null]);
    expect(sent().additionalModelRequestFields).toEqual(expected);
  });
});

test.each([
  ["none", 'none of the models "none" is loaded'],
  ["sk-a-real-secret", 'none of the models "***" is loaded'],
])("the placeholder %p of a server without keys is no secret", async (key, words) => {
  const upstream = startUpstream(({ headers }) => {
    const sent = headers.get("authorization")?.slice("Bearer ".length);
    return Response.json({ error: { message: `none of the models "${sent}" is loaded` } }, { status: 404 });
  });
  const relay = startRelay({
    channels: [{ type: 1006, baseUrl: upstream.url, keys: [key], models: ["m"] }],
    options: { ModelRatio: '{"m":1}' },
  });
  stops.push(relay.stop, upstream.stop);
  const answer = await relay.post("/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }] });
  expect(await answer.text()).toContain(JSON.stringify(words).slice(1, -1));
});

describe("GLM keeps an agent's reasoning", () => {
  const model = "glm-4.7";
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const agent = [
    { role: "user", content: "Hi" },
    { role: "assistant", reasoning_content: "Hm.", tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "1" },
  ];

  test.each([
    ["between tool calls", { messages: agent }, { type: "enabled", clear_thinking: false }],
    [
      "unless the client decides",
      { messages: agent, thinking: { type: "enabled", clear_thinking: true } },
      { type: "enabled", clear_thinking: true },
    ],
    ["unless it is off", { messages: agent, thinking: { type: "disabled" } }, { type: "disabled" }],
    ["in no other chat", { messages: agent.slice(0, 1) }, undefined],
  ])("%s", async (_, fields, thinking) => {
    const { relay, sent } = start(26, model, () => Response.json(chatReply()));
    expect((await relay.post("/v1/chat/completions", { model, ...fields })).status).toBe(200);
    expect(sent().thinking).toEqual(thinking);
  });
});
