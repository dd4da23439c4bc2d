/** What attempts cost the operator whose responses nobody got: by the usage that providers report before they fail. */
import { afterEach, expect, test } from "bun:test";
import { readChannelCosts } from "../../../../src/billing/pricing/ratios/channel-cost.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Answer = Parameters<typeof startUpstream>[0];
const [OPENAI, ANTHROPIC, GEMINI, ZHIPU] = [1, 14, 24, 26];
const HELLO: Answer = ({ text }) =>
  text.includes('"stream":true')
    ? sse(chunk({ role: "assistant", content: "Hello" }) + usageChunk() + DONE)
    : Response.json(chatReply());

/** Two channels of one model, whose first one fails as `answer` says; each costs a part of the price, or a price of its own. */
function start(type: number, answer: Answer, { spare = HELLO, costs = {} as object, options = {} } = {}) {
  const [upstream, second] = [startUpstream(answer), startUpstream(spare)];
  const half = readChannelCosts({ cost_ratio: 0.5 });
  const own = readChannelCosts({ cost_ratio: 0.7, ...costs });
  const relay = startRelay({
    channels: [
      { type, baseUrl: upstream.url, models: ["m"], priority: 1, costs: own },
      { type: OPENAI, baseUrl: second.url, models: ["m", "spare"], costs: half },
    ],
    options: { ModelRatio: '{"m":1,"spare":1}', RetryTimes: "1", ...options },
  });
  stops.push(relay.stop, upstream.stop, second.stop);
  const ask = async (stream: boolean) => {
    const response = await relay.post("/v1/chat/completions", {
      ...{ model: "m", messages: [{ role: "user", content: "Hi" }], stream },
    });
    await response.text();
    const row = await relay.billing.nextRecord();
    const { attempts = [], upstream_cost } = row.other.admin_info ?? {};
    return { row, status: response.status, costs: attempts.map(({ channel_cost }) => channel_cost), upstream_cost };
  };
  return { ask };
}

const events = (...list: readonly object[]) =>
  sse(list.map((event) => `event: ${String(Object(event).type)}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
const gemini = (path: string, body: object) =>
  path.includes(":stream") ? sse(`data: ${JSON.stringify(body)}\n\n`) : Response.json(body);
const malformed: Answer = ({ path }) =>
  gemini(path, {
    candidates: [{ content: { role: "model" }, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }],
    usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
  });
const broken: Answer = ({ text }) =>
  text.includes('"stream":true')
    ? sse(
        chunk({ role: "assistant", content: "" }, {}, "network_error") +
          usageChunk({ prompt_tokens: 9, completion_tokens: 4 }) +
          DONE,
      )
    : Response.json(
        chatReply({
          choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "network_error" }],
          usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
        }),
      );
const overloaded: Answer = () =>
  events(
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        content: [],
        model: "m",
        usage: { input_tokens: 11, output_tokens: 1 },
      },
    },
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  );

test.each<[string, number, Answer, boolean, number]>([
  // 5 tokens at a unit each, of which 0.7: 3.5, halves away from zero.
  ["a complete failure of Gemini", GEMINI, malformed, false, 4],
  ["a streamed failure of Gemini", GEMINI, malformed, true, 4],
  // 9 + 4 tokens, of which 0.7: 9.1.
  ["a complete failure that passes through", ZHIPU, broken, false, 9],
  // 11 + 1 tokens, of which 0.7: 8.4.
  ["an error behind the beginning of Claude's stream", ANTHROPIC, overloaded, true, 8],
])("%s costs what it reported, at its own channel", async (_, type, answer, stream, cost) => {
  const { ask } = start(type, answer);
  const { row, status, costs, upstream_cost } = await ask(stream);
  expect({ status, channelId: row.channelId }).toEqual({ status: 200, channelId: 2 });
  expect(costs).toEqual([cost, undefined]);
  expect(upstream_cost).toBe(Math.round(row.quota / 2));
});

test("prices of the channel's own count, exactly", async () => {
  const costs = { cost_prices: { m: { input: "2.5", output: "10" } } };
  // (9 × 2.5 + 4 × 10) / 10⁶ dollars at 500,000 units each: 31.25.
  expect((await start(ZHIPU, broken, { costs }).ask(false)).costs).toEqual([31, undefined]);
});

test("a call that fails on all channels has their costs, and no charge", async () => {
  const { ask } = start(GEMINI, malformed, {
    spare: () => Response.json({ error: { message: "no" } }, { status: 500 }),
  });
  const { row, costs, upstream_cost } = await ask(false);
  expect([row.failed, row.quota, upstream_cost, costs]).toEqual([true, 0, undefined, [4, undefined]]);
});

test("a withheld response costs what it reported once another model answers", async () => {
  const withheld: Answer = () =>
    Response.json(
      chatReply({
        choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "content_filter" }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    );
  const options = { ModelFallbacks: '{"m":["spare"]}' };
  const { row, costs } = await start(OPENAI, withheld, { options }).ask(false);
  expect([row.modelName, costs]).toEqual(["spare", [11, undefined]]);
});

test("an error without usage, and a channel that does not say, cost nothing that is known", async () => {
  const refused: Answer = () => Response.json({ error: { message: "busy" } }, { status: 503 });
  expect((await start(OPENAI, refused).ask(false)).costs).toEqual([undefined, undefined]);
  const dropped = { cost_ratio: undefined };
  expect((await start(GEMINI, malformed, { costs: dropped }).ask(false)).costs).toEqual([undefined, undefined]);
});
