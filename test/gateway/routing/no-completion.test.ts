/** A response with status 200 that is none of the API's: the attempt failed, the next channel answers, nothing is charged. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const JSON_TYPE = "application/json";
const EVENTS = "text/event-stream";
/** What a login page, a captive portal, a wrong address or a proxy that lost its upstream answers. */
const BODIES: Readonly<Record<string, readonly [body: string, contentType: string]>> = {
  "a web page": ["<!DOCTYPE html><html><body>Log in</body></html>", "text/html"],
  "a web page that says it is JSON": ["<html><body>Log in</body></html>", JSON_TYPE],
  "a text": ["It works!", "text/plain"],
  nothing: ["", JSON_TYPE],
  blanks: [" \n\n", JSON_TYPE],
  "another object": ['{"hello":1}', JSON_TYPE],
  "an empty object": ["{}", JSON_TYPE],
  "a list": ["[]", JSON_TYPE],
  null: ["null", JSON_TYPE],
  "half an answer": ['{"id":"1","choices":[{"message":{"content":"Hel', JSON_TYPE],
  "a member's name inside of a text": ['{"hello":"\\"choices\\" \\"data\\" \\"content\\""}', JSON_TYPE],
};
const STREAMS: Readonly<Record<string, readonly [body: string, contentType: string]>> = {
  ...BODIES,
  "an event of something else": ['data: {"hello":1}\n\n', EVENTS],
  "events of something else": ['event: tick\ndata: {"hello":1}\n\ndata: {"hello":2}\n\ndata: [DONE]\n\n', EVENTS],
  "events without JSON": ["data: hello\n\n", EVENTS],
  "an end marker alone": ["data: [DONE]\n\n", EVENTS],
  "comments alone": [": waiting\n\n: waiting\n\n", EVENTS],
  "a web page as events": ["<html>\n\n</html>\n\n", EVENTS],
};

const MESSAGES = [{ role: "user", content: "Hi" }];
const CHATS = {
  chat: ["/v1/chat/completions", { messages: MESSAGES }],
  responses: ["/v1/responses", { input: "Hi" }],
  messages: ["/v1/messages", { max_tokens: 9, messages: MESSAGES }],
  gemini: ["/v1beta/models/MODEL:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
} as const;
/** OpenAI, Anthropic and Gemini: their own formats and the translation from each other. */
const TYPES = { openai: 1, anthropic: 14, gemini: 24 } as const;

const OTHERS = {
  completions: ["/v1/completions", { prompt: "Hi" }],
  embeddings: ["/v1/embeddings", { input: "Hi" }],
  moderations: ["/v1/moderations", { input: "Hi" }],
  rerank: ["/v1/rerank", { query: "a", documents: ["b"] }],
  images: ["/v1/images/generations", { prompt: "a lock" }],
} as const;

/** Nothing was drawn or embedded, so nothing is charged. */
const EMPTY_LIST = ['{"created": 1, "data" : [ ], "usage": {"prompt_tokens": 9}}', JSON_TYPE] as const;

type Body = readonly [body: string, contentType: string];
type Post = (model: string, relay: ReturnType<typeof startRelay>) => Promise<Response>;

/** A gateway with a model for each of the bodies, and two channels for each model whose upstream sends that body. */
function start(type: number, bodies: readonly Body[]) {
  const upstream = startUpstream(({ path }) => {
    const [body, contentType] = bodies[Number(/^\/body-(\d+)/.exec(path)?.[1])] ?? ["", ""];
    return new Response(body, { headers: { "content-type": contentType } });
  });
  const channels = bodies.flatMap((_, index) => {
    const channel = { type, baseUrl: `${upstream.url}/body-${index}`, models: [`m${index}`] };
    return [channel, { ...channel, priority: -1 }];
  });
  const ratios = Object.fromEntries(bodies.map((_, index) => [`m${index}`, 1]));
  const relay = startRelay({ channels, options: { RetryTimes: "1", ModelRatio: JSON.stringify(ratios) } });
  stops.push(upstream.stop, relay.stop);
  return relay;
}

/** Posts a call for each body: both channels are called, and nobody pays. */
async function expectRefused(type: number, bodies: Readonly<Record<string, Body>>, post: Post): Promise<void> {
  const relay = start(type, Object.values(bodies));
  for (const [index, name] of Object.keys(bodies).entries()) {
    const response = await post(`m${index}`, relay);
    const text = await response.text();
    expect(`${name}: ${response.status}`).toBe(`${name}: 502`);
    expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
    await until(() => relay.billing.openHolds === 0);
    const { quota, other } = await relay.billing.nextRecord(index + 1);
    const channels = [2 * index + 1, 2 * index + 2].map(String);
    expect([name, quota, other.admin_info?.use_channel]).toEqual([name, 0, channels]);
  }
}

for (const [typeName, type] of Object.entries(TYPES)) {
  test.each(Object.entries(CHATS))(`${typeName} to a client of %s`, async (format, [path, body]) => {
    const named = (model: string) => (format === "gemini" ? body : { model, ...body });
    await expectRefused(type, BODIES, (model, relay) => relay.post(path.replace("MODEL", model), named(model)));
    await expectRefused(type, STREAMS, (model, relay) => {
      const streamPath = path.replace(":generateContent", ":streamGenerateContent?alt=sse").replace("MODEL", model);
      return relay.post(streamPath, format === "gemini" ? body : { ...named(model), stream: true });
    });
  });
}

test.each(Object.entries(OTHERS))("%s", (_, [path, body]) =>
  expectRefused(1, BODIES, (model, relay) => relay.post(path, { model, ...body })),
);

test.each(["embeddings", "images"] as const)("%s without an entry", (capability) => {
  const [path, body] = OTHERS[capability];
  return expectRefused(1, { "an empty list": EMPTY_LIST }, (model, relay) => relay.post(path, { model, ...body }));
});

test.each(["images", "completions"] as const)("%s as a stream", (capability) => {
  const [path, body] = OTHERS[capability];
  const bodies = { ...STREAMS, "an empty list": EMPTY_LIST };
  return expectRefused(1, bodies, (model, relay) => relay.post(path, { model, ...body, stream: true }));
});

const audioFile = new File([new Uint8Array(400)], "a.mp3", { type: "audio/mpeg" });
const imageFile = new File([new Uint8Array(400)], "a.png", { type: "image/png" });
const postForm = (path: string, fields: Readonly<Record<string, string | File>>): Post => {
  return (model, relay) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, ...fields })) form.set(name, value);
    return fetch(relay.url + path, { method: "POST", headers: { authorization: "Bearer sk-test" }, body: form });
  };
};

test.each(["transcriptions", "translations"])("audio %s", async (capability) => {
  const path = `/v1/audio/${capability}`;
  await expectRefused(1, BODIES, postForm(path, { file: audioFile }));
  const page = { "a web page as text": BODIES["a web page"] ?? ["", ""] } as const;
  await expectRefused(1, page, postForm(path, { file: audioFile, response_format: "srt" }));
});

test.each(["edits", "variations"])("images %s", (kind) =>
  expectRefused(
    1,
    { ...BODIES, "an empty list": EMPTY_LIST },
    postForm(`/v1/images/${kind}`, { prompt: "a lock", image: imageFile }),
  ),
);

test("speech is neither a web page nor nothing", () => {
  const names = [
    "a web page",
    "a web page that says it is JSON",
    "nothing",
    "another object",
    "events of something else",
  ];
  const bodies = Object.fromEntries(names.map((name) => [name, STREAMS[name] ?? (["", ""] as const)]));
  return expectRefused(1, { ...bodies, "no bytes": ["", "audio/mpeg"] }, (model, relay) =>
    relay.post("/v1/audio/speech", { model, input: "Hi", voice: "alloy" }),
  );
});

test("a stream may begin with events that mean nothing here, which are passed on", async () => {
  const chunk = '{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}';
  const events = `data: {"hello":1}\n\n: waiting\n\ndata: ${chunk}\n\ndata: [DONE]\n\n`;
  const relay = start(1, [[events, EVENTS]]);
  const answer = await relay.post("/v1/chat/completions", { model: "m0", messages: MESSAGES, stream: true });
  const text = await answer.text();
  expect(text).toContain('{"hello":1}');
  expect(text).toContain(chunk);
});
