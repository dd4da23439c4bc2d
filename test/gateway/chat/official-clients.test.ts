/** The official clients hold a conversation with a tool, turn by turn, in each client format onto each family of upstreams. */
import { afterEach, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI, Type } from "@google/genai";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import OpenAI from "openai";
import {
  ANSWER,
  FAMILIES,
  FAMILY_TYPES,
  type Family,
  LOOKING,
  signatureOf,
  startFamily,
  THOUGHT,
} from "../../support/gateway/families.ts";
import { SERVED_FAMILIES, type ServedFamily, startServed } from "../../support/gateway/served-families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A provider of its own kind: what it understood of the last request is what the client meant. */
function startOwn(family: ServedFamily) {
  const { fake, key, base = "", other = "", proof, silentOnCache } = family;
  const upstream = startServed(family);
  const channel = { type: fake.type, baseUrl: upstream.url + base, other, keys: [key?.(upstream.url) ?? fake.key] };
  const relay = startRelay({
    channels: [{ ...channel, models: ["m"], groups: ["default"], modelMapping: new Map([["m", fake.model]]) }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  const broughtBack = () => {
    const { calls = [], results = [] } = upstream.state.understood ?? {};
    expect(calls).toEqual([{ name: "weather", input: { city: "Ghent" } }]);
    expect(results).toMatchObject([{ answers: "weather", text: expect.stringContaining("rainy") }]);
    if (proof) expect(upstream.received.at(-1)?.text).toMatch(proof);
  };
  return { relay, broughtBack, cached: silentOnCache ? 0 : 5 };
}

function start(family: Family) {
  const upstream = startFamily(family);
  const relay = startRelay({
    channels: [{ type: FAMILY_TYPES[family], baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  /** The last request brought the first answer back whole: the call, its result, and what proves the thought. */
  const broughtBack = () => {
    const last = upstream.received.at(-1)?.text ?? "";
    expect(last).toContain("Ghent");
    expect(last).toContain("rainy");
    expect(last).toContain(LOOKING);
    expect(last).toContain(signatureOf(family));
  };
  return { relay, broughtBack, cached: 5 };
}

const ALL = [
  ...FAMILIES.map((family) => [family, () => start(family)] as const),
  ...SERVED_FAMILIES.map((family) => [family.name, () => startOwn(family)] as const),
];

const asCall = (item: OpenAI.Responses.ResponseOutputItem) => (item.type === "function_call" ? item : null);

const schema = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };

describe.each(ALL)("onto %s", (_name, begin) => {
  test.each([false, true])("openai, chat (streamed: %p)", async (streamed) => {
    const { relay, broughtBack } = begin();
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const tools = [{ type: "function" as const, function: { name: "weather", parameters: schema } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather in Ghent?" }];
    const ask = async () => {
      const params = { model: "m", messages, tools };
      if (!streamed) return client.chat.completions.create(params);
      return client.chat.completions.stream(params).finalChatCompletion();
    };
    const first = (await ask()).choices[0];
    expect(first?.finish_reason).toBe("tool_calls");
    const call = first?.message.tool_calls?.[0];
    expect(call).toMatchObject({ type: "function", function: { name: "weather", arguments: '{"city":"Ghent"}' } });
    if (!first || !call) throw new Error("no call");
    expect(first.message).toMatchObject({ reasoning_content: THOUGHT });
    messages.push(first.message, { role: "tool", tool_call_id: call.id, content: "rainy" });
    expect((await ask()).choices[0]?.message.content).toBe(ANSWER);
    broughtBack();
  });

  test.each([false, true])("openai, responses (streamed: %p)", async (streamed) => {
    const { relay, broughtBack, cached } = begin();
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const tools = [{ type: "function" as const, name: "weather", parameters: schema, strict: true }];
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Weather in Ghent?" }];
    const ask = async () => {
      const params = { model: "m", input, tools };
      return streamed ? client.responses.stream(params).finalResponse() : client.responses.create(params);
    };
    const first = await ask();
    expect(first.status).toBe("completed");
    expect(first.usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 9,
      input_tokens_details: { cached_tokens: cached },
    });
    const call = first.output.map(asCall).find((item) => item !== null);
    expect(call).toMatchObject({ name: "weather", arguments: '{"city":"Ghent"}' });
    if (!call) throw new Error("no call");
    input.push(...(first.output as OpenAI.Responses.ResponseInput), {
      type: "function_call_output",
      call_id: call.call_id,
      output: "rainy",
    });
    expect((await ask()).output_text).toBe(ANSWER);
    broughtBack();
  });

  test.each([false, true])("anthropic (streamed: %p)", async (streamed) => {
    const { relay, broughtBack, cached } = begin();
    const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
    const tools = [{ name: "weather", input_schema: schema }];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Weather in Ghent?" }];
    const ask = async () => {
      const params = { model: "m", max_tokens: 500, messages, tools };
      return streamed ? client.messages.stream(params).finalMessage() : client.messages.create(params);
    };
    const first = await ask();
    expect(first.stop_reason).toBe("tool_use");
    expect(first.usage).toMatchObject({
      input_tokens: 20 - cached,
      cache_read_input_tokens: cached,
      output_tokens: 9,
    });
    const call = first.content.find((block) => block.type === "tool_use");
    expect(call).toMatchObject({ name: "weather", input: { city: "Ghent" } });
    if (!call) throw new Error("no call");
    const result = { type: "tool_result" as const, tool_use_id: call.id, content: "rainy" };
    messages.push({ role: "assistant", content: first.content }, { role: "user", content: [result] });
    expect((await ask()).content).toMatchObject([{ type: "text", text: ANSWER }]);
    broughtBack();
  });

  test.each([false, true])("google (streamed: %p)", async (streamed) => {
    const { relay, broughtBack } = begin();
    const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
    const parameters = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] };
    const config = { tools: [{ functionDeclarations: [{ name: "weather", parameters }] }] };
    const contents: Content[] = [{ role: "user", parts: [{ text: "Weather in Ghent?" }] }];
    const ask = async (): Promise<Content> => {
      if (!streamed) {
        const answer = await client.models.generateContent({ model: "m", contents, config });
        return answer.candidates?.[0]?.content ?? {};
      }
      const parts = [];
      for await (const piece of await client.models.generateContentStream({ model: "m", contents, config })) {
        parts.push(...(piece.candidates?.[0]?.content?.parts ?? []));
      }
      return { role: "model", parts };
    };
    const first = await ask();
    const call = first.parts?.find(({ functionCall }) => functionCall)?.functionCall;
    expect(call).toMatchObject({ name: "weather", args: { city: "Ghent" } });
    if (!call) throw new Error("no call");
    const response = {
      functionResponse: { ...(call.id && { id: call.id }), name: "weather", response: { result: "rainy" } },
    };
    contents.push(first, { role: "user", parts: [response] });
    const text = (await ask()).parts?.map((part) => part.text ?? "").join("");
    expect(text).toBe(ANSWER);
    broughtBack();
  });

  test.each([
    ["openai", (url: string) => createOpenAI({ apiKey: "sk-test", baseURL: `${url}/v1` }).chat("m")],
    ["openai responses", (url: string) => createOpenAI({ apiKey: "sk-test", baseURL: `${url}/v1` }).responses("m")],
    ["anthropic", (url: string) => createAnthropic({ apiKey: "sk-test", baseURL: `${url}/v1` })("m")],
    ["google", (url: string) => createGoogleGenerativeAI({ apiKey: "sk-test", baseURL: `${url}/v1beta` })("m")],
  ] as const)("the ai library as %s", async (_client, modelAt) => {
    const { relay, broughtBack } = begin();
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({ ...schema, required: ["city"] }),
      execute: ({ city }) => Promise.resolve(`rainy in ${city}`),
    });
    const options = {
      model: modelAt(relay.url),
      prompt: "Weather in Ghent?",
      tools: { weather },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    };
    const { text, steps } = await generateText(options);
    expect([text, steps.length]).toEqual([ANSWER, 2]);
    broughtBack();
    let streamed = "";
    for await (const piece of streamText(options).textStream) streamed += piece;
    expect(streamed).toEndWith(ANSWER);
  });
});
