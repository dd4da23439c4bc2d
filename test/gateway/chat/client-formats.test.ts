import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Upstream = ReturnType<typeof startUpstream>;
type Family = "openai" | "anthropic" | "gemini";

const TYPES: Record<Family, number> = { openai: 1, anthropic: 14, gemini: 24 };
const sse = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });
const events = (list: readonly { type?: string }[]) =>
  list.map((data) => `${data.type ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`).join("");

/** Answers of three families: a thought, a text and a call, whole and streamed. */
const answers: Record<Family, (streamed: boolean) => Response> = {
  openai(streamed) {
    const common = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" };
    const usage = {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 5 },
    };
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Ghent"}' } };
    if (!streamed) {
      const message = { role: "assistant", content: "Let me look.", reasoning_content: "Hm.", tool_calls: [call] };
      return Response.json({
        ...common,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "tool_calls" }],
        usage,
      });
    }
    const chunk = (delta: object, finish: string | null = null) => ({
      ...common,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const chunks = [
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "Hm." }),
      chunk({ content: "Let me " }),
      chunk({ content: "look." }),
      chunk({ tool_calls: [{ index: 0, ...call, function: { name: "weather", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Ghent"}' } }] }),
      chunk({}, "tool_calls"),
      { ...common, choices: [], usage },
    ];
    return sse(`${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`);
  },
  anthropic(streamed) {
    const usage = { input_tokens: 15, cache_read_input_tokens: 5, cache_creation_input_tokens: 0, output_tokens: 9 };
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Ghent" } },
    ];
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m" };
    if (!streamed) return Response.json({ ...message, content, stop_reason: "tool_use", stop_sequence: null, usage });
    return sse(
      events([
        {
          type: "message_start",
          message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } },
        } as object,
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "thinking", thinking: "", signature: "" },
        } as object,
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } } as object,
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } } as object,
        { type: "content_block_stop", index: 0 } as object,
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } } as object,
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me look." } } as object,
        { type: "content_block_stop", index: 1 } as object,
        {
          type: "content_block_start",
          index: 2,
          content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
        } as object,
        {
          type: "content_block_delta",
          index: 2,
          delta: { type: "input_json_delta", partial_json: '{"city":"Ghent"}' },
        } as object,
        { type: "content_block_stop", index: 2 } as object,
        {
          type: "message_delta",
          delta: { stop_reason: "tool_use", stop_sequence: null },
          usage: { output_tokens: 9 },
        } as object,
        { type: "message_stop" },
      ]),
    );
  },
  gemini(streamed) {
    const parts = [
      { text: "Hm.", thought: true },
      { text: "Let me look." },
      { functionCall: { name: "weather", args: { city: "Ghent" } }, thoughtSignature: "Z2Vt" },
    ];
    const usageMetadata = {
      promptTokenCount: 20,
      cachedContentTokenCount: 5,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 2,
      totalTokenCount: 29,
    };
    const answer = (some: object[], finishReason?: string) => ({
      candidates: [{ content: { role: "model", parts: some }, index: 0, ...(finishReason && { finishReason }) }],
      usageMetadata,
      modelVersion: "m",
      responseId: "r1",
    });
    if (!streamed) return Response.json(answer(parts, "STOP"));
    const list = parts.map((part, at) => answer([part], at === parts.length - 1 ? "STOP" : undefined));
    return sse(list.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(""));
  },
};

function start(family: Family) {
  const upstream: Upstream = startUpstream(({ path, text }) => {
    if (path.endsWith("/responses")) return new Response("404 page not found", { status: 404 });
    const streamed =
      family === "gemini" ? path.includes(":stream") : (JSON.parse(text) as { stream?: boolean }).stream === true;
    return answers[family](streamed);
  });
  const relay = startRelay({
    channels: [{ type: TYPES[family], baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  return { relay, upstream };
}

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const requests = {
  chat: (stream: boolean) => ({
    path: "/v1/chat/completions",
    body: {
      model: "m",
      stream,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather in Ghent?" },
      ],
      tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
    },
  }),
  messages: (stream: boolean) => ({
    path: "/v1/messages",
    body: {
      model: "m",
      stream,
      max_tokens: 500,
      system: "Be brief.",
      messages: [{ role: "user", content: "Weather in Ghent?" }],
      tools: [{ name: "weather", input_schema: schema }],
    },
  }),
  responses: (stream: boolean) => ({
    path: "/v1/responses",
    body: {
      model: "m",
      stream,
      instructions: "Be brief.",
      input: "Weather in Ghent?",
      tools: [{ type: "function", name: "weather", parameters: schema }],
    },
  }),
  gemini: (stream: boolean) => ({
    path: `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Weather in Ghent?" }] }],
      tools: [{ functionDeclarations: [{ name: "weather", parameters: schema }] }],
    },
  }),
} as const;

type ClientFormat = keyof typeof requests;
const CLIENT_FORMATS = Object.keys(requests) as ClientFormat[];
const FAMILIES = Object.keys(TYPES) as Family[];
const PAIRS = CLIENT_FORMATS.flatMap((client) => FAMILIES.map((family) => [client, family] as const));

/** What an answer says in its client format: text, thought, and the call. */
const WORDS: Record<ClientFormat, (answer: string) => boolean> = {
  chat: (text) => /"finish_reason":"tool_calls"/.test(text) && text.includes('"name":"weather"'),
  messages: (text) => /"stop_reason":"tool_use"/.test(text) && text.includes('"name":"weather"'),
  responses: (text) => text.includes('"type":"function_call"') && text.includes('"status":"completed"'),
  gemini: (text) => text.includes('"functionCall"') && text.includes('"finishReason":"STOP"'),
};

describe.each(PAIRS)("clients of %s onto %s", (client, family) => {
  test.each([false, true])("brings text, thought, call and usage (streamed: %p)", async (streamed) => {
    const { relay, upstream } = start(family);
    const { path, body } = requests[client](streamed);
    const response = await relay.post(path, body);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain("Hm.");
    expect(text.replace(/"(,"logprobs":(\[\]|null))?[^"]*\}[\s\S]*?"(delta|content|text)":"/g, "")).toContain("look.");
    expect(WORDS[client](text)).toBe(true);
    const sent = upstream.received.at(-1)?.text ?? "";
    expect(sent).toContain("Be brief.");
    expect(sent).toContain("Weather in Ghent?");
    expect(sent).toContain('"city"');
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ promptTokens: 20, completionTokens: 9, isStream: streamed });
    expect(record.other).toMatchObject({ cache_tokens: 5, usage_evidence: "reported", ending: "complete" });
  });
});

test.each([
  ["/v1/messages", { type: "error", error: { type: "invalid_request_error" } }, { model: "m", max_tokens: 5 }],
  ["/v1/responses", { error: { type: "invalid_request_error" } }, { model: "m" }],
  ["/v1beta/models/m:generateContent", { error: { code: 400, status: "INVALID_ARGUMENT" } }, {}],
])("%s reports what is wrong in its own format", async (path, expected, body) => {
  const { relay } = start("openai");
  const response = await relay.post(path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject(expected);
});

test("keys are taken where each format's clients put them", async () => {
  const { relay } = start("anthropic");
  const anthropic = requests.messages(false);
  const named = await relay.post(anthropic.path, anthropic.body, {
    headers: { authorization: "", "x-api-key": "sk-test" },
  });
  expect(named.status).toBe(200);
  const gemini = requests.gemini(false);
  const queried = await fetch(`${relay.url}${gemini.path}?key=sk-test`, {
    method: "POST",
    body: JSON.stringify(gemini.body),
  });
  expect(queried.status).toBe(200);
});

test("an array stream of Gemini's is one JSON text", async () => {
  const { relay } = start("openai");
  const response = await relay.post("/v1beta/models/m:streamGenerateContent", requests.gemini(true).body);
  const list = JSON.parse(await response.text()) as { candidates: { finishReason?: string }[] }[];
  expect(list.at(-1)?.candidates[0]?.finishReason).toBe("STOP");
});

test("a call in the upstream's own format goes as its bytes came, both ways", async () => {
  const { relay, upstream } = start("anthropic");
  const { path, body } = requests.messages(true);
  const sent = JSON.stringify(body, null, 1);
  const response = await relay.post(path, sent);
  expect(await response.text()).toBe(await answers.anthropic(true).text());
  expect(upstream.received[0]?.text).toBe(sent);
});
