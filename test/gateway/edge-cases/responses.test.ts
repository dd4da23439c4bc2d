/** Edge cases of reasoning, errors and the ends of streams, through the whole gateway. */
import { afterEach, describe, expect, test } from "bun:test";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import OpenAI from "openai";
import type { JsonObject } from "../../../src/formats/json.ts";
import { FAMILIES, FAMILY_TYPES, startFamily, THOUGHT } from "../../support/gateway/families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, pacedSse, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(type: number, answer: Parameters<typeof startUpstream>[0], model = "m", more: object = {}) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], ...more }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
}

const TURNS = [{ role: "user", content: "go" }];
const CALLED = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const eventOf = (event: JsonObject): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
/** The last event comes when those before it are under way. */
const events = (...list: JsonObject[]): Response =>
  pacedSse([list.slice(0, -1).map(eventOf).join(""), 40, ...list.slice(-1).map(eventOf)]);

describe("reasoning is sent upstream when present, even if empty", () => {
  const sentBy = async (type: number, setting: object) => {
    const { upstream, relay } = start(type, () => Response.json(chatReply()), "kimi-k2.6", { setting });
    const messages = [
      ...TURNS,
      { role: "assistant", content: null, reasoning_content: "", tool_calls: [CALLED] },
      { role: "tool", tool_call_id: "a", content: "1" },
    ];
    await relay.post("/v1/chat/completions", { model: "kimi-k2.6", messages });
    return (JSON.parse(upstream.received[0]?.text ?? "{}") as { messages: JsonObject[] }).messages[1];
  };

  test.each([
    ["as they came", 1, {}, ""],
    ["rewritten", 1, { force_format: true }, ""],
    ["as a blank to Kimi", 25, {}, " "],
  ])("%s", async (_name, type, setting, expected) => {
    expect(await sentBy(type, setting)).toMatchObject({ reasoning_content: expected, tool_calls: [{ id: "a" }] });
  });
});

test.each(FAMILIES)("the thought of %s has the same fields streamed and whole", async (family) => {
  const upstream = startFamily(family);
  const relay = startRelay({
    channels: [{ type: FAMILY_TYPES[family], baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  const ask = { model: "m", messages: [{ role: "user" as const, content: "Weather?" }] };
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const message = (await client.chat.completions.create(ask)).choices[0]?.message;
  expect(message).toMatchObject({ reasoning_content: THOUGHT });
  let streamed = "";
  const signed: unknown[] = [];
  for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true })) {
    const delta = choices[0]?.delta as { reasoning_content?: string; reasoning_details?: unknown } | undefined;
    streamed += delta?.reasoning_content ?? "";
    if (delta?.reasoning_details) signed.push(delta.reasoning_details);
  }
  expect(streamed).toBe(THOUGHT);
  expect(signed.length > 0).toBe("reasoning_details" in (message ?? {}));
});

describe("errors after the 200", () => {
  const MESSAGES = { model: "m", max_tokens: 9, stream: true, messages: TURNS };
  const CHAT = { model: "m", stream: true, messages: TURNS };
  const created = { type: "response.created", response: { id: "r", object: "response", status: "in_progress" } };
  const partialEvents = [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i", content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "half" },
  ];
  const failed = {
    type: "response.failed",
    response: { id: "r", object: "response", status: "failed", error: { code: "server_error", message: "down" } },
  };

  test("response.failed is an error event of Anthropic's, and no end", async () => {
    const { relay } = start(1, () => events(created, ...partialEvents, failed), "gpt-5-pro");
    const text = await (await relay.post("/v1/messages", { ...MESSAGES, model: "gpt-5-pro" })).text();
    expect(text).toContain("half");
    expect(text).toMatch(/event: error\ndata: .*down/);
    expect(text).not.toContain("end_turn");
    expect((await relay.billing.nextRecord()).other.ending).toBe("upstream_failed");
  });

  test("an error event is sent to chat clients, without a made-up stop", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const begin = { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } };
    const open = { type: "content_block_start", index: 0, content_block: { type: "text", text: "half" } };
    const { relay } = start(14, () => events(begin, open, error));
    const text = await (await relay.post("/v1/chat/completions", CHAT)).text();
    expect(text).toMatch(/half[\s\S]*data: \{"error":.*Overloaded/);
    expect(text).not.toContain('"finish_reason":"stop"');
    const errorChunk = `data: ${JSON.stringify({ choices: [], error: { message: "gone", code: 503 } })}\n\n`;
    const chat = start(1, () => pacedSse([chunk({ content: "half" }), 40, errorChunk + DONE]));
    expect(await (await chat.relay.post("/v1/chat/completions", CHAT)).text()).toContain("gone");
    expect((await chat.relay.billing.nextRecord()).other.ending).toBe("upstream_failed");
  });

  test.each([
    ["throttlingException", 429],
    ["serviceUnavailableException", 529],
    ["validationException", 400],
    ["modelStreamErrorException", 500],
  ])("Bedrock's %s in the binary stream has the status %i", async (kind, status) => {
    const codec = new EventStreamCodec(
      (bytes) => Buffer.from(bytes).toString("utf8"),
      (text) => Buffer.from(text, "utf8"),
    );
    const frame = codec.encode({
      headers: {
        ":message-type": { type: "string", value: "exception" },
        ":exception-type": { type: "string", value: kind },
      },
      body: Buffer.from('{"message":"Bedrock says no"}'),
    });
    const headers = { "content-type": "application/vnd.amazon.eventstream" };
    const { relay } = start(33, () => new Response(new Uint8Array(frame), { headers }), "claude-sonnet-4-5", {
      keys: ["bedrock-key|us-east-1"],
    });
    const answer = await relay.post("/v1/messages", { ...MESSAGES, model: "claude-sonnet-4-5" });
    expect(answer.status).toBe(status);
    if (status !== 429) expect(await answer.text()).toContain("Bedrock says no");
  });

  test.each([
    ["/v1/responses", "server_error"],
    ["/v1/messages", "api_error"],
    ["/v1/chat/completions", "stream_broken"],
  ])("a stream that is cut off ends at %s with an error of the server's kind", async (path, kind) => {
    const { relay } = start(1, ({ path: requestPath }) =>
      requestPath.endsWith("/responses") ? new Response("no", { status: 404 }) : sse(chunk({ content: "half" })),
    );
    const body = { model: "m", stream: true, max_tokens: 9, messages: TURNS, input: "go" };
    const text = await (await relay.post(path, body)).text();
    expect(text).toContain("half");
    expect(text).toContain(kind);
    expect(text).not.toMatch(/invalid_request_error|"finish_reason":"stop"|end_turn|response\.completed/);
    if (path === "/v1/responses") expect(text).toContain("event: response.failed");
    expect((await relay.billing.nextRecord()).failed).toBe(true);
  });

  test.each([false, true])("a response that reached its limit is a fine end (streamed: %p)", async (stream) => {
    const response = {
      id: "r",
      object: "response",
      created_at: 1,
      model: "m",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ type: "message", id: "i", role: "assistant", content: [{ type: "output_text", text: "half" }] }],
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    };
    const end = { type: "response.incomplete", response };
    const { relay } = start(
      1,
      () => (stream ? events(created, ...partialEvents, end) : Response.json(response)),
      "gpt-5-pro",
    );
    for (const path of ["/v1/responses", "/v1/chat/completions"]) {
      const answer = await relay.post(path, { model: "gpt-5-pro", stream, messages: TURNS, input: "go" });
      const text = await answer.text();
      expect(answer.status).toBe(200);
      expect(text).toContain("half");
      expect(text).toMatch(path === "/v1/responses" ? /"status":"incomplete"/ : /"finish_reason":"length"/);
    }
    const records = [await relay.billing.nextRecord(1), await relay.billing.nextRecord(2)];
    for (const record of records) {
      expect(record).toMatchObject({ failed: false, promptTokens: 3, completionTokens: 4 });
      expect(record.other.ending).toBe("complete");
      expect(record.other.admin_info?.attempts.map(({ status, error }) => [status, error])).toEqual([[200, undefined]]);
    }
  });
});

test.each([
  ["Bedrock", 33, "bedrock-key|us-east-1", "claude-sonnet-4-5"],
  ["Vertex", 41, "", "claude-sonnet-4-5"],
  ["Anthropic", 14, "sk-ant", "claude-sonnet-4-5"],
])("%s is sent the betas it knows, where it reads them", async (cloud, type, key, model) => {
  const reply = { id: "m", type: "message", role: "assistant", model, content: [], stop_reason: "end_turn", usage: {} };
  const { upstream, relay } = start(type, () => Response.json(reply), model, { keys: [key] });
  const betas =
    "claude-code-20250219, interleaved-thinking-2025-05-14,advanced-tool-use-2025-11-20,effort-2025-11-24,made-up-2030-01-01";
  const body = { model, max_tokens: 9, messages: TURNS };
  const answer = await relay.post("/v1/messages", body, { headers: { "anthropic-beta": betas } });
  const sent = upstream.received[0];
  const { anthropic_beta } = JSON.parse(sent?.text ?? "{}") as { anthropic_beta?: string[] };
  if (cloud === "Anthropic") {
    expect(anthropic_beta).toBeUndefined();
    expect(sent?.headers.get("anthropic-beta")).toBe(betas);
    return;
  }
  const known = ["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"];
  // Vertex takes an effort without a beta, and none for it.
  expect(anthropic_beta).toEqual(cloud === "Vertex" ? known : [...known, "effort-2025-11-24"]);
  expect(sent?.headers.get("anthropic-beta")).toBeNull();
  expect(answer.headers.get("x-sluice-dropped")).toBe("anthropic-beta: made-up-2030-01-01");
});

test.each(["claude-opus-4-7", "claude-opus-4-7-thinking"])(
  "a model that refuses a beta which its cloud knows is called without it from then on: %s",
  async (model) => {
    const reply = {
      id: "m",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: "end_turn",
      usage: {},
    };
    const { upstream, relay } = start(
      33,
      ({ text }) =>
        text.includes("anthropic_beta")
          ? Response.json({ message: "invalid beta flag" }, { status: 400 })
          : Response.json(reply),
      model,
      { keys: ["bedrock-key|us-east-1"] },
    );
    const body = { model, max_tokens: 9, messages: TURNS, container: { skills: [] } };
    const ask = () =>
      relay.post("/v1/messages", body, { headers: { "anthropic-beta": "context-1m-2025-08-07,claude-code-20250219" } });
    for (const count of [2, 3]) {
      const answer = await ask();
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-sluice-dropped")).toBe("anthropic-beta: context-1m-2025-08-07, container");
      expect(upstream.received).toHaveLength(count);
    }
  },
);
