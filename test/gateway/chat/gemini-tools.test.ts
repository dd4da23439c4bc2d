/** Tools that Google runs itself next to a client's functions, through every format of its clients. */
import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const SEARCHED = [
  {
    toolCall: { toolType: "GOOGLE_SEARCH_WEB", id: "tool_1", args: { queries: ["northernmost city"] } },
    thoughtSignature: "c2VhcmNo",
  },
  {
    toolResponse: { toolType: "GOOGLE_SEARCH_WEB", id: "tool_1", response: { found: "Utqiaġvik" } },
    thoughtSignature: "Zm91bmQ=",
  },
];
const CALLED = {
  functionCall: { id: "fc_1", name: "weather", args: { city: "Utqiaġvik" } },
  thoughtSignature: "Y2FsbGVk",
};
const ANSWER = "It snows in Utqiaġvik.";
const usageMetadata = { promptTokenCount: 30, candidatesTokenCount: 5, totalTokenCount: 35 };

/** What Google's API objects to in a request; null: nothing. */
function objection(body: JsonObject): string | null {
  const tools = recordsOf(body.tools);
  const isMixed = tools.some((tool) => tool.functionDeclarations) && tools.some((tool) => !tool.functionDeclarations);
  const config = recordOf(body.toolConfig);
  if (!isMixed) return null;
  if (config?.includeServerSideToolInvocations !== true)
    return "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
  if (recordOf(config.functionCallingConfig)?.mode === "AUTO") return "AUTO is not supported with server side tools.";
  const parts = recordsOf(body.contents).flatMap((content) => recordsOf(content.parts));
  const answered = recordOf(parts.find((part) => part.functionResponse)?.functionResponse);
  if (!answered) return null;
  if (JSON.stringify(parts.filter((part) => part.toolCall ?? part.toolResponse)) !== JSON.stringify(SEARCHED))
    return "Tool calls and responses must be circulated.";
  const call = recordOf(parts.find((part) => part.functionCall)?.functionCall);
  if (call?.id !== "fc_1" || answered.id !== "fc_1") return "Ids of function calls and responses must match.";
  return null;
}

/** Google's API, as far as these tests need it. */
function startGoogle() {
  const upstream = startUpstream(({ path, text }) => {
    const message = objection(JSON.parse(text));
    if (message) return Response.json({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }, { status: 400 });
    const isAnswered = text.includes("functionResponse");
    const parts = isAnswered ? [{ text: ANSWER }] : [...SEARCHED, CALLED];
    const answer = (some: readonly object[], finishReason?: string) => ({
      candidates: [{ content: { role: "model", parts: some }, index: 0, ...(finishReason && { finishReason }) }],
      usageMetadata,
    });
    if (!path.includes(":stream")) return Response.json(answer(parts, "STOP"));
    const pieces = parts.map((part, at) => answer([part], at === parts.length - 1 ? "STOP" : undefined));
    return sse(pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join(""));
  });
  stops.push(upstream.stop);
  return upstream;
}

function start(type: number, model = "gemini-3-pro-preview") {
  const upstream = startGoogle();
  const channel = { type, baseUrl: upstream.url, models: [model], keys: ["key"] };
  const relay = startRelay({ channels: [channel], options: { ModelRatio: `{"${model}": 1}`, RetryTimes: "0" } });
  stops.push(relay.stop);
  return { upstream, relay, model, sent: () => JSON.parse(upstream.received.at(-1)?.text ?? "") };
}

const parameters = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };
const QUESTION = "How is the weather in the northernmost city?";

/** Each client asks, answers the call with everything it received, and reads the end: the headers of its first answer. */
async function askResponses(url: string, model: string, stream: boolean): Promise<Headers> {
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
  const function_ = { type: "function" as const, name: "weather", parameters, strict: false };
  const common = { model, store: false, include: ["reasoning.encrypted_content" as const] };
  const tools = [{ type: "web_search" as const }, function_];
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: QUESTION }];
  const ask = async () => {
    const request = { ...common, tools, tool_choice: "auto" as const, input };
    if (!stream) return await client.responses.create(request);
    return await client.responses.stream(request).finalResponse();
  };
  const first = await ask();
  const call = first.output.flatMap((item) => (item.type === "function_call" ? [item] : []))[0];
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
  input.push({ type: "function_call_output", call_id: call?.call_id ?? "", output: "snow" });
  expect((await ask()).output_text).toBe(ANSWER);
  const { response } = await client.responses.create({ ...common, tools, input: QUESTION }).withResponse();
  return response.headers;
}

async function askMessages(url: string, model: string, stream: boolean): Promise<Headers> {
  const client = new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });
  const search = { type: "web_search_20250305", name: "web_search" } as const;
  const common = { model, max_tokens: 999, tools: [search, { name: "weather", input_schema: parameters }] };
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
  const ask = () =>
    stream
      ? client.messages.stream({ ...common, messages }).finalMessage()
      : client.messages.create({ ...common, messages });
  const first = await ask();
  const use = first.content.find((block) => block.type === "tool_use");
  messages.push({ role: "assistant", content: first.content });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use?.id ?? "", content: "snow" }] });
  expect((await ask()).content).toMatchObject([{ type: "text", text: ANSWER }]);
  const { response } = await client.messages.create({ ...common, messages: messages.slice(0, 1) }).withResponse();
  return response.headers;
}

/** `keeps`: brings `reasoning_details` back; a client that knows OpenAI's own members alone does not. */
const askChat =
  (keeps: boolean) =>
  async (url: string, model: string, stream: boolean): Promise<Headers> => {
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
    const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
    const common = { model, tools, web_search_options: {} };
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
    const ask = async () => {
      if (!stream) return (await client.chat.completions.create({ ...common, messages })).choices[0]?.message;
      const runner = client.chat.completions.stream({ ...common, messages });
      const details: JsonObject[] = [];
      runner.on("chunk", ({ choices }) => details.push(...recordsOf(recordOf(choices[0]?.delta)?.reasoning_details)));
      const final = (await runner.finalChatCompletion()).choices[0]?.message;
      return final && { ...final, reasoning_details: details };
    };
    const first = await ask();
    const call = first?.tool_calls?.[0];
    const { content = null, tool_calls = [] } = first ?? {};
    const reasoning = keeps ? { reasoning_details: recordsOf(recordOf(first)?.reasoning_details) } : {};
    messages.push({ role: "assistant", content, tool_calls, ...reasoning });
    messages.push({ role: "tool", tool_call_id: call?.id ?? "", content: "snow" });
    expect((await ask())?.content).toBe(ANSWER);
    const request = { ...common, messages: messages.slice(0, 1) };
    const { response } = await client.chat.completions.create(request).withResponse();
    return response.headers;
  };

const CLIENTS = [
  ["Responses (web_search)", askResponses],
  ["Messages (web_search_20250305)", askMessages],
  ["chat (web_search_options), with reasoning", askChat(true)],
  ["chat (web_search_options), without reasoning", askChat(false)],
] as const;

describe.each([...CLIENTS])("%s", (_, run) => {
  test.each([false, true])("searches next to functions on Gemini 3's API (stream: %p)", async (stream) => {
    const { upstream, relay, model } = start(24);
    const headers = await run(relay.url, model, stream);
    expect(headers.get("x-sluice-dropped")).toBeNull();
    for (const { text } of upstream.received) {
      const body = JSON.parse(text);
      expect(body.tools).toHaveLength(2);
      expect(body.toolConfig.includeServerSideToolInvocations).toBe(true);
    }
    // The query of the turn that called the function is charged, too.
    const record = await relay.billing.nextRecord();
    expect(JSON.stringify(record.other)).toContain("google_search");
  });

  test("the search is left out, and named, before Gemini 3", async () => {
    const { upstream, relay, model } = start(24, "gemini-2.5-flash");
    const headers = await run(relay.url, model, false);
    expect(headers.get("x-sluice-dropped")).toMatch(/web_search/);
    for (const { text } of upstream.received) {
      const body = JSON.parse(text);
      expect(body.tools).toHaveLength(1);
      expect(text).not.toContain("includeServerSideToolInvocations");
      expect(text).not.toContain("toolResponse");
    }
  });
});

test("the search is left out, and named, on Vertex AI", async () => {
  const { relay, model, sent } = start(41);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const tools = [
    { type: "web_search" as const },
    { type: "function" as const, name: "weather", parameters, strict: false },
  ];
  const { response } = await client.responses.create({ model, input: QUESTION, tools }).withResponse();
  expect(response.headers.get("x-sluice-dropped")).toContain("web_search");
  expect(sent().tools).toHaveLength(1);
  expect(sent().toolConfig).toBeUndefined();
});

describe("the mode of calling functions next to a search", () => {
  const modes = [
    [undefined, undefined],
    ["auto", "VALIDATED"],
    ["required", "ANY"],
    [{ type: "function", name: "weather" }, "ANY"],
  ] as const;
  test.each(modes)("tool_choice %j → %s", async (tool_choice, mode) => {
    const { relay, model, sent } = start(24);
    const tools = [{ type: "web_search" }, { type: "function", name: "weather", parameters }];
    const body = { model, input: QUESTION, tools, tool_choice };
    expect((await relay.post("/v1/responses", body)).status).toBe(200);
    const { toolConfig } = sent();
    expect(toolConfig.includeServerSideToolInvocations).toBe(true);
    expect(textOf(toolConfig.functionCallingConfig?.mode) ?? undefined).toBe(mode);
  });

  test("with none there is no search", async () => {
    const { relay, model, sent } = start(24);
    const tools = [{ type: "web_search" }, { type: "function", name: "weather", parameters }];
    await relay.post("/v1/responses", { model, input: QUESTION, tools, tool_choice: "none" });
    expect(sent().tools).toHaveLength(1);
    expect(sent().toolConfig).toEqual({ functionCallingConfig: { mode: "NONE" } });
  });
});

test("Google's own clients get such parts as they are, also where the answer is rewritten", async () => {
  const { relay, model } = start(24);
  const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
  const body = {
    contents,
    tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: "weather" }] }],
    toolConfig: { includeServerSideToolInvocations: true },
  };
  const response = await (await relay.post(`/v1beta/models/${model}:generateContent`, body)).json();
  const streamed = await (await relay.post(`/v1beta/models/${model}:streamGenerateContent`, body)).json();
  for (const pieces of [[response], streamed]) {
    const parts = recordsOf(pieces).flatMap(({ candidates }) =>
      recordsOf(candidates).flatMap(({ content }) => recordsOf(recordOf(content)?.parts)),
    );
    expect(parts.filter((part) => part.toolCall ?? part.toolResponse)).toEqual(SEARCHED);
  }
});
