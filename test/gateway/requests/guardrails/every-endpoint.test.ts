/** Guardrails at every kind of call: what comes in passes the rules for requests, what leaves those for answers, texts wherever they are. */
import { afterEach, describe, expect, test } from "bun:test";
import { ANSWER_KINDS } from "../../../../src/gateway/call/guardrails/answer/answer-kinds.ts";
import type { Capability } from "../../../../src/providers/contract/provider.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MAIL = "ann@example.org";
const IMAGE = "iVBORw0KGgo".repeat(60);
const model = "gpt-4o";
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
/** A number that a mask must not find in an image: it would change it. */
const imageWith = (text: string) => ({ b64_json: `${IMAGE}4111111111111111${IMAGE}`, revised_prompt: text });

/** A call with a text in its request, and an answer with one. Null: the text of an answer is none of its own, as of audio. */
type Sample = Readonly<{
  path: string;
  request(text: string): object | FormData;
  answer: ((text: string) => object) | null;
}>;

const upload = (fields: Readonly<Record<string, string>>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model, ...fields })) form.set(name, value);
  form.set(fields.language ? "file" : "image", new File([new Uint8Array(10)], fields.language ? "a.wav" : "a.png"));
  return form;
};
const transcript = (text: string) => ({
  ...{ text, duration: 1, words: text.split(" ").map((word) => ({ word, start: 0, end: 1 })) },
  segments: [{ id: 0, text, tokens: [1, 2], start: 0, end: 1 }],
  logprobs: [{ token: text, logprob: 0, bytes: [1] }],
});
const drawn = (text: string) => ({
  created: 1,
  data: [imageWith(text)],
  usage: { input_tokens: 3, output_tokens: 2 },
});

/** Calls that are answered at once; sessions and MCP servers have tests of their own. */
type Answered = Exclude<Capability, "realtime" | "live" | "mcp">;

const SAMPLES: Readonly<Record<Answered, readonly Sample[]>> = {
  chat: [
    {
      path: "/v1/chat/completions",
      request: (text) => ({ messages: [{ role: "user", content: text }] }),
      answer: (text) =>
        chatReply({ choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }] }),
    },
    {
      path: "/v1/messages",
      request: (text) => ({ max_tokens: 9, system: text, messages: [{ role: "user", content: "Hi" }] }),
      answer: (text) =>
        chatReply({ choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }] }),
    },
  ],
  completions: [
    {
      path: "/v1/completions",
      request: (prompt) => ({ prompt }),
      answer: (text) => ({
        ...{ id: "c", object: "text_completion", model, usage },
        choices: [{ index: 0, text, finish_reason: "stop" }],
      }),
    },
  ],
  embeddings: [{ path: "/v1/embeddings", request: (input) => ({ input: ["Hi", input] }), answer: null }],
  moderations: [
    {
      path: "/v1/moderations",
      request: (text) => ({ input: [{ type: "text", text }] }),
      answer: (text) => ({
        id: "m",
        model,
        results: [{ flagged: false, categories: {}, category_scores: {}, explanation: text }],
      }),
    },
  ],
  rerank: [
    {
      path: "/v1/rerank",
      request: (text) => ({ query: "Hi", documents: ["one", { text }] }),
      answer: (text) => ({ model, usage, results: [{ index: 1, relevance_score: 0.5, document: { text } }] }),
    },
    { path: "/v1/rerank", request: (query) => ({ query, documents: ["one"] }), answer: null },
  ],
  images: [{ path: "/v1/images/generations", request: (prompt) => ({ prompt }), answer: drawn }],
  "image-edits": [{ path: "/v1/images/edits", request: (prompt) => upload({ prompt }), answer: drawn }],
  "image-variations": [{ path: "/v1/images/variations", request: (user) => upload({ user }), answer: drawn }],
  speech: [
    { path: "/v1/audio/speech", request: (input) => ({ input, voice: "alloy", instructions: "Sing" }), answer: null },
  ],
  songs: [{ path: "/v1/audio/music", request: (prompt) => ({ prompt, lyrics: "la" }), answer: null }],
  transcriptions: [
    { path: "/v1/audio/transcriptions", request: (prompt) => upload({ prompt, language: "en" }), answer: transcript },
  ],
  translations: [
    { path: "/v1/audio/translations", request: (prompt) => upload({ prompt, language: "en" }), answer: transcript },
  ],
};

const ALL = Object.entries(SAMPLES).flatMap(([capability, samples]) =>
  samples.map((sample) => [capability, sample.path, sample] as const),
);
const ANSWERED = ALL.filter(([, , { answer }]) => answer !== null);

function start(guardrails: object, answer: (sent: string) => Response) {
  const upstream = startUpstream(({ text }) => answer(text));
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: [model] }],
    options: { Guardrails: JSON.stringify(guardrails), ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(upstream.stop, relay.stop);
  const ask = async ({ path, request }: Sample, text: string) => {
    const body = request(text);
    const isForm = body instanceof FormData;
    const response = await fetch(relay.url + path, {
      ...{ method: "POST", body: isForm ? body : JSON.stringify({ model, ...body }) },
      headers: { authorization: "Bearer sk-test", ...(!isForm && { "content-type": "application/json" }) },
    });
    return { status: response.status, text: await response.text() };
  };
  return { upstream, relay, ask };
}

test("every kind of call has a line here", () => {
  const others = ["realtime", "live", "mcp"];
  expect(Object.keys(SAMPLES).sort()).toEqual(
    Object.keys(ANSWER_KINDS)
      .filter((kind) => !others.includes(kind))
      .sort(),
  );
  // What has no text in its answers has no answer here, and the other way round.
  const texts = new Set(ANSWERED.map(([capability]) => capability));
  for (const [capability, kind] of Object.entries(ANSWER_KINDS))
    if (!others.includes(capability) && capability !== "songs")
      expect([capability, texts.has(capability)]).toEqual([capability, kind !== "no text"]);
});

describe.each(ALL)("%s at %s", (_, __, sample) => {
  test("is refused for a word in its request, before it is sent", async () => {
    const { ask, upstream, relay } = start({ g: { kind: "words", words: ["forbidden"], phases: ["request"] } }, () =>
      Response.json({}),
    );
    expect((await ask(sample, "so forbidden!")).status).toBe(400);
    expect(upstream.received).toEqual([]);
    expect((await relay.billing.nextRecord()).other.guardrails?.verdicts).toMatchObject([
      { name: "g", phase: "request" },
    ]);
  });

  test("is sent masked, or not at all", async () => {
    const { ask, upstream } = start({ g: { kind: "personal_data", action: "mask", phases: ["request"] } }, () =>
      Response.json({}, { status: 400 }),
    );
    await ask(sample, `to ${MAIL}`);
    expect(upstream.received.map(({ text }) => text).join()).not.toContain(MAIL);
  });
});

describe.each(ANSWERED)("the answer of %s at %s", (_, __, sample) => {
  const made = sample.answer?.(`Write to ${MAIL} now`) ?? {};
  const of = async (rule: object) => {
    const { ask, relay } = start({ g: { kind: "personal_data", phases: ["answer"], ...rule } }, () =>
      Response.json(made),
    );
    const answer = await ask(sample, "Hi");
    return { ...answer, record: await relay.billing.nextRecord() };
  };

  test("is masked, charged in full, and an image in it stays as it is", async () => {
    const { status, text, record } = await of({ action: "mask" });
    const plain = await of({ enabled: false });
    expect([status, record.quota]).toEqual([200, plain.record.quota]);
    expect(text).not.toMatch(/ann@|example\.org/);
    expect(text).toMatch(/\[EMAIL_\w{8}\]/);
    if ("data" in made) expect(text).toContain(`${IMAGE}4111111111111111${IMAGE}`);
    expect(record.other.guardrails?.verdicts[0]).toMatchObject({ name: "g", phase: "answer", action: "mask" });
  });

  test("is withheld where it is blocked, and charged", async () => {
    const { status, text, record } = await of({ action: "block" });
    expect([status, record.quota]).toEqual([200, (await of({ enabled: false })).record.quota]);
    expect(text).not.toMatch(/ann@|example\.org/);
    expect(text).not.toContain(IMAGE);
  });

  test.each([{ shadow: true }, { action: "flag" }])("stays byte for byte with %j, and is noted", async (rule) => {
    const { text, record } = await of(rule);
    expect(text.replace(/"(?:id|created)":[^,}]+/g, "")).toBe(
      (await of({ enabled: false })).text.replace(/"(?:id|created)":[^,}]+/g, ""),
    );
    expect(record.other.guardrails?.verdicts).toMatchObject([{ name: "g", phase: "answer" }]);
  });

  test("has back what was masked in its request", async () => {
    if (sample.request("") instanceof FormData) return;
    const { ask, upstream } = start({ g: { kind: "personal_data", action: "mask" } }, (sent) =>
      Response.json(sample.answer?.(`Back: ${/\[EMAIL_\w{8}\]/.exec(sent)?.[0] ?? "nothing"}`) ?? {}),
    );
    const { text } = await ask(sample, `to ${MAIL}`);
    expect(upstream.received[0]?.text).not.toContain(MAIL);
    expect(text).toContain(`Back: ${MAIL}`);
  });
});

test.each([
  ["/v1/embeddings", { input: [[15339, 1917]] }],
  ["/v1/embeddings", { input: [15339] }],
  ["/v1/completions", { prompt: [15339, 1917] }],
])("token ids at %s pass no guardrail that reads texts: %j", async (path, body) => {
  const answer = { object: "list", data: [{ object: "embedding", index: 0, embedding: [1] }], model, usage };
  const rule = { kind: "words", words: ["forbidden"], phases: ["request"] };
  const { relay, upstream } = start({ g: rule }, () => Response.json(answer));
  expect((await (await relay.post(path, { model, ...body })).json()).error.code).toBe("guardrail_unsupported");
  expect(upstream.received).toEqual([]);
  const shadow = start({ g: { ...rule, shadow: true } }, () => Response.json(answer));
  expect((await shadow.relay.post("/v1/embeddings", { model, input: [15339] })).status).toBe(200);
});

test("a number in two segments of a transcript leaves neither in its pieces", async () => {
  const [sample] = SAMPLES.transcriptions;
  const answer = {
    ...{ text: "Pay 4111 1111 1111 1111 now", duration: 1 },
    words: ["Pay", "4111", "1111", "1111", "1111", "now"].map((word) => ({ word, start: 0, end: 1 })),
    segments: [
      { id: 0, text: "Pay 4111 1111", tokens: [1] },
      { id: 1, text: "1111 1111 now", tokens: [2] },
    ],
  };
  const { ask } = start({ g: { kind: "personal_data", action: "mask", phases: ["answer"] } }, () =>
    Response.json(answer),
  );
  const { text } = await ask(sample as Sample, "Hi");
  expect(JSON.parse(text).text).toMatch(/^Pay \[CARD_\w{8}\] now$/);
  expect(text).not.toContain("1111");
});

test("a stream of images is filtered event by event", async () => {
  const events = ["image_generation.partial_image", "image_generation.completed"].map(
    (type) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...imageWith(`for ${MAIL}`), usage: { input_tokens: 1, output_tokens: 2 } })}\n\n`,
  );
  const { relay } = start(
    { g: { kind: "personal_data", action: "mask", phases: ["answer"] } },
    () => new Response(events.join(""), { headers: { "content-type": "text/event-stream" } }),
  );
  const text = await (await relay.post("/v1/images/generations", { model, prompt: "Hi", stream: true })).text();
  expect(text).toContain("event: image_generation.completed");
  expect(text).toContain("for [EMAIL_");
  expect(text).toContain(IMAGE);
  expect(text).not.toContain(MAIL);
});
