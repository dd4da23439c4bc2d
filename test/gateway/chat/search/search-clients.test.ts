/** The official clients read what a search that their format does not speak has found, streamed, and continue the conversation. */
import { afterEach, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { streamText } from "ai";
import OpenAI from "openai";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../../support/gateway/start-upstream.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const TEXT = "It rains in Gänt 🌧.";
const URL = "https://meteo.example/ghent";
const QUERY = "weather ghent";

const named = (list: readonly Readonly<{ type: string; [member: string]: unknown }>[]) =>
  sse(list.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join(""));

function google(): Response {
  const grounding = {
    webSearchQueries: [QUERY],
    groundingChunks: [{ web: { uri: URL, title: "Meteo" } }],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: Buffer.byteLength(TEXT), text: TEXT }, groundingChunkIndices: [0] },
    ],
  };
  const piece = (text: string) => ({ candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }] });
  const end = { index: 0, finishReason: "STOP", groundingMetadata: grounding };
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
  const list = [piece(TEXT.slice(0, 5)), piece(TEXT.slice(5)), { candidates: [end], usageMetadata }];
  return sse(list.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(""));
}

function claude(): Response {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
  const block = (index: number, content_block: object, ...deltas: object[]) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const page = { type: "web_search_result", url: URL, title: "Meteo", encrypted_content: "RQ==", page_age: null };
  const citation = {
    type: "web_search_result_location",
    url: URL,
    title: "Meteo",
    cited_text: "",
    encrypted_index: "Z",
  };
  return named([
    { type: "message_start", message: { ...message, usage: { input_tokens: 5, output_tokens: 1 } } },
    ...block(
      0,
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify({ query: QUERY }) },
    ),
    ...block(1, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] }),
    ...block(2, { type: "text", text: "" }, { type: "citations_delta", citation }, { type: "text_delta", text: TEXT }),
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 3, server_tool_use: { web_search_requests: 1 } },
    },
    { type: "message_stop" },
  ]);
}

function openai(): Response {
  const call = {
    ...{ id: "ws_1", type: "web_search_call", status: "completed" },
    action: { type: "search", query: QUERY, queries: [QUERY], sources: [{ type: "url", url: URL }] },
  };
  const annotation = { type: "url_citation", url: URL, title: "Meteo", start_index: 0, end_index: TEXT.length };
  const part = { type: "output_text", text: TEXT, annotations: [annotation] };
  const item = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [part] };
  const at = { item_id: "msg_1", output_index: 1, content_index: 0 };
  const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "m",
    status: "completed",
    output: [call, item],
  };
  return named([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...call, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item: call },
    { type: "response.output_item.added", output_index: 1, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...at, part: { ...part, text: "", annotations: [] } },
    { type: "response.output_text.delta", ...at, delta: TEXT },
    { type: "response.output_text.annotation.added", ...at, annotation_index: 0, annotation },
    { type: "response.output_text.done", ...at, text: TEXT },
    { type: "response.content_part.done", ...at, part },
    { type: "response.output_item.done", output_index: 1, item },
    { type: "response.completed", response: { ...response, usage } },
  ]);
}

const UPSTREAMS = [
  ["Gemini", 24, google],
  ["Claude", 14, claude],
  ["OpenAI", 1, openai],
] as const;
const MODELS = { 24: "gemini-3-flash", 14: "claude-sonnet-5", 1: "gpt-5" } as const;

function start(type: 1 | 14 | 24, answer: () => Response) {
  const model = MODELS[type];
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(upstream.stop, relay.stop);
  return { relay, model, sent: () => upstream.received.at(-1)?.text ?? "" };
}

describe.each(UPSTREAMS)("what %s's search found is read by", (_name, type, answer) => {
  test("Anthropic's client, which brings it back", async () => {
    const { relay, model, sent } = start(type, answer);
    const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
    const ask = {
      model,
      max_tokens: 99,
      tools: [{ type: "web_search_20250305" as const, name: "web_search" as const }],
    };
    const question = { role: "user" as const, content: "Rain?" };
    const { content } = await client.messages.stream({ ...ask, messages: [question] }).finalMessage();
    expect(content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")).toBe(TEXT);
    expect(content.find((block) => block.type === "server_tool_use")?.input).toEqual({ query: QUERY });
    const cited = content.flatMap((block) => (block.type === "text" ? (block.citations ?? []) : []));
    expect(cited).toMatchObject([{ type: "web_search_result_location", url: URL }]);
    const messages = [question, { role: "assistant" as const, content }, { role: "user" as const, content: "And?" }];
    await client.messages.stream({ ...ask, messages }).finalMessage();
    expect(sent()).toContain(JSON.stringify(TEXT).slice(1, -1));
    expect(sent()).not.toContain("sluice~");
  });

  test("OpenAI's client, in Responses, which brings it back, and in chats", async () => {
    const { relay, model, sent } = start(type, answer);
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const ask = { model, tools: [{ type: "web_search" as const }] };
    const stream = client.responses.stream({ ...ask, input: "Rain?" });
    const response = await stream.finalResponse();
    expect(response.output_text).toBe(TEXT);
    const call = response.output.find((item) => item.type === "web_search_call");
    expect(call).toMatchObject({ status: "completed", action: { type: "search", query: QUERY } });
    expect(JSON.stringify(response.output)).toContain(`"url_citation","url":"${URL}"`);
    const input = [
      { role: "user" as const, content: "Rain?" },
      ...response.output,
      { role: "user" as const, content: "?" },
    ];
    await client.responses.stream({ ...ask, input: input as OpenAI.Responses.ResponseInput }).finalResponse();
    expect(sent()).toContain(JSON.stringify(TEXT).slice(1, -1));
    expect(sent()).not.toContain("sluice~");
    if (type === 1) return;
    const chat = client.chat.completions.stream({
      ...{ model, messages: [{ role: "user", content: "Rain?" }], web_search_options: {} },
    });
    const [choice] = (await chat.finalChatCompletion()).choices;
    expect(choice?.message.content).toBe(TEXT);
  });

  test("Google's client", async () => {
    const { relay, model } = start(type, answer);
    const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
    const config = { tools: [{ googleSearch: {} }] };
    let text = "";
    let found: unknown = null;
    for await (const piece of await client.models.generateContentStream({ model, contents: "Rain?", config })) {
      text += piece.text ?? "";
      found = piece.candidates?.[0]?.groundingMetadata ?? found;
    }
    expect(text).toBe(TEXT);
    expect(found).toMatchObject({ webSearchQueries: [QUERY], groundingChunks: [{ web: { uri: URL } }] });
  });

  test.each([
    ["Anthropic", (url: string, model: string) => createAnthropic({ apiKey: "sk-test", baseURL: `${url}/v1` })(model)],
    [
      "OpenAI",
      (url: string, model: string) => createOpenAI({ apiKey: "sk-test", baseURL: `${url}/v1` }).responses(model),
    ],
  ])("the ai library as %s", async (_client, modelAt) => {
    const { relay, model } = start(type, answer);
    const anthropicTools = { web_search: createAnthropic({ apiKey: "x" }).tools.webSearch_20250305() };
    const openaiTools = { web_search: createOpenAI({ apiKey: "x" }).tools.webSearch() };
    const tools = _client === "OpenAI" ? openaiTools : anthropicTools;
    const { text, sources } = streamText({ model: modelAt(relay.url, model), prompt: "Rain?", tools, maxRetries: 0 });
    expect(await text).toBe(TEXT);
    expect((await sources).map((source) => (source.sourceType === "url" ? source.url : ""))).toContain(URL);
  });
});
