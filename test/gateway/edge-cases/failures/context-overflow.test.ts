/** A request that does not fit its model: every client reads it in the words of its own format, by which agents compact. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chunk, sse, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function start(answer: () => Response, type: number, model = "m", options: Record<string, string> = {}) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: `{"${model}":1}`, RetryTimes: "0", ...options },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const error = (status: number, body: object) => () => Response.json(body, { status });
const openAi = (message: string, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", param: null, code },
});

/** Provider, its channel type and answer, the tokens that were sent and that fit. */
const OVERFLOWS: readonly (readonly [string, number, () => Response, number, number])[] = [
  [
    "OpenAI",
    1,
    error(
      400,
      openAi(
        "This model's maximum context length is 272000 tokens. However, your messages resulted in 300000 tokens. Please reduce the length of the messages.",
        "context_length_exceeded",
      ),
    ),
    300_000,
    272_000,
  ],
  [
    "vLLM",
    1006,
    error(400, {
      object: "error",
      message:
        "This model's maximum context length is 131072 tokens. However, your messages resulted in 140000 tokens.",
      type: "BadRequestError",
      code: 400,
    }),
    140_000,
    131_072,
  ],
  [
    "Anthropic",
    14,
    error(400, {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
    }),
    210_000,
    200_000,
  ],
  [
    "Gemini",
    24,
    error(400, {
      error: {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    }),
    1_200_000,
    1_048_576,
  ],
  [
    "llama.cpp behind a proxy",
    8,
    error(500, openAi("the request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it")),
    9_000,
    8_192,
  ],
];

const turn = [{ role: "user", content: "Hello" }];
const CLIENTS = {
  messages: { path: "/v1/messages", body: { model: "m", max_tokens: 9, messages: turn } },
  chat: { path: "/v1/chat/completions", body: { model: "m", messages: turn } },
  responses: { path: "/v1/responses", body: { model: "m", input: "Hello" } },
  gemini: { path: "/v1beta/models/m:generateContent", body: { contents: [{ parts: [{ text: "Hello" }] }] } },
};

type ErrorBody = { type?: string; code?: string | number | null; message: string; status?: string };
const errorIn = async (answer: Response): Promise<ErrorBody> => ((await answer.json()) as { error: ErrorBody }).error;

describe.each(OVERFLOWS)("%s", (_, type, answer, sent, most) => {
  test("Messages: prompt is too long, as Claude Code looks for it", async () => {
    const { relay } = start(answer, type);
    const { path, body } = CLIENTS.messages;
    for (const stream of [false, true]) {
      const refused = await relay.post(path, { ...body, stream });
      expect(refused.status).toBe(400);
      expect(await errorIn(refused)).toEqual({
        type: "invalid_request_error",
        message: `prompt is too long: ${sent} tokens > ${most} maximum`,
      });
    }
  });

  test("Chat: context_length_exceeded", async () => {
    const { relay } = start(answer, type);
    const { path, body } = CLIENTS.chat;
    for (const stream of [false, true]) {
      const refused = await relay.post(path, { ...body, stream });
      expect(refused.status).toBe(400);
      const refusal = await errorIn(refused);
      expect(refusal).toMatchObject({ type: "invalid_request_error", code: "context_length_exceeded" });
      expect(refusal.message).toContain(`maximum context length is ${most} tokens`);
      expect(refusal.message).toContain(`${sent} tokens`);
    }
  });

  test("Responses: context_length_exceeded, in the stream of a client that requests one, as Codex looks for it", async () => {
    const { relay } = start(answer, type);
    const { path, body } = CLIENTS.responses;
    const refused = await relay.post(path, body);
    expect(refused.status).toBe(400);
    expect(await errorIn(refused)).toMatchObject({ type: "invalid_request_error", code: "context_length_exceeded" });
    const streamed = await relay.post(path, { ...body, stream: true });
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    const text = await streamed.text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
    expect(events.map(({ type, sequence_number }) => [type, sequence_number])).toEqual([
      ["response.created", 0],
      ["response.in_progress", 1],
      ["error", 2],
      ["response.failed", 3],
    ]);
    expect(events[2].code).toBe("context_length_exceeded");
    expect(events[3].response.error.code).toBe("context_length_exceeded");
  });

  test("Gemini: INVALID_ARGUMENT with Google's sentence", async () => {
    const { relay } = start(answer, type);
    for (const method of ["generateContent", "streamGenerateContent"]) {
      const refused = await relay.post(`/v1beta/models/m:${method}`, CLIENTS.gemini.body);
      expect(refused.status).toBe(400);
      const refusal = await errorIn(refused);
      expect(refusal).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
      expect(refusal.message).toStartWith(
        `The input token count (${sent}) exceeds the maximum number of tokens allowed (${most}).`,
      );
    }
  });

  test("nothing is charged, and no other channel is tried", async () => {
    const { relay, upstream } = start(answer, type, "m", { RetryTimes: "3" });
    await relay.post(CLIENTS.chat.path, CLIENTS.chat.body);
    expect([relay.billing.openHolds, upstream.received.length]).toEqual([0, 1]);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([0]);
  });
});

test.each([
  ["Chat", CLIENTS.chat],
  ["Responses", CLIENTS.responses],
])("%s: OpenAI's older sentence is followed by the one that Copilot CLI knows", async (_, { path, body }) => {
  const sentence =
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
  const { relay } = start(error(400, openAi(sentence, "context_length_exceeded")), 8);
  const { message, code } = await errorIn(await relay.post(path, body));
  expect(message).toStartWith(`${sentence} Your input exceeds the context window of this model.`);
  expect(code).toBe("context_length_exceeded");
});

test.each([
  ["Bedrock", 33, { message: "Input is too long for requested model." }],
  ["Qwen", 17, openAi("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]")],
  ["GLM", 26, { error: { code: "1261", message: "Prompt exceeds max length" } }],
])("%s names no numbers: the window is the catalog's, the prompt more than that", async (_, type, body) => {
  const model = "claude-haiku-4-5";
  const { relay } = start(error(400, body), type === 33 ? 14 : type, model);
  const refused = await relay.post("/v1/messages", { ...CLIENTS.messages.body, model });
  const [, sent, most] =
    /^prompt is too long: (\d+) tokens > (\d+) maximum$/.exec((await errorIn(refused)).message) ?? [];
  expect(Number(most)).toBe(type === 17 ? 30_720 : 200_000);
  expect(Number(sent)).toBeGreaterThan(Number(most));
});

test("without any number the provider's words follow the sign", async () => {
  const { relay } = start(error(400, openAi("the request exceeds the available context size, try increasing it")), 8);
  const refused = await relay.post("/v1/messages", CLIENTS.messages.body);
  expect((await errorIn(refused)).message).toBe(
    "prompt is too long: the request exceeds the available context size, try increasing it",
  );
  const gemini = await relay.post(CLIENTS.gemini.path, CLIENTS.gemini.body);
  expect((await errorIn(gemini)).message).toStartWith(
    "The input token count exceeds the maximum number of tokens allowed.",
  );
});

test("a limit on output that does not fit next to the prompt is Anthropic's other sentence, which lowers max_tokens", async () => {
  const refusal =
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.";
  const { relay } = start(error(400, openAi(refusal, "context_length_exceeded")), 1);
  const refused = await relay.post("/v1/messages", CLIENTS.messages.body);
  expect((await errorIn(refused)).message).toBe(
    "input length and `max_tokens` exceed context limit: 1000 + 8000 > 8192, decrease input length or `max_tokens` and try again",
  );
});

test("an overflow that begins as a stream is said in the stream", async () => {
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const response = { id: "resp_1", object: "response", model: "gpt-5-codex", output: [] };
  const failed = {
    ...response,
    status: "failed",
    error: {
      code: "context_length_exceeded",
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
  };
  const streamed = () =>
    sse(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(
            Buffer.from(event("response.created", { response: { ...response, status: "in_progress" } })),
          );
          await Bun.sleep(20);
          controller.enqueue(Buffer.from(event("response.failed", { response: failed })));
          controller.close();
        },
      }),
    );
  const { relay } = start(streamed, 1, "gpt-5-codex");
  const request = { ...CLIENTS.messages.body, model: "gpt-5-codex", stream: true };
  const text = await (await relay.post("/v1/messages", request)).text();
  expect(text).toMatch(/"invalid_request_error","message":"prompt is too long: \d+ tokens > \d+ maximum"/);
  const chat = await relay.post("/v1/chat/completions", { model: "gpt-5-codex", stream: true, messages: turn });
  expect(await chat.text()).toContain('"code":"context_length_exceeded"');
});

test.each(["", chunk({ role: "assistant", content: "" })])(
  "an overflow before the first token is a refusal, though it comes in a stream",
  async (before) => {
    const message =
      "This model's maximum context length is 131072 tokens. However, your messages resulted in 140000 tokens.";
    const failure = `data: ${JSON.stringify({ error: { message, type: "BadRequestError", code: 400 } })}\n\n`;
    const { relay } = start(() => sse(before + failure), 1006);
    const answer = await relay.post("/v1/chat/completions", { model: "m", stream: true, messages: turn });
    expect([answer.status, (await errorIn(answer)).code]).toEqual([400, "context_length_exceeded"]);
    expect(relay.billing.records).toMatchObject([{ failed: true, quota: 0 }]);
  },
);

test("a hidden provider is not named, and its window is", async () => {
  const { relay } = start(
    error(400, openAi("Acme: maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.")),
    8,
    "m",
    { "global.hide_upstream_error_enabled": "true" },
  );
  const refused = await relay.post("/v1/chat/completions", CLIENTS.chat.body);
  const { message, code } = await errorIn(refused);
  expect(code).toBe("context_length_exceeded");
  expect(message).toStartWith(
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000",
  );
});

test("a status that the operator maps stays mapped", async () => {
  const upstream = startUpstream(error(400, openAi("prompt is too long: 9 tokens > 8 maximum")));
  const statusCodeMapping = new Map([[400, 503]]);
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"], statusCodeMapping }],
    options: { ModelRatio: '{"m":1}', RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  const refused = await relay.post("/v1/chat/completions", CLIENTS.chat.body);
  expect(refused.status).toBe(503);
});
