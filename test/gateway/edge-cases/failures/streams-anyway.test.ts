/** Upstreams that stream although nobody asked, or do not although asked, under whatever media type: one answer, charged once. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const events = (list: readonly object[], named = false): string =>
  list
    .map((data) => `${named ? `event: ${(data as { type: string }).type}\n` : ""}data: ${JSON.stringify(data)}\n\n`)
    .join("");

type Format = Readonly<{ type: number; model: string; complete: object; stream: string }>;

const chunkOf = (choices: object[], more: object = {}) => ({
  ...{ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices },
  ...more,
});
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const message = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "hey" }] },
  ...{ stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 } },
};
const response = {
  ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt-5-codex", status: "completed", error: null },
  output: [
    {
      ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
      content: [{ type: "output_text", text: "hey", annotations: [] }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
};
const gemini = {
  candidates: [{ content: { role: "model", parts: [{ text: "hey" }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

const FORMATS: Readonly<Record<string, Format>> = {
  chat: {
    type: 1006,
    model: "m",
    complete: {
      ...{ id: "c1", object: "chat.completion", created: 1, model: "m", usage },
      choices: [{ index: 0, message: { role: "assistant", content: "hey" }, finish_reason: "stop" }],
    },
    stream: `${events([
      chunkOf([{ index: 0, delta: { role: "assistant", content: "he" }, finish_reason: null }]),
      chunkOf([{ index: 0, delta: { content: "y" }, finish_reason: "stop" }]),
      chunkOf([], { usage }),
    ])}data: [DONE]\n\n`,
  },
  messages: {
    type: 14,
    model: "m",
    complete: message,
    stream: events(
      [
        {
          type: "message_start",
          message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 0 } },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hey" } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
        { type: "message_stop" },
      ],
      true,
    ),
  },
  responses: {
    type: 1,
    model: "gpt-5-codex",
    complete: response,
    stream: events(
      [
        { type: "response.created", response: { ...response, status: "in_progress", output: [] }, sequence_number: 0 },
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { ...response.output[0], content: [] },
          sequence_number: 1,
        },
        {
          ...{ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0 },
          ...{ delta: "hey", sequence_number: 2 },
        },
        { type: "response.output_item.done", output_index: 0, item: response.output[0], sequence_number: 3 },
        { type: "response.completed", response, sequence_number: 4 },
      ],
      true,
    ),
  },
  gemini: { type: 24, model: "m", complete: gemini, stream: events([gemini]) },
};

const turn = [{ role: "user", content: "a" }];
type Client = Readonly<{
  path: (model: string, stream: boolean) => string;
  body: (model: string, stream: boolean) => object;
  text: RegExp;
}>;
const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (model, stream) => ({ model, stream, messages: turn }),
    text: /"content":"(he|hey)"/,
  },
  messages: {
    path: () => "/v1/messages",
    body: (model, stream) => ({ model, stream, max_tokens: 9, messages: turn }),
    text: /"text":"hey?"/,
  },
  responses: {
    path: () => "/v1/responses",
    body: (model, stream) => ({ model, stream, input: "a" }),
    text: /"(text|delta)":"hey?"/,
  },
  gemini: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () => ({ contents: [{ role: "user", parts: [{ text: "a" }] }] }),
    text: /"text":"hey?"/,
  },
};

const CASES = Object.keys(CLIENTS).flatMap((client) =>
  Object.keys(FORMATS).flatMap((format) =>
    [false, true].flatMap((stream) =>
      (stream
        ? ["application/json", "text/plain", "text/event-stream"]
        : ["text/event-stream", "application/json", "text/plain"]
      ).map((mediaType) => [client, format, stream, mediaType] as const),
    ),
  ),
);

describe("the other kind of answer than was requested", () => {
  test.each(CASES)("%s client, %s upstream, stream %s, as %s", async (clientName, formatName, stream, mediaType) => {
    const client = CLIENTS[clientName] as Client;
    const { type, model, complete, stream: streamed } = FORMATS[formatName] as Format;
    const upstream = startUpstream(
      () => new Response(stream ? JSON.stringify(complete) : streamed, { headers: { "content-type": mediaType } }),
    );
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, models: [model] }],
      options: { ModelRatio: `{"${model}":1}`, CompletionRatio: `{"${model}":1}`, RetryTimes: "0" },
    });
    stops.push(relay.stop, upstream.stop);
    const answer = await relay.post(client.path(model, stream), client.body(model, stream));
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringMatching(client.text)]);
    expect(answer.headers.get("content-type")).toContain(stream ? "text/event-stream" : "application/json");
    if (!stream) expect(JSON.parse(text)).toBeObject();
    else expect(text).toMatch(/^(event|data): /);
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ promptTokens: 10, completionTokens: 5, quota: 15, failed: false });
    expect([relay.billing.records.length, upstream.received.length, relay.billing.openHolds]).toEqual([1, 1, 0]);
  });
});

test("an error among such events is the upstream's error, uncharged", async () => {
  const upstream = startUpstream(
    () =>
      new Response(events([{ error: { message: "no such thing", code: 400 } }]), {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const relay = startRelay({
    channels: [{ type: 1006, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m":1}', RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  const answer = await relay.post("/v1/chat/completions", { model: "m", messages: turn });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("no such thing")]);
  expect(relay.billing.openHolds).toBe(0);
});

test("text completions are folded too", async () => {
  const piece = (text: string, finish: string | null) => ({
    ...{ id: "c", object: "text_completion", created: 1, model: "m" },
    choices: [{ index: 0, text, finish_reason: finish }],
    usage: finish ? usage : null,
  });
  const upstream = startUpstream(
    () =>
      new Response(events([piece("he", null), piece("y", "stop")]), {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const relay = startRelay({
    channels: [{ type: 1006, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m":1}' },
  });
  stops.push(relay.stop, upstream.stop);
  const answer = await relay.post("/v1/completions", { model: "m", prompt: "a" });
  expect(await answer.json()).toMatchObject({ choices: [{ text: "hey", finish_reason: "stop" }], usage });
});
