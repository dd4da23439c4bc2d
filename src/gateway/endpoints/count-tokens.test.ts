import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { parseJson, recordOf } from "../../formats/json.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const COUNTED = 4_711;
const TYPES = { openai: 1, mistral: 42, anthropic: 14, gemini: 24, bedrock: 33, vertex: 41 } as const;
type Type = keyof typeof TYPES;
const KEYS: Partial<Record<Type, string>> = { bedrock: "key|us-east-1", vertex: "AIza" };

const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

type Setup = { types: readonly Type[]; model?: string; refuse?: (path: string) => Response | null };

function start({ types, model = "m", refuse }: Setup) {
  const upstream = startUpstream(({ path }) => {
    const refused = refuse?.(path);
    if (refused) return refused;
    if (path.endsWith(":countTokens")) return Response.json({ totalTokens: COUNTED });
    if (path.endsWith("/count-tokens")) return Response.json({ inputTokens: COUNTED });
    if (/\/(count_tokens|input_tokens)$/.test(path)) return Response.json({ input_tokens: COUNTED });
    if (path.endsWith("/responses")) return Response.json(RESPONSE);
    return new Response("404 page not found", { status: 404 });
  });
  const relay = startRelay({
    channels: types.map((type, at) => ({
      type: TYPES[type],
      baseUrl: upstream.url,
      keys: [KEYS[type] ?? "key"],
      models: [model],
      priority: -at,
    })),
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(relay.stop, upstream.stop);
  const messages = (body: object = {}) =>
    relay.post("/v1/messages/count_tokens", { model, messages: [{ role: "user", content: "Hi" }], ...body });
  const gemini = (body: object = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }) =>
    relay.post(`/v1beta/models/${model}:countTokens`, body);
  const responses = (body: object = {}) => relay.post("/v1/responses/input_tokens", { model, input: "Hi", ...body });
  const sent = () => recordOf(parseJson(upstream.received.at(-1)?.text ?? "")) ?? {};
  const paths = () => upstream.received.map(({ path }) => path);
  return { relay, upstream, messages, gemini, responses, sent, paths };
}

const countedBy = (response: Response) => response.headers.get("x-sluice-token-count");

describe("a channel whose provider counts", () => {
  test("Anthropic's clients get Anthropic's count; the request is forwarded with the channel's model name", async () => {
    const { relay, sent, paths } = start({ types: ["anthropic"] });
    const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url });
    const tools = [{ name: "look", input_schema: { type: "object" as const } }];
    const messages = [{ role: "user" as const, content: "Hi" }];
    const counted = await client.messages.countTokens({ model: "m", system: "Be brief.", messages, tools });
    expect(counted.input_tokens).toBe(COUNTED);
    expect(paths()).toEqual(["/v1/messages/count_tokens"]);
    expect(sent()).toEqual({ model: "m", system: "Be brief.", messages, tools });
  });

  test("Google's clients get Google's count, wrapped or not", async () => {
    const { relay, gemini, sent, paths } = start({ types: ["gemini"] });
    const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
    expect((await client.models.countTokens({ model: "m", contents: "Hi" })).totalTokens).toBe(COUNTED);
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    const wrapped = await gemini({ generateContentRequest: { model: "models/m", contents, tools: [] } });
    expect([countedBy(wrapped), await wrapped.json()]).toEqual(["provider", { totalTokens: COUNTED }]);
    expect(paths()).toEqual(["/v1beta/models/m:countTokens", "/v1beta/models/m:countTokens"]);
    expect(sent()).toMatchObject({ generateContentRequest: { model: "models/m", contents, tools: [] } });
  });

  test("a translated request loses the members that only affect the response", async () => {
    const onAnthropic = start({ types: ["anthropic"] });
    expect(await (await onAnthropic.gemini()).json()).toEqual({ totalTokens: COUNTED });
    expect(Object.keys(onAnthropic.sent()).toSorted()).toEqual(["messages", "model"]);
    const onGemini = start({ types: ["gemini"] });
    const answer = await onGemini.messages({ system: "Be brief." });
    expect([countedBy(answer), await answer.json()]).toEqual(["provider", { input_tokens: COUNTED }]);
    expect(onGemini.sent()).toMatchObject({
      generateContentRequest: { model: "models/m", contents: [{ parts: [{ text: "Hi" }] }] },
    });
  });

  test("clouds that host the models have URLs of their own", async () => {
    const model = "claude-sonnet-4-5-20250929";
    const bedrock = start({ types: ["bedrock"], model });
    expect(await (await bedrock.messages()).json()).toEqual({ input_tokens: COUNTED });
    expect(bedrock.paths()).toEqual(["/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens"]);
    const input = recordOf(recordOf(bedrock.sent().input)?.invokeModel);
    const body = JSON.parse(Buffer.from(String(input?.body), "base64").toString());
    expect(body).toMatchObject({ anthropic_version: "bedrock-2023-05-31", messages: [{ role: "user" }] });
    const vertex = start({ types: ["vertex"], model: "gemini-2.5-pro" });
    expect(await (await vertex.gemini()).json()).toEqual({ totalTokens: COUNTED });
    expect(vertex.paths()).toEqual(["/v1/publishers/google/models/gemini-2.5-pro:countTokens"]);
    expect(Object.keys(vertex.sent())).toEqual(["contents"]);
  });

  test("OpenAI's clients get OpenAI's count", async () => {
    const { relay, responses, sent, paths } = start({ types: ["openai"] });
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1` });
    const tools = [{ type: "function" as const, name: "look", parameters: { type: "object" }, strict: false }];
    const ask = { model: "m", input: "Hi", instructions: "Be brief.", tools, truncation: "auto" as const };
    expect(await client.responses.inputTokens.count(ask)).toMatchObject({
      object: "response.input_tokens",
      input_tokens: COUNTED,
    });
    expect(sent()).toEqual(ask);
    expect(countedBy(await responses())).toBe("provider");
    expect(paths()).toEqual(["/v1/responses/input_tokens", "/v1/responses/input_tokens"]);
    expect([relay.billing.records.length, relay.billing.openHolds]).toEqual([0, 0]);
  });

  test("other clients get OpenAI's count, too", async () => {
    const { messages, gemini, sent, paths } = start({ types: ["openai"] });
    const answer = await messages({ system: "Be brief.", max_tokens: 9, temperature: 1 });
    expect([countedBy(answer), await answer.json()]).toEqual(["provider", { input_tokens: COUNTED }]);
    expect(sent()).toMatchObject({ model: "m", instructions: "Be brief." });
    expect(Object.keys(sent()).toSorted()).toEqual(["input", "instructions", "model"]);
    expect(await (await gemini()).json()).toEqual({ totalTokens: COUNTED });
    expect(paths()).toEqual(["/v1/responses/input_tokens", "/v1/responses/input_tokens"]);
  });

  test("the turns before a response that a request continues are counted", async () => {
    const { relay, responses, sent } = start({ types: ["openai"] });
    const first = await (await relay.post("/v1/responses", { model: "m", input: "Hi" })).json();
    expect((await responses({ input: "Go on", previous_response_id: first.id })).status).toBe(200);
    expect(sent()).toMatchObject({ model: "m", previous_response_id: "resp_1", input: "Go on" });
    const lost = await responses({ previous_response_id: "resp_unknown" });
    expect([lost.status, await lost.json()]).toMatchObject([400, { error: { code: "previous_response_not_found" } }]);
  });

  test("nothing is held, charged or logged", async () => {
    const { relay, messages } = start({ types: ["anthropic"] });
    expect((await messages()).status).toBe(200);
    expect([relay.billing.records.length, relay.billing.openHolds]).toEqual([0, 0]);
  });

  test("another channel is tried if one fails", async () => {
    let failures = 1;
    const fail = () => (failures-- > 0 ? new Response("busy", { status: 529 }) : null);
    const { messages, paths } = start({ types: ["anthropic", "gemini"], refuse: fail });
    const answer = await messages();
    expect([countedBy(answer), await answer.json()]).toEqual(["provider", { input_tokens: COUNTED }]);
    expect(paths()).toEqual(["/v1/messages/count_tokens", "/v1beta/models/m:countTokens"]);
  });

  test("a request that its own API rejects is rejected with its message", async () => {
    const error = { type: "invalid_request_error", message: "messages.0: not so" };
    const refuse = () => Response.json({ type: "error", error }, { status: 400 });
    const { messages } = start({ types: ["anthropic"], refuse });
    const refused = await messages();
    expect([refused.status, await refused.json()]).toMatchObject([400, { type: "error", error }]);
  });
});

describe("tokens are counted locally", () => {
  const expectLocal = async (answer: Response) => {
    expect([answer.status, countedBy(answer)]).toEqual([200, "local"]);
    const { input_tokens, totalTokens } = recordOf(await answer.json()) ?? {};
    expect(input_tokens ?? totalTokens).toBeGreaterThan(0);
    expect(input_tokens ?? totalTokens).toBeLessThan(COUNTED);
  };

  test("if no provider of the model counts", async () => {
    const { messages, gemini, responses, paths } = start({ types: ["mistral"] });
    await expectLocal(await messages());
    await expectLocal(await gemini());
    await expectLocal(await responses());
    expect(paths()).toEqual([]);
  });

  test("if the server lacks the endpoint, which is remembered", async () => {
    const notFound = () => new Response("404 page not found", { status: 404 });
    const { messages, paths } = start({ types: ["anthropic"], refuse: notFound });
    await expectLocal(await messages());
    await expectLocal(await messages());
    expect(paths()).toHaveLength(1);
  });

  test("if every channel fails or responds with nonsense", async () => {
    for (const answer of [{ status: 500 }, { status: 401 }, { status: 200 }]) {
      const { messages } = start({ types: ["anthropic", "gemini"], refuse: () => new Response("{}", answer) });
      await expectLocal(await messages());
    }
  });

  test("if the caller has no channel for the model", async () => {
    const { relay, paths } = start({ types: ["anthropic"] });
    const body = { model: "other", messages: [{ role: "user", content: "Hi" }] };
    await expectLocal(await relay.post("/v1/messages/count_tokens", body));
    expect(paths()).toEqual([]);
  });
});
