/** Models that answer in streams alone: they are asked for streams, and the answer is gathered for whoever wants it whole. */
import { afterEach, expect, test } from "bun:test";
import { parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const USAGE = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const REFUSAL = { error: { message: "This model only support stream mode", type: "invalid_request_error" } };

const streamOf = (events: readonly object[]): Response =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

/** DashScope's two addresses, for a model that refuses to answer as a whole. */
function start(model: string) {
  const upstream = startUpstream(({ path, headers, text }) => {
    if (path.startsWith("/compatible-mode/")) {
      if (recordOf(parseJson(text))?.stream !== true) return Response.json(REFUSAL, { status: 400 });
      const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model };
      const deltas = [{ role: "assistant", reasoning_content: "Hm." }, { content: "Rain" }, { content: " and sun" }];
      return streamOf([
        ...deltas.map((delta) => ({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })),
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
        { ...chunk, choices: [], usage: USAGE },
      ]);
    }
    if (headers.get("x-dashscope-sse") !== "enable") return Response.json(REFUSAL, { status: 400 });
    const usage = { input_tokens: 12, output_tokens: 3, total_tokens: 15 };
    const event = (message: object, finish_reason: string) => ({
      output: { choices: [{ message: { role: "assistant", ...message }, finish_reason }] },
      usage,
      request_id: "r-1",
    });
    return streamOf([
      event({ content: "", reasoning_content: "Hm." }, "null"),
      event({ content: "Rain" }, "null"),
      event({ content: " and sun" }, "stop"),
    ]);
  });
  const relay = startRelay({
    channels: [{ type: 17, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const MODELS = ["qwq-plus", "qwen3-235b-a22b", "qwen3-next-80b-a3b-thinking", "qwen-omni-turbo"];

test.each(MODELS)("%s is sent a streaming request for a chat without streaming", async (model) => {
  const { relay } = start(model);
  const response = await relay.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] });
  expect(response.status).toBe(200);
  const body = recordOf(await response.json()) ?? {};
  expect(recordsOf(body.choices)[0]).toMatchObject({
    message: { content: "Rain and sun", reasoning_content: "Hm." },
    finish_reason: "stop",
  });
  expect(body.usage).toMatchObject(USAGE);
  expect(await relay.billing.nextRecord(1)).toMatchObject({ promptTokens: 12, completionTokens: 3, isStream: false });
});

test("other formats get the answer gathered too", async () => {
  const { relay } = start("qwq-plus");
  const request = { model: "qwq-plus", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
  const response = await relay.post("/v1/messages", request);
  const { content } = recordOf(await response.json()) ?? {};
  expect([response.status, recordsOf(content).at(-1)]).toMatchObject([200, { type: "text", text: "Rain and sun" }]);
});

test("a model that answers without streaming gets the request unchanged", async () => {
  const { relay, upstream } = start("qwen-plus");
  await relay.post("/v1/chat/completions", { model: "qwen-plus", messages: [{ role: "user", content: "hi" }] });
  expect(recordOf(parseJson(upstream.received[0]?.text ?? ""))?.stream ?? false).toBe(false);
});
