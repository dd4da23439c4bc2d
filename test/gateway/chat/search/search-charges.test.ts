/** What searches cost at services that report them in their own format, in one piece and streamed. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The model has the ratio 1 for all its tokens, so 100 tokens cost 100 units; a dollar is 500,000 units. */
function start(type: number, model: string, answer: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream(answer);
  const one = JSON.stringify({ [model]: 1 });
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: one, CompletionRatio: one },
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

const messages = [{ role: "user", content: "Rain?" }];
const cited = [{ type: "url_citation", url_citation: { url: "https://x.example", title: "x" } }];
const reply = (usage: object = {}, message: object = {}, extra: object = {}) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hi", ...message }, finish_reason: "stop" }],
  usage: { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100, ...usage },
  ...extra,
});
const streamed = (answer: ReturnType<typeof reply>) => {
  const { choices, usage, ...extra } = answer;
  const delta = choices[0]?.message ?? {};
  const chunks = [
    { ...extra, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] },
    { ...extra, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...extra, object: "chat.completion.chunk", choices: [], usage },
  ];
  return sse(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`);
};

const search = { web_search_options: {} };
const engine = { tools: [{ type: "web_search", web_search: { enable: true, search_engine: "search_pro" } }] };
test.each([
  [
    "Perplexity, as much as it read",
    1003,
    "sonar",
    reply({ search_context_size: "low" }),
    {},
    ["sonar_search_low", "1", "2500"],
  ],
  [
    "Perplexity, a dearer model",
    1003,
    "sonar-pro",
    reply({ search_context_size: "high" }),
    {},
    ["sonar_search_high", "1", "7000"],
  ],
  [
    "Perplexity, deep research",
    1003,
    "sonar-deep-research",
    reply({ citation_tokens: 9, num_search_queries: 4, search_context_size: "low" }),
    {},
    ["sonar_query", "4", "10000"],
  ],
  [
    "OpenRouter, by Exa",
    20,
    "deepseek/v3",
    reply({}, { annotations: cited }),
    search,
    ["openrouter_search", "1", "10000"],
  ],
  [
    "OpenRouter, by the maker",
    20,
    "openai/gpt-5",
    reply({}, { annotations: cited }),
    search,
    ["openrouter_search", "1", "5000"],
  ],
  [
    "OpenRouter, as often as it says",
    20,
    "deepseek/v3",
    reply({ server_tool_use: { web_search_requests: 3 } }, { annotations: cited }),
    { plugins: [{ id: "web" }] },
    ["openrouter_search", "3", "30000"],
  ],
  [
    "Zhipu",
    26,
    "glm-5",
    reply({}, {}, { web_search: [{ link: "https://x.example", title: "x" }] }),
    search,
    ["zhipu_search_std", "1", "685"],
  ],
  [
    "Zhipu, by another engine",
    26,
    "glm-5",
    reply({}, {}, { web_search: [{ link: "https://x.example", title: "x" }] }),
    engine,
    ["zhipu_search_pro", "1", "2055"],
  ],
] as const)("%s", async (_name, type, model, answer, request, line) => {
  for (const stream of [false, true]) {
    const relay = start(type, model, () => (stream ? streamed(answer) : Response.json(answer)));
    await (await relay.post("/v1/chat/completions", { model, messages, stream, ...request })).text();
    await relay.billing.nextRecord();
    expect(linesOf(relay)).toEqual([...TOKENS, [...line]]);
  }
});

test.each([
  ["ernie-4.0-8k", [["qianfan_search", "1", "548"]]],
  // No list says what a search costs there.
  ["ernie-5.0", []],
])("%s: Qianfan reports how much it found", async (model, lines) => {
  const answer = reply({ prompt_tokens_details: { search_tokens: 30 } });
  const relay = start(46, model, () => Response.json(answer));
  await relay.post("/v1/chat/completions", { model, messages, ...search });
  expect(linesOf(relay)).toEqual([...TOKENS, ...lines]);
});

test("an answer without a search, and pages that nobody asked for, cost nothing", async () => {
  for (const [answer, request] of [
    [reply(), search],
    [reply({}, { annotations: cited }), {}],
  ] as const) {
    const relay = start(20, "deepseek/v3", () => Response.json(answer));
    await relay.post("/v1/chat/completions", { model: "deepseek/v3", messages, ...request });
    expect(linesOf(relay)).toEqual(TOKENS);
  }
});

test("Claude's clients pay for OpenRouter's search as well", async () => {
  const relay = start(20, "deepseek/v3", () => Response.json(reply({}, { annotations: cited })));
  const tools = [{ type: "web_search_20250305", name: "web_search" }];
  await relay.post("/v1/messages", { model: "deepseek/v3", max_tokens: 9, messages, tools });
  expect(linesOf(relay)).toEqual([...TOKENS, ["openrouter_search", "1", "10000"]]);
});

test.each([
  ["gemini-2.5-flash", "12500"],
  ["gemini-3-flash", "7000"],
])("%s: an answer that rests on Google's maps", async (model, amount) => {
  const maps = { uri: "https://maps.example/1", title: "Museum", placeId: "places/1" };
  const content = { role: "model", parts: [{ text: "Hi" }] };
  const groundingMetadata = { groundingChunks: [{ maps }, { maps }] };
  const relay = start(24, model, () =>
    Response.json({
      candidates: [{ index: 0, content, finishReason: "STOP", groundingMetadata }],
      usageMetadata: { promptTokenCount: 60, candidatesTokenCount: 40, totalTokenCount: 100 },
    }),
  );
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  await relay.post(`/v1beta/models/${model}:generateContent`, { contents, tools: [{ googleMaps: {} }] });
  expect(linesOf(relay)).toEqual([...TOKENS, ["google_maps", "1", amount]]);
});

test("xAI's searches and runs of code, each at its own price", async () => {
  const output = [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "gate" } },
    { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1", outputs: [] },
    { type: "code_interpreter_call", id: "ci_2", status: "completed", code: "2", outputs: [] },
    { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
  ];
  const usage = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
  const response = { id: "r", object: "response", status: "completed", model: "grok-4.6", output, usage };
  const relay = start(48, "grok-4.6", () => Response.json(response));
  await relay.post("/v1/responses", { model: "grok-4.6", input: "hi", tools: [{ type: "web_search" }] });
  expect(linesOf(relay)).toEqual([...TOKENS, ["web_search", "1", "2500"], ["code_interpreter", "2", "5000"]]);
});
