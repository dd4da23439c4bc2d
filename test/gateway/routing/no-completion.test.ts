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
  chat: ["/v1/chat/completions", { model: "m", messages: MESSAGES }],
  responses: ["/v1/responses", { model: "m", input: "Hi" }],
  messages: ["/v1/messages", { model: "m", max_tokens: 9, messages: MESSAGES }],
  gemini: ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
} as const;
/** OpenAI, Anthropic and Gemini: their own formats and the translation from each other. */
const TYPES = { openai: 1, anthropic: 14, gemini: 24 } as const;

const OTHERS = {
  completions: ["/v1/completions", { model: "m", prompt: "Hi" }],
  embeddings: ["/v1/embeddings", { model: "m", input: "Hi" }],
  moderations: ["/v1/moderations", { model: "m", input: "Hi" }],
  rerank: ["/v1/rerank", { model: "m", query: "a", documents: ["b"] }],
  images: ["/v1/images/generations", { model: "m", prompt: "a lock" }],
} as const;

function start(type: number, [body, contentType]: readonly [string, string]) {
  const upstream = startUpstream(() => new Response(body, { headers: { "content-type": contentType } }));
  const channel = { type, baseUrl: upstream.url, models: ["m"] };
  const relay = startRelay({
    channels: [channel, { ...channel, priority: -1 }],
    options: { RetryTimes: "1", ModelRatio: JSON.stringify({ m: 1 }) },
  });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
}

/** Each of the two channels was asked, and nobody pays. */
async function expectRefused({ relay }: ReturnType<typeof start>, response: Response, what: string): Promise<void> {
  const text = await response.text();
  expect(`${what}: ${response.status}`).toBe(`${what}: 502`);
  expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
  await until(() => relay.billing.openHolds === 0);
  const record = await relay.billing.nextRecord();
  expect([record.quota, record.other.admin_info?.use_channel]).toEqual([0, ["1", "2"]]);
}

for (const [typeName, type] of Object.entries(TYPES)) {
  test.each(Object.entries(CHATS))(`${typeName} to a client of %s`, async (format, [path, body]) => {
    for (const [name, bad] of Object.entries(BODIES)) {
      const started = start(type, bad);
      await expectRefused(started, await started.relay.post(path, body), `${format} ${name}`);
    }
    for (const [name, bad] of Object.entries(STREAMS)) {
      const started = start(type, bad);
      const streamPath = path.replace(":generateContent", ":streamGenerateContent?alt=sse");
      const response = await started.relay.post(streamPath, format === "gemini" ? body : { ...body, stream: true });
      await expectRefused(started, response, `${format} stream ${name}`);
    }
  });
}

test.each(Object.entries(OTHERS))("%s", async (capability, [path, body]) => {
  for (const [name, bad] of Object.entries(BODIES)) {
    const started = start(1, bad);
    await expectRefused(started, await started.relay.post(path, body), `${capability} ${name}`);
  }
});

/** Nothing was drawn or embedded, so nothing is charged. */
const EMPTY_LIST = ['{"created": 1, "data" : [ ], "usage": {"prompt_tokens": 9}}', JSON_TYPE] as const;

test.each(["embeddings", "images"] as const)("%s without an entry", async (capability) => {
  const [path, body] = OTHERS[capability];
  const started = start(1, EMPTY_LIST);
  await expectRefused(started, await started.relay.post(path, body), `${capability} of nothing`);
});

test.each(["images", "completions"] as const)("%s as a stream", async (capability) => {
  const [path, body] = OTHERS[capability];
  for (const [name, bad] of [...Object.entries(STREAMS), ["an empty list", EMPTY_LIST] as const]) {
    const started = start(1, bad);
    const response = await started.relay.post(path, { ...body, stream: true });
    await expectRefused(started, response, `${capability} stream ${name}`);
  }
});

const audioFile = new File([new Uint8Array(400)], "a.mp3", { type: "audio/mpeg" });
const imageFile = new File([new Uint8Array(400)], "a.png", { type: "image/png" });
const formOf = (fields: Readonly<Record<string, string | File>>): FormData => {
  const form = new FormData();
  form.set("model", "m");
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};
const postForm = ({ relay }: ReturnType<typeof start>, path: string, form: FormData) =>
  fetch(relay.url + path, { method: "POST", headers: { authorization: "Bearer sk-test" }, body: form });

test.each(["transcriptions", "translations"])("audio %s", async (capability) => {
  for (const [name, bad] of Object.entries(BODIES)) {
    const started = start(1, bad);
    await expectRefused(
      started,
      await postForm(started, `/v1/audio/${capability}`, formOf({ file: audioFile })),
      `${capability} ${name}`,
    );
  }
  const page = start(1, BODIES["a web page"] ?? ["", ""]);
  const form = formOf({ file: audioFile, response_format: "srt" });
  await expectRefused(page, await postForm(page, `/v1/audio/${capability}`, form), `${capability} as text`);
});

test.each(["edits", "variations"])("images %s", async (kind) => {
  for (const [name, bad] of [...Object.entries(BODIES), ["an empty list", EMPTY_LIST] as const]) {
    const started = start(1, bad);
    const form = formOf({ prompt: "a lock", image: imageFile });
    await expectRefused(started, await postForm(started, `/v1/images/${kind}`, form), `${kind} ${name}`);
  }
});

test("speech is neither a web page nor nothing", async () => {
  const bad = [
    "a web page",
    "a web page that says it is JSON",
    "nothing",
    "another object",
    "events of something else",
  ];
  for (const name of bad) {
    const started = start(1, STREAMS[name] ?? ["", ""]);
    const ask = { model: "m", input: "Hi", voice: "alloy" };
    await expectRefused(started, await started.relay.post("/v1/audio/speech", ask), `speech ${name}`);
  }
  const silent = start(1, ["", "audio/mpeg"]);
  const response = await silent.relay.post("/v1/audio/speech", { model: "m", input: "Hi", voice: "alloy" });
  await expectRefused(silent, response, "speech of no bytes");
});

test("a stream may begin with events that mean nothing here, which are passed on", async () => {
  const chunk = '{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}';
  const events = `data: {"hello":1}\n\n: waiting\n\ndata: ${chunk}\n\ndata: [DONE]\n\n`;
  const { relay } = start(1, [events, EVENTS]);
  const text = await (
    await relay.post("/v1/chat/completions", { model: "m", messages: MESSAGES, stream: true })
  ).text();
  expect(text).toContain('{"hello":1}');
  expect(text).toContain(chunk);
});
