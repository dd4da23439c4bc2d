/** Marks of prefixes to cache, from clients to upstreams, and what caching costs. */
import { afterEach, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const message = (usage: object) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "ok" }] },
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 1, ...usage },
});
const converse = (usage: object) => ({
  output: { message: { role: "assistant", content: [{ text: "ok" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11, ...usage },
});

function start(type: number, answer: () => object, model = "claude-sonnet-4-5") {
  const upstream = startUpstream(() => Response.json(answer()));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], keys: [type === 1007 ? "k|us-east-1" : "sk-1"] }],
    options: {
      ModelRatio: JSON.stringify({ [model]: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 1 }),
      CacheRatio: JSON.stringify({ [model]: 0.1 }),
      CacheCreationRatio: JSON.stringify({ [model]: 1.25 }),
    },
  });
  stops.push(relay.stop, upstream.stop);
  const sent = (): JsonObject => recordOf(parseJson(upstream.received.at(-1)?.text ?? "")) ?? {};
  return { relay, sent };
}

const cache_control = { type: "ephemeral" };

test("what opencode and Kilo mark arrives at Anthropic", async () => {
  const { relay, sent } = start(14, () => message({}));
  const messages = [
    { role: "system", content: "S", cache_control },
    { role: "user", content: "U", cache_control },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "R", cache_control },
  ];
  const response = await relay.post("/v1/chat/completions", { model: "claude-sonnet-4-5", messages });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-sluice-dropped")).toBeNull();
  expect(sent()).toMatchObject({
    system: [{ text: "S", cache_control }],
    messages: [
      { role: "user", content: [{ text: "U", cache_control }] },
      { role: "assistant" },
      { role: "user", content: [{ type: "tool_result", content: [{ text: "R" }], cache_control }] },
    ],
  });
});

test("a service without marks gets none, and says so by name", async () => {
  const { relay, sent } = start(43, () => chatReply());
  const body = { model: "claude-sonnet-4-5", max_tokens: 9, system: [{ type: "text", text: "S", cache_control }] };
  const dead = { ...body, model: "claude-sonnet-4-5", messages: [{ role: "user", content: "U" }] };
  const { relay: plain } = start(24, () => ({
    candidates: [{ content: { parts: [{ text: "ok" }] }, finishReason: "STOP" }],
  }));
  const response = await plain.post("/v1/messages", dead);
  expect([response.status, response.headers.get("x-sluice-dropped")]).toEqual([200, "cache_control"]);
  // Named as Claude's, the model may be one: its marks stay.
  expect((await relay.post("/v1/messages", dead)).status).toBe(200);
  expect(JSON.stringify(sent().messages)).toContain("cache_control");
});

describe("writes are priced by their lifetime, as reported", () => {
  const long = { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 500 };
  test.each([
    [
      "Anthropic",
      14,
      message({ cache_creation_input_tokens: 700, cache_read_input_tokens: 100, cache_creation: long }),
    ],
    [
      "Bedrock Converse",
      1007,
      converse({
        ...{ cacheWriteInputTokens: 700, cacheReadInputTokens: 100 },
        cacheDetails: [
          { ttl: "1h", inputTokens: 500 },
          { ttl: "5m", inputTokens: 200 },
        ],
      }),
    ],
    [
      "LiteLLM",
      1,
      chatReply({
        usage: {
          ...{ prompt_tokens: 810, completion_tokens: 1, total_tokens: 811 },
          prompt_tokens_details: { cached_tokens: 100, cache_creation_tokens: 700, cache_creation_token_details: long },
        },
      }),
    ],
  ])("%s", async (_name, type, answer) => {
    const { relay } = start(type, () => answer);
    const messages = [{ role: "user", content: "U" }];
    expect((await relay.post("/v1/chat/completions", { model: "claude-sonnet-4-5", messages })).status).toBe(200);
    const record = await relay.billing.nextRecord();
    expect(record.other).toMatchObject({
      cache_tokens: 100,
      cache_creation_tokens: 700,
      cache_creation_tokens_1h: 500,
    });
    // 10 + 1 tokens, 100 at a tenth, 200 at 1.25, 500 at twice the price.
    expect(record.quota).toBe(11 + 10 + 250 + 1000);
  });
});
