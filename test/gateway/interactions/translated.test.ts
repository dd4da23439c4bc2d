/** Google's Interactions API on providers of other formats: translated both ways, continued by what the gateway stores. */
import { afterEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";
import { startInteractions } from "./fake-interactions.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Json = Record<string, unknown>;
const PNG = "iVBORw0KGgo=";
const TOOL = {
  type: "function" as const,
  name: "weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const events = (list: readonly Json[]) =>
  sse(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));

/** OpenAI's chat completions: a call of the tool first, then its answer. */
function openai() {
  return startUpstream(({ path, text }) => {
    if (!path.endsWith("/chat/completions")) return new Response("Not found", { status: 404 });
    const { messages, stream, tools } = JSON.parse(text);
    const calls = tools && messages.at(-1).role !== "tool";
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };
    if (!stream) {
      const message = calls
        ? { role: "assistant", content: null, tool_calls: [call] }
        : { role: "assistant", content: "Hello there" };
      return Response.json(
        chatReply({ choices: [{ index: 0, message, finish_reason: calls ? "tool_calls" : "stop" }] }),
      );
    }
    const begun = { ...call, index: 0, function: { name: "weather", arguments: "" } };
    const rest = { index: 0, function: { arguments: '{"city":"Paris"}' } };
    const pieces = calls
      ? [chunk({ role: "assistant", tool_calls: [begun] }), chunk({ tool_calls: [rest] }), chunk({}, {}, "tool_calls")]
      : [chunk({ role: "assistant", content: "Hello " }), chunk({ content: "there" }), chunk({}, {}, "stop")];
    return sse([...pieces, usageChunk(), DONE].join(""));
  });
}

/** Anthropic's messages: reasons with a signature, then calls the tool or answers. */
function anthropic() {
  return startUpstream(({ text }) => {
    const { messages, stream, tools } = JSON.parse(text);
    const isAnswer = JSON.stringify(messages.at(-1)).includes("tool_result");
    const thinking = { type: "thinking", thinking: "They greet.", signature: "c2lnbmVk" };
    const output =
      tools && !isAnswer
        ? { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris" } }
        : { type: "text", text: "Hello there" };
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", stop_sequence: null };
    const stop_reason = output.type === "text" ? "end_turn" : "tool_use";
    if (!stream) return Response.json({ ...message, content: [thinking, output], stop_reason, usage });
    const delta =
      output.type === "text"
        ? { type: "text_delta", text: output.text }
        : { type: "input_json_delta", partial_json: '{"city":"Paris"}' };
    const block = output.type === "text" ? { type: "text", text: "" } : { ...output, input: {} };
    return events([
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 0 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "They greet." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: block },
      { type: "content_block_delta", index: 1, delta },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ]);
  });
}

const KINDS = {
  openai: { make: openai, type: 1, model: "gpt-4o" },
  anthropic: { make: anthropic, type: 14, model: "claude-sonnet-4-5" },
};
type Kind = keyof typeof KINDS;

function start(kind: Kind) {
  const { make, type, model } = KINDS[kind];
  const upstream = make();
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: ["key"], models: [model] }],
    options: { ModelRatio: `{"${model}": 2}`, CompletionRatio: `{"${model}": 4}` },
  });
  stops.push(upstream.stop, relay.stop);
  const { interactions } = new GoogleGenAI({
    apiKey: "sk-test",
    httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } },
  });
  const sent = (): Json => JSON.parse(upstream.received.at(-1)?.text ?? "{}");
  return { upstream, relay, interactions, model, sent };
}

/** (10 + 5 × 4) × 2 */
const COST = 60;
const EACH = [
  ["openai", false],
  ["openai", true],
  ["anthropic", false],
  ["anthropic", true],
] as const;

/** The steps, id and status of an interaction, read from its stream or its body. */
async function make({ interactions }: ReturnType<typeof start>, params: Json & { model: string }, stream: boolean) {
  // The request's types are narrower than what tests vary.
  const request = params as Parameters<typeof interactions.create>[0] & { input: string };
  if (!stream) {
    const { id, status, steps = [], usage } = await interactions.create({ ...request, stream: false });
    return { id, status, usage, steps: steps as unknown as Json[] };
  }
  const steps: Json[] = [];
  let end: Json = {};
  for await (const event of await interactions.create({ ...request, stream: true })) {
    if (event.event_type === "interaction.completed") end = event.interaction as unknown as Json;
    if (event.event_type === "step.start") steps[event.index] = { ...event.step };
    if (event.event_type !== "step.delta") continue;
    const step = steps[event.index] ?? {};
    const { delta } = event;
    if (delta.type === "text") {
      const [block] = (step.content ?? []) as Json[];
      step.content = [{ type: "text", text: `${block?.text ?? ""}${delta.text}` }];
    }
    if (delta.type === "thought_summary") step.summary = [delta.content];
    if (delta.type === "thought_signature") step.signature = delta.signature;
    if (delta.type === "arguments_delta") step.json = `${step.json ?? ""}${delta.arguments}`;
  }
  for (const step of steps) if (step.json) step.arguments = JSON.parse(String(step.json));
  for (const step of steps) delete step.json;
  return { id: String(end.id), status: end.status, usage: end.usage, steps };
}

describe.each(EACH)("an interaction on %s (streamed: %p)", (kind, stream) => {
  test("has its text, image, instruction and settings translated, and is charged by the reported usage", async () => {
    const started = start(kind);
    const input = [
      { type: "text", text: "What is this?" },
      { type: "image", mime_type: "image/png", data: PNG },
    ];
    const generation_config = { max_output_tokens: 50, stop_sequences: ["END"] };
    const params = { model: started.model, input, system_instruction: "Be brief.", generation_config };
    const made = await make(started, params, stream);
    expect(made.steps.at(-1)).toEqual({ type: "model_output", content: [{ type: "text", text: "Hello there" }] });
    expect(made).toMatchObject({ id: expect.stringMatching(/^v1_/), status: "completed" });
    expect(made.usage).toMatchObject({ total_input_tokens: 10, total_output_tokens: 5, total_tokens: 15 });
    const sent = JSON.stringify(started.sent());
    for (const part of ["Be brief.", "What is this?", PNG, "END", "50"]) expect(sent).toContain(part);
    expect(await started.relay.billing.nextRecord()).toMatchObject({
      quota: COST,
      promptTokens: 10,
      completionTokens: 5,
      isStream: stream,
    });
    expect(started.relay.billing.openHolds).toBe(0);
  });

  test("calls a function, and continues with its result by the interaction's id", async () => {
    const started = start(kind);
    const first = await make(started, { model: started.model, input: "Weather in Paris?", tools: [TOOL] }, stream);
    const call = first.steps.at(-1);
    expect(call).toMatchObject({ type: "function_call", name: "weather", arguments: { city: "Paris" } });
    expect(first.status).toBe("requires_action");
    const result = { type: "function_result", call_id: call?.id, name: "weather", result: "Sunny" };
    const params = { model: started.model, previous_interaction_id: first.id, input: [result], tools: [TOOL] };
    const second = await make(started, params, stream);
    expect(second.steps.at(-1)).toEqual({ type: "model_output", content: [{ type: "text", text: "Hello there" }] });
    const sent = JSON.stringify(started.sent());
    for (const part of ["Weather in Paris?", "Sunny", String(call?.id)]) expect(sent).toContain(part);
    if (kind === "anthropic") expect(sent).toContain("c2lnbmVk");
    await started.relay.billing.nextRecord(2);
    expect(started.relay.billing.records.map(({ quota }) => quota)).toEqual([COST, COST]);
    expect(await started.interactions.get(second.id)).toMatchObject({ id: second.id, output_text: "Hello there" });
  });

  test("takes the complete steps of a client that stores them itself, with signatures", async () => {
    const started = start(kind);
    const first = await make(started, { model: started.model, input: "Weather?", tools: [TOOL], store: false }, stream);
    const question = { type: "user_input", content: [{ type: "text", text: "Weather?" }] };
    const result = {
      type: "function_result",
      call_id: first.steps.at(-1)?.id,
      name: "weather",
      result: [{ type: "text", text: "Rain" }],
    };
    await make(
      started,
      { model: started.model, input: [question, ...first.steps, result], tools: [TOOL], store: false },
      stream,
    );
    const sent = JSON.stringify(started.sent());
    for (const part of ["Weather?", "Rain", "Paris"]) expect(sent).toContain(part);
    if (kind === "anthropic") expect(sent).toContain("c2lnbmVk");
  });
});

describe("interactions that the gateway stores", () => {
  const failureOf = (work: PromiseLike<unknown>) =>
    work.then(
      () => "",
      (error: Error) => error.message,
    );

  test("are retrieved with their input, deleted once, and not canceled or streamed", async () => {
    const { interactions, model } = start("openai");
    const { id } = await interactions.create({ model, input: "Hi" });
    const withInput = await interactions.get(id, { include_input: true });
    expect(withInput.input).toEqual([{ type: "user_input", content: [{ type: "text", text: "Hi" }] }]);
    expect(await failureOf(interactions.cancel(id))).toContain("background");
    expect(await failureOf(interactions.get(id, { stream: true }))).toContain("streamed");
    await interactions.delete(id);
    expect(await failureOf(interactions.get(id))).toContain("not found");
    expect(await failureOf(interactions.create({ model, input: "?", previous_interaction_id: id }))).toContain(
      "not found",
    );
    const unstored = await interactions.create({ model, input: "Hi", store: false });
    expect(await failureOf(interactions.get(unstored.id))).toContain("not found");
  });

  test("continue at Google with their turns, though another provider made them", async () => {
    const google = startInteractions([{ type: "model_output", content: [{ type: "text", text: "Goodbye" }] }]);
    const other = openai();
    const relay = startRelay({
      channels: [
        { type: 1, baseUrl: other.url, keys: ["key"], models: ["gpt-4o"] },
        { type: 24, baseUrl: google.url, keys: ["key"], models: ["gemini-3.5-flash"] },
      ],
      options: { ModelRatio: '{"gpt-4o": 1, "gemini-3.5-flash": 1}' },
    });
    stops.push(google.stop, other.stop, relay.stop);
    const { interactions } = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
    const { id } = await interactions.create({ model: "gpt-4o", input: "Hi" });
    const next = await interactions.create({ model: "gemini-3.5-flash", input: "Bye", previous_interaction_id: id });
    expect(next.output_text).toBe("Goodbye");
    expect(JSON.parse(google.received[0]?.text ?? "").input).toEqual([
      { type: "user_input", content: [{ type: "text", text: "Hi" }] },
      { type: "model_output", content: [{ type: "text", text: "Hello there" }] },
      { type: "user_input", content: [{ type: "text", text: "Bye" }] },
    ]);
  });

  test("are not found as responses of OpenAI's format, nor the other way", async () => {
    const { interactions, model, relay } = start("openai");
    const { id } = await interactions.create({ model, input: "Hi" });
    const headers = { authorization: "Bearer sk-test", "content-type": "application/json" };
    expect((await fetch(`${relay.url}/v1/responses/${id}`, { headers })).status).toBe(404);
    const response = await (await relay.post("/v1/responses", { model, input: "Hi" })).json();
    expect(await failureOf(interactions.get(response.id))).toContain("not found");
  });

  test("of an agent are refused where no channel has it", async () => {
    const { relay, upstream, model } = start("openai");
    const answer = await relay.post("/v1/interactions", { agent: model, input: "Research" });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_request" } }]);
    expect(upstream.received).toEqual([]);
  });

  test("report the upstream's error in Google's form", async () => {
    const upstream = startUpstream(() =>
      Response.json({ error: { message: "Too long", type: "invalid_request_error" } }, { status: 400 }),
    );
    const relay = startRelay({
      channels: [{ type: 1, baseUrl: upstream.url, keys: ["k"], models: ["m"] }],
      options: { ModelRatio: '{"m": 1}' },
    });
    stops.push(upstream.stop, relay.stop);
    for (const stream of [false, true]) {
      const answer = await relay.post("/v1/interactions", { model: "m", input: "Hi", stream });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: { code: "invalid_request", message: expect.stringContaining("Too long") } },
      ]);
    }
    expect(relay.billing.openHolds).toBe(0);
  });
});
