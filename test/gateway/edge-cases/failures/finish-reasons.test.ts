/** Answers that their provider ends as a failure: errors for every client, and another channel is tried before the first byte. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  pacedSse,
  sse,
  startUpstream,
  usageChunk,
} from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Answer = Parameters<typeof startUpstream>[0];

function start(type: number, answer: Answer, spare?: Answer, retries = "0") {
  const upstream = startUpstream(answer);
  const second = startUpstream(spare ?? answer);
  const relay = startRelay({
    channels: [
      { type, baseUrl: upstream.url, models: ["m"], priority: 1 },
      ...(spare ? [{ baseUrl: second.url, models: ["m"] }] : []),
    ],
    options: { ModelRatio: '{"m":1}', RetryTimes: retries },
  });
  stops.push(relay.stop, upstream.stop, second.stop);
  return relay;
}

const turn = [{ role: "user", content: "Hello" }];
const CLIENTS = {
  chat: ["/v1/chat/completions", { model: "m", messages: turn }],
  messages: ["/v1/messages", { model: "m", max_tokens: 9, messages: turn }],
  responses: ["/v1/responses", { model: "m", input: "Hello" }],
} as const;
type Client = keyof typeof CLIENTS;
const CLIENT_NAMES = Object.keys(CLIENTS) as Client[];
const ask = (relay: ReturnType<typeof start>, client: Client, stream = false) =>
  relay.post(CLIENTS[client][0], { ...CLIENTS[client][1], stream });

const usageMetadata = { promptTokenCount: 5, totalTokenCount: 5 };
const gemini = (finishReason: string, finishMessage?: string, text?: string) => ({
  candidates: [
    { content: { role: "model", ...(text && { parts: [{ text }] }) }, finishReason, finishMessage, index: 0 },
  ],
  usageMetadata,
});
/** Complete, or as the only event of a stream. */
const googleAnswer =
  (body: object): Answer =>
  ({ path }) =>
    path.includes(":stream") ? sse(`data: ${JSON.stringify(body)}\n\n`) : Response.json(body);
const chatAnswer =
  (finish: string, content = ""): Answer =>
  ({ text }) =>
    text.includes('"stream":true')
      ? sse(chunk({ role: "assistant", content }, {}, finish) + usageChunk() + DONE)
      : Response.json(
          chatReply({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }] }),
        );

const FAILURES: readonly (readonly [string, number, Answer, number])[] = [
  ...[
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "NO_IMAGE",
    "OTHER",
    "MALFORMED_RESPONSE",
    "IMAGE_OTHER",
  ].map((reason) => [reason, 24, googleAnswer(gemini(reason, "because of it")), 502] as const),
  ["MISSING_THOUGHT_SIGNATURE", 24, googleAnswer(gemini("MISSING_THOUGHT_SIGNATURE", "because of it")), 400],
  ["insufficient_system_resource", 43, chatAnswer("insufficient_system_resource"), 503],
  ["network_error", 26, chatAnswer("network_error"), 502],
  ["error", 20, chatAnswer("error"), 502],
  ["error", 42, chatAnswer("error"), 502],
];

describe.each(FAILURES)("%s of type %d", (reason, type, answer, status) => {
  test.each(CLIENT_NAMES)("%s: an error with the provider's reason, uncharged", async (client) => {
    const relay = start(type, answer);
    for (const stream of [false, true]) {
      const refused = await ask(relay, client, stream);
      expect(refused.status).toBe(status);
      const { error } = (await refused.json()) as { error: { message: string; type: string; code?: string } };
      expect(error.message).toContain(type === 24 ? "because of it" : reason);
      if (client !== "messages") expect(error.code).toBe(reason);
    }
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([0, 0]);
  });

  test("another channel answers where it can help, and is charged alone", async () => {
    const relay = start(type, answer, () => Response.json(chatReply()), "1");
    const response = await ask(relay, "chat");
    expect(response.status).toBe(status === 400 ? 400 : 200);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([status === 400 ? 0 : 15]);
  });
});

test.each(["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"])(
  "%s is a refusal",
  async (reason) => {
    const relay = start(24, googleAnswer(gemini(reason)));
    const chat = (await (await ask(relay, "chat")).json()) as { choices: { finish_reason: string }[] };
    expect(chat.choices[0]?.finish_reason).toBe("content_filter");
    const message = (await (await ask(relay, "messages")).json()) as { stop_reason: string };
    expect(message.stop_reason).toBe("refusal");
    const response = (await (await ask(relay, "responses")).json()) as { incomplete_details: { reason: string } };
    expect(response.incomplete_details.reason).toBe("content_filter");
  },
);

describe("a failure after the first byte is an error event of the client's format, and what came is charged", () => {
  const events: [Client, RegExp][] = [
    ["chat", /data: \{"error":.*MALFORMED_FUNCTION_CALL.*\n\ndata: \[DONE\]\n\n$/],
    ["messages", /event: error\ndata: .*because of it/],
    ["responses", /event: response\.failed\ndata: .*because of it/],
  ];
  test.each(events)("%s, from Gemini", async (client, expected) => {
    const begin = { candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] }, index: 0 }] };
    const end = {
      ...gemini("MALFORMED_FUNCTION_CALL", "because of it"),
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
    };
    const relay = start(24, () =>
      pacedSse([`data: ${JSON.stringify(begin)}\n\n`, 20, `data: ${JSON.stringify(end)}\n\n`]),
    );
    const text = await (await ask(relay, client, true)).text();
    expect(text).toMatch(expected);
    expect(text).not.toContain("end_turn");
    expect(text).not.toContain("response.completed");
    expect(await relay.billing.nextRecord()).toMatchObject({ failed: true, promptTokens: 7, completionTokens: 3 });
  });

  test("chat, passed through", async () => {
    const relay = start(43, () =>
      pacedSse([
        chunk({ role: "assistant", content: "Hel" }),
        20,
        chunk({}, {}, "insufficient_system_resource"),
        usageChunk({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }),
        DONE,
      ]),
    );
    const text = await (await ask(relay, "chat", true)).text();
    expect(text).toMatch(/data: \{"error":.*insufficient_system_resource.*\n\ndata: \[DONE\]\n\n$/);
    expect(await relay.billing.nextRecord()).toMatchObject({ failed: true, promptTokens: 7, completionTokens: 3 });
  });
});

test.each([
  [26, "sensitive", "content_filter"],
  [20, "refusal", "content_filter"],
  [1001, "eos", "stop"],
  [1005, "eos_token", "stop"],
  [1006, "end_turn", "stop"],
  [8, "max_tokens", "length"],
  [1, "content_filter", "content_filter"],
  [43, "brand_new", "brand_new"],
])("type %i: %s is %s for chat clients, also where bytes pass through", async (type, native, reason) => {
  const quoted = '"finish_reason":"quoted"';
  const relay = start(type, chatAnswer(native, quoted));
  const complete = (await (await ask(relay, "chat")).json()) as { choices: { finish_reason: string }[] };
  expect(complete.choices).toMatchObject([{ finish_reason: reason, message: { content: quoted } }]);
  const stream = await (await ask(relay, "chat", true)).text();
  expect([...stream.matchAll(/"finish_reason":"(\w+)"/g)].map(([, word]) => word)).toEqual([reason]);
  expect(stream).toContain(JSON.stringify(quoted));
  expect(stream).toEndWith("data: [DONE]\n\n");
});

test("an unknown reason is visible, never a stop", async () => {
  const relay = start(24, googleAnswer(gemini("BRAND_NEW", undefined, "Hello")));
  const chat = (await (await ask(relay, "chat")).json()) as { choices: { finish_reason: string }[] };
  expect(chat.choices[0]?.finish_reason).toBe("BRAND_NEW");
  const message = (await (await ask(relay, "messages")).json()) as { stop_reason: string };
  expect(message.stop_reason).toBe("BRAND_NEW");
  const response = (await (await ask(relay, "responses")).json()) as { status: string; incomplete_details: object };
  expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "BRAND_NEW" } });
  const other = start(8, chatAnswer("brand_new", "Hello"));
  const google = await other.post("/v1beta/models/m:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] });
  expect(await google.json()).toMatchObject({ candidates: [{ finishReason: "OTHER", finishMessage: "brand_new" }] });
});

test("a client of the provider's own format reads its own word", async () => {
  const body = gemini("MALFORMED_FUNCTION_CALL", "because of it");
  const relay = start(24, googleAnswer(body));
  const request = { contents: [{ parts: [{ text: "Hi" }] }] };
  const answer = await relay.post("/v1beta/models/m:generateContent", request);
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(body)));
  const stream = await relay.post("/v1beta/models/m:streamGenerateContent?alt=sse", request);
  expect(await stream.text()).toContain("MALFORMED_FUNCTION_CALL");
});

test.each([
  ["MALFORMED_FUNCTION_CALL", "1", [502, 200]],
  ["MALFORMED_FUNCTION_CALL", "0", [200]],
  ["MISSING_THOUGHT_SIGNATURE", "1", [200]],
])(
  "%s for a client of that format, with %s retries: another channel answers where it can help",
  async (reason, retries, attempts) => {
    const request = { contents: [{ parts: [{ text: "Hi" }] }] };
    for (const method of ["generateContent", "streamGenerateContent?alt=sse"]) {
      const relay = start(24, googleAnswer(gemini(reason, "because of it")), chatAnswer("stop", "Hello"), retries);
      const answer = await (await relay.post(`/v1beta/models/m:${method}`, request)).text();
      expect(answer).toContain(attempts.length > 1 ? "Hello" : reason);
      expect(answer.includes(reason)).toBe(attempts.length === 1);
      const { other } = await relay.billing.nextRecord();
      expect(other.admin_info?.attempts.map(({ status }) => status)).toEqual(attempts);
    }
  },
);

describe("an overloaded Anthropic", () => {
  const overloaded = () =>
    Response.json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, { status: 529 });

  test.each<[Client, number]>([
    ["chat", 503],
    ["messages", 529],
    ["responses", 503],
  ])("%s: %d", async (client, status) => {
    const relay = start(14, overloaded);
    expect((await ask(relay, client)).status).toBe(status);
    expect((await ask(relay, client, true)).status).toBe(status);
  });

  test("Gemini: 503 UNAVAILABLE", async () => {
    const relay = start(14, overloaded);
    const refused = await relay.post("/v1beta/models/m:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } });
  });
});
