/** Usage that an upstream reports in an unusual place is charged the same whichever format the client speaks. */
import { afterEach, describe, expect, test } from "bun:test";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { readEvents } from "../../../src/lib/http/sse.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const USAGE = { prompt_tokens: 5003, completion_tokens: 359, total_tokens: 5362 };
const CLIENTS = [
  ["/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }] }],
  [
    "/v1/chat/completions",
    { model: "m", messages: [{ role: "user", content: "Hi" }], stream_options: { include_usage: true } },
  ],
  ["/v1/responses", { model: "m", input: "Hi" }],
  ["/v1/messages", { model: "m", max_tokens: 99, messages: [{ role: "user", content: "Hi" }] }],
  ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
] as const;

function start(type: number, answer: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream((received, request, count) =>
    type === 1 && received.path.endsWith("/responses")
      ? new Response("404 page not found", { status: 404 })
      : answer(received, request, count),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  return relay;
}

const streamed = (path: string, body: object): [string, object] =>
  path.includes("/v1beta")
    ? [path.replace(":generateContent", ":streamGenerateContent?alt=sse"), body]
    : [path, { ...body, stream: true }];

describe.each([...CLIENTS])("%s %j", (path, body) => {
  test.each([1, 1000])("in a stream's x_groq alone (channel type %d)", async (type) => {
    const end = chunk({}, { x_groq: { id: "req_1", usage: { queue_time: 0.1, ...USAGE } } }, "stop");
    const relay = start(type, () => sse(chunk({ role: "assistant", content: "Hello" }) + end + DONE));
    const text = await (await relay.post(...streamed(path, body))).text();
    const record = await relay.billing.nextRecord();
    expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([5003, 359, 5362]);
    expect(record.other).toMatchObject({ usage_evidence: "reported" });
    if (!("stream_options" in body)) return;
    // Who asked for usage finds the true figures where OpenAI has them.
    const last = readEvents(text)
      .flatMap(({ data }) => recordOf(parseJson(data)) ?? [])
      .at(-1);
    expect(last).toMatchObject({ choices: [], usage: USAGE });
  });

  test("in a whole answer's x_groq alone", async () => {
    const { usage: _, ...answer } = chatReply({ x_groq: { id: "req_1", usage: USAGE } }) as { usage: object };
    const relay = start(1, () => Response.json(answer));
    expect((await relay.post(path, body)).status).toBe(200);
    const record = await relay.billing.nextRecord();
    expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([5003, 359, 5362]);
  });

  test("next to the error that ends a stream", async () => {
    const error = { code: 502, message: "Provider returned error" };
    const end = chunk(
      { content: "" },
      { error, usage: { ...USAGE, prompt_tokens: 43, completion_tokens: 10 } },
      "error",
    );
    const relay = start(1, () => sse(chunk({ role: "assistant", content: "Hello" }) + end + DONE));
    await (await relay.post(...streamed(path, body))).text();
    const record = await relay.billing.nextRecord();
    expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([43, 10, 53]);
  });

  test("next to the error that ends a stream of Gemini's", async () => {
    const piece = { candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, index: 0 }] };
    const usageMetadata = { promptTokenCount: 43, candidatesTokenCount: 10, totalTokenCount: 53 };
    const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" };
    const events = [piece, { error, usageMetadata }].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`);
    const relay = start(24, () => sse(events.join("")));
    await (await relay.post(...streamed(path, body))).text();
    const record = await relay.billing.nextRecord();
    expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([43, 10, 53]);
  });
});

test("in a response that failed", async () => {
  const response = { id: "resp_1", object: "response", status: "in_progress", output: [] };
  const usage = { input_tokens: 43, output_tokens: 10, total_tokens: 53 };
  const failed = { ...response, status: "failed", error: { code: "server_error", message: "Sorry" }, usage };
  const events = [
    { type: "response.created", response },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello" },
    { type: "response.failed", response: failed },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const upstream = startUpstream(() => sse(text));
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  await (await relay.post("/v1/responses", { model: "m", input: "Hi", stream: true })).text();
  const record = await relay.billing.nextRecord();
  expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([43, 10, 53]);
});
