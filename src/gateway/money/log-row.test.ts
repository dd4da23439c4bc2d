/** Details of a charge in the log row, under the names that one-api and new-api use. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { readChannelCosts } from "../../billing/pricing/ratios/channel-cost.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const PRICES = {
  ModelRatio: '{"m": 2}',
  CompletionRatio: '{"m": 4}',
  CacheRatio: '{"m": 0.5}',
  AudioRatio: '{"m": 8}',
  AudioCompletionRatio: '{"m": 3}',
  GroupRatio: '{"default": 0.5}',
};
const TEXT = {
  model_price: -1,
  model_ratio: 2,
  completion_ratio: 4,
  cache_ratio: 0.5,
  group_ratio: 0.5,
  user_group_ratio: -1,
  group: "default",
};
const messages = [{ role: "user", content: "Hello" }];
const claude = (usage: object) => ({
  id: "msg",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 6, output_tokens: 1, ...usage },
});
const audioUsage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  prompt_tokens_details: { audio_tokens: 15 },
  completion_tokens_details: { audio_tokens: 4 },
};

type Row = readonly [
  name: string,
  ask: Readonly<{ path?: string; body?: object }>,
  answer: object,
  channel: object,
  options: object,
  other: object,
];
const rows: readonly Row[] = [
  ["text", {}, chatReply(), {}, {}, { ...TEXT, cache_tokens: 0, admin_info: { use_channel: ["1"] } }],
  ["tags", { body: { metadata: { tags: ["night", "team-7"] } } }, chatReply(), {}, {}, { tags: ["night", "team-7"] }],
  ["an effort", { body: { reasoning_effort: "high" } }, chatReply(), {}, {}, { ...TEXT, reasoning_effort: "high" }],
  [
    "another model upstream",
    {},
    chatReply(),
    { modelMapping: new Map([["m", "n"]]) },
    {},
    { ...TEXT, is_model_mapped: true, upstream_model_name: "n" },
  ],
  [
    "Anthropic's format",
    { path: "/v1/messages", body: { max_tokens: 9 } },
    claude({ cache_read_input_tokens: 4, cache_creation_input_tokens: 3 }),
    { type: 14 },
    {},
    { ...TEXT, claude: true, cache_tokens: 4, cache_creation_tokens: 3, cache_creation_ratio: 1.25 },
  ],
  [
    "Anthropic's format without a cache, by another provider",
    { path: "/v1/messages", body: { max_tokens: 9 } },
    chatReply(),
    {},
    {},
    { ...TEXT, claude: true, cache_tokens: 0, cache_creation_tokens: 0, cache_creation_ratio: 1.25 },
  ],
  [
    "sound",
    {},
    chatReply({ usage: audioUsage }),
    {},
    {},
    {
      ...TEXT,
      audio: true,
      audio_input: 15,
      audio_output: 4,
      text_input: 5,
      text_output: 5,
      audio_ratio: 8,
      audio_completion_ratio: 3,
    },
  ],
  [
    "a fixed price",
    {},
    chatReply(),
    {},
    { ModelPrice: '{"m": 0.25}' },
    {
      model_price: 0.25,
      model_ratio: 0,
      completion_ratio: 0,
      cache_ratio: 0,
      group_ratio: 0.5,
      user_group_ratio: -1,
      group: "default",
    },
  ],
  [
    "what the call cost the operator: part of the price without the group's ratio",
    {},
    chatReply({ usage: { prompt_tokens: 100, completion_tokens: 10 } }),
    { costs: readChannelCosts({ cost_ratio: 0.7 }) },
    {},
    // (100 + 10 × 4) × 2 × 0.7
    { ...TEXT, receipt: { total: 140 }, admin_info: { upstream_cost: 196 } },
  ],
  [
    "what the call cost by the price of the upstream's name",
    {},
    chatReply({ usage: { prompt_tokens: 100, completion_tokens: 10 } }),
    { costs: readChannelCosts({ cost_prices: { n: { input: 1, output: 3 } } }), modelMapping: new Map([["m", "n"]]) },
    {},
    { admin_info: { upstream_cost: 65 } },
  ],
  [
    "message content, where the site logs it",
    {
      body: {
        messages: [
          { role: "system", content: "Be kind" },
          { role: "user", content: "Who?" },
          { role: "assistant", content: "Me" },
          ...messages,
        ],
      },
    },
    chatReply(),
    {},
    { LogChatContentEnabled: "true" },
    {
      system_prompt: "Be kind",
      context: '[{"role":"user","content":"Who?"},{"role":"assistant","content":"Me"}]',
      input_content: "Hello",
      output_content: "Hello there",
    },
  ],
];

test.each(rows)(
  "log row: %s",
  async (_name, { path = "/v1/chat/completions", body }, answer, channel, options, other) => {
    const upstream = startUpstream(() => Response.json(answer));
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: ["m"], ...channel }],
      options: { ...PRICES, ...options },
    });
    stops.push(upstream.stop, relay.stop);
    const answered = await relay.post(path, { model: "m", messages, ...body });
    expect(answered.status).toBe(200);
    const record = await relay.billing.nextRecord();
    expect(record.other).toMatchObject(other);
  },
);

test("ratios that a call did not use are left out", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, models: ["m"] }], options: PRICES });
  stops.push(upstream.stop, relay.stop);
  await relay.post("/v1/chat/completions", { model: "m", messages });
  const { other } = await relay.billing.nextRecord();
  expect(Object.keys(other).filter((key) => key.endsWith("_ratio"))).toEqual(
    Object.keys(TEXT).filter((key) => key.endsWith("_ratio")),
  );
});

test("frt: milliseconds to the first byte, -1000 without one", async () => {
  const relay = startRelay({ channels: [{ baseUrl: "http://127.0.0.1:1", models: ["m"] }], options: PRICES });
  stops.push(relay.stop);
  await relay.post("/v1/chat/completions", { model: "m", messages });
  const { other } = await relay.billing.nextRecord();
  expect(other).toMatchObject({ frt: -1000, admin_info: { use_channel: ["1"] } });
});
