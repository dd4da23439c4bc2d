/** Vertex AI serves models of several makers, each at an address and in a format of its own. */
import { afterEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { providerOf } from "../../../../src/providers/registry.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const PEM = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
const account = (site = "https://oauth2.googleapis.com") =>
  JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: crypto.randomUUID(),
    private_key: PEM,
    client_email: "c@p.example",
    token_uri: `${site}/token`,
  });

function start(model: string, answer: (body: Record<string, unknown>) => Response, other = "us-east5") {
  const upstream = startUpstream(({ path, text }) =>
    path === "/token" ? Response.json({ access_token: "t", expires_in: 3600 }) : answer(JSON.parse(text)),
  );
  const channel = { type: 41, baseUrl: upstream.url, keys: [account(upstream.url)], models: [model], other };
  const relay = startRelay({ channels: [channel], options: { ModelRatio: JSON.stringify({ [model]: 1 }) } });
  stops.push(relay.stop, upstream.stop);
  const calls = () => upstream.received.filter(({ path }) => path !== "/token");
  return { relay, sent: () => JSON.parse(calls().at(-1)?.text ?? "null"), path: () => calls().at(-1)?.path, calls };
}

const LOCATION = "/v1/projects/p/locations/us-east5";

describe.each([
  ["meta/llama-4-maverick-17b-128e-instruct-maas", "meta/llama-4-maverick-17b-128e-instruct-maas"],
  ["deepseek-ai/deepseek-v3.2-maas", "deepseek-ai/deepseek-v3.2-maas"],
  ["qwen3-235b-a22b-instruct-2507-maas", "qwen/qwen3-235b-a22b-instruct-2507-maas"],
  ["zai-org/glm-4.7-maas", "zai-org/glm-4.7-maas"],
  ["gpt-oss-120b-maas", "openai/gpt-oss-120b-maas"],
  ["xai/grok-4.1-fast-reasoning", "xai/grok-4.1-fast-reasoning"],
  ["kimi-k2-thinking-maas", "moonshotai/kimi-k2-thinking-maas"],
  ["minimax-m2-maas", "minimaxai/minimax-m2-maas"],
  ["llama-3.3-70b-instruct-maas", "meta/llama-3.3-70b-instruct-maas"],
])("%s", (model, named) => {
  test("is called in OpenAI's format, by its maker's name, and charged as reported", async () => {
    const { relay, sent, path, calls } = start(model, () => Response.json(chatReply()));
    const chat = await relay.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hi" }] });
    expect([chat.status, (await chat.json()).choices[0].message.content]).toEqual([200, "Hello there"]);
    expect([path(), sent().model]).toEqual([`${LOCATION}/endpoints/openapi/chat/completions`, named]);
    expect(calls()[0]?.headers.get("authorization")).toBe("Bearer t");
    const ask = { model, max_tokens: 20, messages: [{ role: "user", content: "Hi" }] };
    const message = await relay.post("/v1/messages", ask);
    expect(await message.json()).toMatchObject({ content: [{ type: "text", text: "Hello there" }] });
    expect(sent()).toMatchObject({ model: named, max_tokens: 20 });
    const { usage } = chatReply();
    expect(relay.billing.records).toMatchObject(
      Array(2).fill({ promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }),
    );
  });
});

test.each([false, true])("Mistral's models have an address each, and strict bodies (stream: %p)", async (stream) => {
  const model = "mistral-medium-3";
  const first = {
    id: "1",
    object: "chat.completion.chunk",
    model,
    choices: [{ index: 0, delta: { content: "Hello" } }],
  };
  const last = { ...first, choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: chatReply().usage };
  const events = `data: ${JSON.stringify(first)}\n\ndata: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`;
  const { relay, sent, path } = start(model, () =>
    stream ? new Response(events, { headers: { "content-type": "text/event-stream" } }) : Response.json(chatReply()),
  );
  const answer = await relay.post("/v1/chat/completions", {
    ...{ model, stream, seed: 7, user: "u", max_completion_tokens: 9, stream_options: { include_usage: true } },
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "call_1", content: "1" },
    ],
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Hello")]);
  expect(path()).toBe(
    `${LOCATION}/publishers/mistralai/models/mistral-medium-3:${stream ? "streamRawPredict" : "rawPredict"}`,
  );
  expect(sent()).toMatchObject({ model, max_tokens: 9, random_seed: 7, ...(stream && { stream }) });
  expect(Object.keys(sent())).not.toContain("stream_options");
  expect(Object.keys(sent())).not.toContain("user");
  const [, called, result] = sent().messages;
  expect(called.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(result.tool_call_id).toBe(called.tool_calls[0].id);
  expect(relay.billing.records).toMatchObject([{ promptTokens: chatReply().usage.prompt_tokens, isStream: stream }]);
});

test.each([false, true])("AI21's models have an address each, too (stream: %p)", async (stream) => {
  const model = "jamba-1.5-large";
  const events = chunk({ content: "Hello" }) + usageChunk() + DONE;
  const { relay, sent, path } = start(model, () => (stream ? sse(events) : Response.json(chatReply())));
  const messages = [{ role: "user", content: "Hi" }];
  const answer = await relay.post("/v1/messages", { model, stream, max_tokens: 9, messages });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Hello")]);
  expect(path()).toBe(
    `${LOCATION}/publishers/ai21/models/jamba-1.5-large:${stream ? "streamRawPredict" : "rawPredict"}`,
  );
  expect(sent()).toMatchObject({ model, max_tokens: 9, messages });
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = chatReply().usage;
  expect(relay.billing.records).toMatchObject([{ promptTokens, completionTokens, isStream: stream }]);
});

describe("addresses", () => {
  const urlOf = (model: string, other: string, key = account()) => {
    const vertex = providerOf(41);
    const dialect = vertex?.chat?.formatOf(model, key) ?? "gemini";
    const ask = { capability: "chat", dialect, model, stream: false, key } as const;
    return vertex?.url({ baseUrl: "", other, openaiOrganization: "" }, ask);
  };

  test.each([
    ["meta/llama-x-maas", "us-east5", "us-east5-aiplatform.googleapis.com", "us-east5"],
    ["gpt-oss-20b-maas", "global", "aiplatform.googleapis.com", "global"],
    ["gpt-oss-20b-maas", "", "aiplatform.googleapis.com", "global"],
    [
      "qwen/q-maas",
      '{"default":"global","qwen/q-maas":"us-south1"}',
      "us-south1-aiplatform.googleapis.com",
      "us-south1",
    ],
    ["gpt-oss-20b-maas", "eu", "aiplatform.eu.rep.googleapis.com", "eu"],
  ])("%s in %p", (model, other, host, location) => {
    expect(urlOf(model, other)).toBe(
      `https://${host}/v1/projects/p/locations/${location}/endpoints/openapi/chat/completions`,
    );
  });

  test("Google's and Anthropic's models stay where they are, and an express key needs no region", () => {
    const publishers = "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers";
    expect(urlOf("gemini-2.5-pro", "global")).toBe(`${publishers}/google/models/gemini-2.5-pro:generateContent`);
    expect(urlOf("claude-opus-5", "global")).toBe(`${publishers}/anthropic/models/claude-opus-5:rawPredict`);
    expect(urlOf("gemini-2.5-pro", "", "AIza-express")).toBe(
      "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent",
    );
  });
});

describe("files by https", () => {
  const model = "gemini-2.5-pro";
  const reply = {
    candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
  };
  const file = { fileUri: "https://files.example.invalid/film.mp4", mimeType: "video/mp4" };
  const ask = (parts: object[]) => ({ contents: [{ role: "user", parts }] });

  test.each([
    ["unchanged", [{ text: "What is it?" }, { fileData: file }]],
    // The text without a role-bound shape is written again.
    ["written again", [{ text: "What is it?" }, { fileData: file }, { text: "", thought: true }]],
  ])("go to Vertex, which fetches them (%s)", async (_, parts) => {
    const { relay, sent } = start(model, () => Response.json(reply));
    const answer = await relay.post(`/v1beta/models/${model}:generateContent`, ask(parts));
    expect(answer.status).toBe(200);
    expect(JSON.stringify(sent())).toContain(JSON.stringify({ fileData: file }).slice(1, -1));
  });

  test("without a media type they must be fetched, which fails here", async () => {
    const { relay, calls } = start(model, () => Response.json(reply));
    const answer = await relay.post(
      `/v1beta/models/${model}:generateContent`,
      ask([{ fileData: { fileUri: file.fileUri } }]),
    );
    expect(answer.status).toBe(400);
    expect(calls()).toEqual([]);
  });
});
