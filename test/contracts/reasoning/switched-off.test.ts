/** Reasoning that a client switches off is off at each service, in the service's own words, or named as not to be had. */
import { afterAll, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const messages = [{ role: "user", content: "Hi" }];
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];

/** How clients of each format switch it off. */
const CLIENTS: Readonly<Record<string, readonly [path: (model: string) => string, body: JsonObject]>> = {
  "chat, effort none": [() => "/v1/chat/completions", { messages, reasoning_effort: "none" }],
  "chat, thinking disabled": [() => "/v1/chat/completions", { messages, thinking: { type: "disabled" } }],
  "chat, enable_thinking": [() => "/v1/chat/completions", { messages, enable_thinking: false }],
  "chat, OpenRouter's": [() => "/v1/chat/completions", { messages, reasoning: { enabled: false } }],
  messages: [() => "/v1/messages", { messages, max_tokens: 99, thinking: { type: "disabled" } }],
  gemini: [
    (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    { contents, generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  ],
  responses: [() => "/v1/responses", { input: "Hi", reasoning: { effort: "none" } }],
};

const DISABLED = { thinking: { type: "disabled" } };
const TEMPLATE = { chat_template_kwargs: { enable_thinking: false, thinking: false } };
const HYBRID = { enable_thinking: false };
const LOW = { reasoning_effort: "low" };

/** Type, model, what arrives, and whether the response names that the model reasons all the same. */
const SERVICES: readonly (readonly [type: number, model: string, sent: JsonObject, isNamed: boolean, key?: string])[] =
  [
    [4, "qwen3", { think: false }, false],
    [14, "claude-sonnet-4-5", DISABLED, false],
    [14, "claude-fable-5", { output_config: { effort: "low" } }, true],
    [16, "glm-4.6", DISABLED, false, "id.secret"],
    [17, "qwen-plus", HYBRID, false],
    [17, "qwen-max", {}, false],
    [20, "z-ai/glm-4.6", { reasoning: { enabled: false } }, false],
    [23, "hunyuan-a13b", HYBRID, false],
    [23, "hunyuan-a13b", { EnableThinking: false }, false, "app|id|secret"],
    [23, "hunyuan-t1-latest", {}, true],
    [24, "gemini-2.5-flash", { thinkingConfig: { thinkingBudget: 0, includeThoughts: false } }, false],
    [24, "gemini-2.5-pro", { thinkingConfig: { thinkingBudget: 128, includeThoughts: false } }, true],
    [24, "gemini-3-pro-preview", { thinkingConfig: { thinkingLevel: "low", includeThoughts: false } }, true],
    [25, "kimi-k2.5", DISABLED, false],
    [25, "kimi-k2.6", DISABLED, false],
    [25, "kimi-k2.7-code", {}, true],
    [25, "kimi-k3", LOW, true],
    [25, "moonshot-v1-8k", {}, false],
    [26, "glm-4.5-air", DISABLED, false],
    [26, "glm-4.7", DISABLED, false],
    [26, "glm-5.2", DISABLED, false],
    [26, "glm-5.3", { thinking: { type: "enabled" }, ...LOW }, true],
    [33, "claude-sonnet-4-5", DISABLED, false, "key|us-east-1"],
    [34, "command-a-reasoning-08-2025", DISABLED, false],
    [35, "MiniMax-M3", DISABLED, false],
    [35, "MiniMax-M2.5", {}, true],
    [39, "@cf/qwen/qwen3-hybrid", TEMPLATE, false],
    [40, "Qwen/Qwen3-32B", HYBRID, false],
    [40, "Qwen/Qwen3-235B-A22B-Instruct-2507", {}, false],
    [40, "deepseek-ai/DeepSeek-R1", {}, true],
    [42, "mistral-small-latest", { reasoning_effort: "none" }, false],
    [42, "magistral-medium-latest", {}, true],
    [43, "deepseek-v4-pro", DISABLED, false],
    [45, "doubao-seed-1-6-251015", DISABLED, false],
    [45, "doubao-seed-2-0-pro", DISABLED, false],
    [45, "doubao-1-5-pro-32k-250115", {}, false],
    [46, "deepseek-v3.2", DISABLED, false],
    [46, "qwen3-32b", HYBRID, false],
    [46, "ernie-x1-turbo-32k", {}, true],
    [47, "qwen3", TEMPLATE, false],
    [48, "grok-4.3", { reasoning_effort: "none" }, false],
    [48, "grok-3-mini", LOW, true],
    [1000, "openai/gpt-oss-120b", LOW, true],
    [1000, "qwen/qwen3-32b", { reasoning_effort: "none" }, false],
    [1001, "moonshotai/Kimi-K2.5", { reasoning: { enabled: false } }, false],
    [1002, "accounts/fireworks/models/glm-5p2", { reasoning_effort: "none" }, false],
    [1004, "qwen/qwen3-next", TEMPLATE, false],
    [1006, "qwen3-32b", TEMPLATE, false],
    [1006, "gpt-oss-20b", LOW, true],
    [1007, "us.anthropic.claude-sonnet-4-5-20250929-v1:0", DISABLED, false, "key|us-east-1"],
    [1007, "openai.gpt-oss-120b-1:0", LOW, true, "key|us-east-1"],
    [1007, "us.amazon.nova-2-lite-v1:0", { reasoningConfig: { type: "disabled" } }, false, "key|us-east-1"],
  ];

const MEMBERS =
  `reasoning_effort thinking enable_thinking thinking_budget reasoning chat_template_kwargs think EnableThinking
  thinkingConfig reasoningConfig output_config`.split(/\s+/);

/** What a request says of reasoning, wherever the format has it. */
function reasoningIn(text: string): JsonObject {
  const body = recordOf(parseJson(text)) ?? {};
  const places = [body, body.generationConfig, body.additionalModelRequestFields, body.parameters, body.parameter];
  const all: JsonObject = Object.assign({}, ...places.map((place) => recordOf(place) ?? {}));
  return Object.fromEntries(MEMBERS.flatMap((name) => (all[name] == null ? [] : [[name, all[name]]])));
}

/** The client's own words in a service that reads them: they arrive as they are. */
const OWN: Readonly<Record<string, JsonObject>> = {
  "chat, effort none 20 z-ai/glm-4.6": { reasoning_effort: "none" },
  "responses 48 grok-4.3": { reasoning: { effort: "none" } },
  "responses 48 grok-3-mini": { reasoning: { effort: "low" } },
  "chat, enable_thinking 17 qwen-max": { enable_thinking: false },
};

const WITH_CLAUDE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: "end_turn",
};
const usage = { input_tokens: 1, output_tokens: 1 };
/** Responses of services that have not OpenAI's format. */
const RESPONSES: Readonly<Record<number, JsonObject>> = {
  14: { ...WITH_CLAUDE, usage },
  33: { ...WITH_CLAUDE, usage },
  24: { candidates: [{ content: { role: "model", parts: [{ text: "x" }] }, finishReason: "STOP" }] },
  1007: { output: { message: { role: "assistant", content: [{ text: "x" }] } }, stopReason: "end_turn", usage: {} },
};

const RESPONSE = { id: "resp_1", object: "response", status: "completed", model: "m", output: [], usage };

async function callThrough(type: number, model: string, key: string, client: string) {
  const upstream = startUpstream(({ path }) =>
    Response.json(path.endsWith("/responses") ? RESPONSE : (RESPONSES[type] ?? chatReply())),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model], other: type === 39 ? "account" : "" }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  const [path, body] = CLIENTS[client] ?? [];
  const response = await relay.post(path?.(model) ?? "", { model, ...body });
  return {
    sent: reasoningIn(upstream.received[0]?.text ?? ""),
    dropped: response.headers.get("x-sluice-dropped") ?? "",
  };
}

describe.each(Object.keys(CLIENTS))("switched off by %s", (client) => {
  test.each(SERVICES)("type %i, %s", async (type, model, expected, isNamed, key = "secret") => {
    const { sent, dropped } = await callThrough(type, model, key, client);
    // A request in the service's own format and words is the client's business.
    const isOwnFormat = client === "messages" ? type === 14 || type === 33 : client === "gemini" && type === 24;
    if (isOwnFormat) return;
    expect(sent).toEqual(OWN[`${client} ${type} ${model}`] ?? expected);
    if (isNamed) expect(dropped).toMatch(/reasoning|thinking/);
    else expect(dropped).not.toMatch(/reasoning|thinking/);
  });
});

test("an amount in the service's own member passes through as the client wrote it", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  stops.push(upstream.stop);
  for (const [type, model, own] of [
    [25, "kimi-k2.6", { thinking: { type: "enabled", keep: "all" } }],
    [26, "glm-5.2", { thinking: { type: "enabled", clear_thinking: false }, reasoning_effort: "max" }],
    [17, "qwen-plus", { enable_thinking: true, thinking_budget: 77 }],
    [20, "x/y", { reasoning: { effort: "high", exclude: true } }],
    [20, "x/y", { reasoning_effort: "none" }],
    [43, "deepseek-v4-pro", { reasoning_effort: "max" }],
    [1006, "qwen3", { chat_template_kwargs: { enable_thinking: true } }],
  ] as const) {
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, models: [model] }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
    stops.push(relay.stop);
    expect((await relay.post("/v1/chat/completions", { model, messages, ...own })).status).toBe(200);
    expect(reasoningIn(upstream.received.at(-1)?.text ?? "")).toEqual(own);
  }
});
