import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { shippedCatalog } from "../../../catalog/catalog.ts";
import type { SafeFetch, SafeRequest, SafeResponse } from "../../../lib/outbound/safe-fetch.ts";
import { sayReason } from "../../../lib/reason.ts";
import type { Provider } from "../../../providers/contract/provider.ts";
import { channelTypes, providerOf } from "../../../providers/registry.ts";
import { kindOfModel, type ModelKind } from "./model-kind.ts";
import { callModel } from "./test-call.ts";
import { modelOfRoutineTest } from "./test-channel.ts";

type Answer = Readonly<{ status?: number; body: string | Uint8Array<ArrayBuffer>; type?: string }>;
type Seen = Readonly<{ url: string; request: SafeRequest }>;

/** A fetch that answers token exchanges with one answer, everything else with another. */
function fetchWith(answer: Answer, token: Answer = { body: JSON.stringify({ access_token: "t", expires_in: 3600 }) }) {
  const seen: Seen[] = [];
  const respond = ({ status = 200, body, type = "application/json" }: Answer, url: string): SafeResponse => {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return {
      status,
      headers: new Headers({ "content-type": type }),
      url,
      body: bytes,
      text: () => Buffer.from(bytes).toString(),
    };
  };
  const fetch: SafeFetch = async (url, request = {}) => {
    const isToken = /oauth|token/.test(new URL(url).pathname);
    if (!isToken) seen.push({ url, request });
    return respond(isToken ? token : answer, url);
  };
  return { fetch, seen };
}

const PEM = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(
  await crypto.subtle.exportKey(
    "pkcs8",
    (
      await crypto.subtle.generateKey(
        { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
        true,
        ["sign"],
      )
    ).privateKey,
  ),
).toString("base64")}\n-----END PRIVATE KEY-----\n`;

/** Keys in the shape that a type wants, beyond plain ones. */
const KEYS: Readonly<Record<number, string>> = {
  15: "id|secret",
  18: "app|secret|key",
  23: "1|id|secret",
  33: "id|secret|us-east-1",
  1007: "id|secret|us-east-1",
  41: JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "k",
    private_key: PEM,
    client_email: "a@p.example",
    token_uri: "http://upstream.test/token",
  }),
};

/** A key of its own for each test: access tokens are kept. */
let keys = 0;
const keyOf = ({ type }: Pick<Provider, "type">) => {
  keys += 1;
  return (KEYS[type] ?? "sk-1|sk-2").replace("a@p.example", `${keys}@p.example`).replace(/^id/, `id${keys}`);
};
const channelOf = ({ type }: Pick<Provider, "type">, models: readonly string[]) =>
  channelEntry({ type, baseUrl: "http://upstream.test", models: [...models], keys: [keyOf({ type })], other: "" });

function ask(type: number, kind: ModelKind, requested: string, answer: Answer, token?: Answer) {
  const provider = providerOf(type);
  if (!provider) throw new Error("no such type");
  const { fetch, seen } = fetchWith(answer, token);
  const tested = { channel: channelOf(provider, [requested]), provider, kind, requested, key: keyOf(provider) };
  return callModel(fetch, tested).then((problem) => ({ problem, seen }));
}

const KINDS = [
  "chat",
  "embeddings",
  "rerank",
  "moderations",
  "images",
  "speech",
  "songs",
  "transcriptions",
  "video",
] as const;
/** Every type with every kind that it offers. */
const CASES = channelTypes.flatMap(({ id, capabilities }) =>
  KINDS.filter((kind) => capabilities.includes(kind)).map((kind) => [id, kind] as const),
);

describe("an answer that no call would accept fails", () => {
  const NOTHING: readonly (readonly [string, Answer])[] = [
    ["an empty object", { body: "{}" }],
    ["an empty list", { body: "[]" }],
    ["a page", { body: "<!doctype html><title>Sign in</title>", type: "text/html" }],
    ["nothing", { body: "" }],
    ["another object", { body: '{"status":"ok"}' }],
    ["null", { body: "null" }],
  ];

  test.each(CASES)("%i %s", async (type, kind) => {
    const model =
      providerOf(type)?.models.find((name) => kindOfModel(name, { capabilities: [kind] }, shippedCatalog)) ?? "m";
    for (const [what, answer] of NOTHING) {
      const { problem, seen } = await ask(type, kind, model, answer);
      expect([what, seen.length > 0, problem !== null]).toEqual([what, true, true]);
      expect(sayReason(problem?.message ?? "", "en")).not.toBe("");
    }
  });

  test("there are all kinds among them", () => {
    expect(new Set(CASES.map(([, kind]) => kind))).toEqual(new Set(KINDS));
    expect(CASES.length).toBeGreaterThan(100);
  });
});

const json = (value: object): Answer => ({ body: JSON.stringify(value) });
const AUDIO = new Uint8Array([0xff, 0xfb, 0x90, 0x00, 1, 2, 3]);

/** Model, the path that it is asked at, and an answer that is right there. */
const RIGHT: readonly (readonly [number, string, string, Answer])[] = [
  [1, "gpt-4o-mini", "/v1/chat/completions", json({ choices: [{ message: { content: "hi" } }] })],
  [
    1,
    "gpt-5.1-codex",
    "/v1/responses",
    json({
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] }],
    }),
  ],
  [1, "text-embedding-3-small", "/v1/embeddings", json({ data: [{ embedding: [0.1] }] })],
  [1, "bge-reranker-v2-m3", "/v1/rerank", json({ results: [{ index: 0, relevance_score: 0.9 }] })],
  [1, "omni-moderation-latest", "/v1/moderations", json({ results: [{ flagged: false }] })],
  [1, "dall-e-3", "/v1/images/generations", json({ data: [{ url: "https://x.test/1.png" }] })],
  [1, "gpt-image-1", "/v1/images/generations", json({ data: [{ b64_json: "aGk=" }] })],
  [1, "tts-1", "/v1/audio/speech", { body: AUDIO, type: "audio/mpeg" }],
  [1, "gpt-4o-mini-tts", "/v1/audio/speech", { body: AUDIO, type: "audio/mpeg" }],
  [1, "whisper-1", "/v1/audio/transcriptions", json({ text: "" })],
  [1, "gpt-4o-transcribe", "/v1/audio/transcriptions", json({ text: "la" })],
  [1, "sora-2", "/v1/videos", json({ id: "video_1", object: "video", status: "queued" })],
  [
    14,
    "claude-haiku-4-5",
    "/v1/messages",
    json({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  ],
  [40, "BAAI/bge-reranker-v2-m3", "/v1/rerank", json({ results: [{ index: 0 }] })],
  [38, "jina-reranker-v2-base-multilingual", "/v1/rerank", json({ results: [{ index: 0 }] })],
];

describe("the endpoint of a model's kind is asked", () => {
  test.each(RIGHT)("%i %s at %s", async (type, model, path, answer) => {
    const provider = providerOf(type);
    const kind = provider && kindOfModel(model, provider, shippedCatalog);
    const { problem, seen } = await ask(type, kind ?? "chat", model, answer);
    expect([problem, seen.map(({ url }) => new URL(url).pathname)]).toEqual([null, [path]]);
  });

  test("a transcription gets real audio in a form", async () => {
    const { seen } = await ask(1, "transcriptions", "whisper-1", json({ text: "" }));
    const [{ request } = { request: {} as SafeRequest }] = seen;
    const form = await new Response(request.body, { headers: request.headers ?? {} }).formData();
    const file = form.get("file");
    expect([form.get("model"), file instanceof Blob && file.size > 1_000]).toEqual(["whisper-1", true]);
  });

  test.each([
    [15, 200, { error: "invalid_client", error_description: "unknown client id" }, "unknown client id"],
    [41, 400, { error: "invalid_grant", error_description: "Invalid JWT Signature." }, "Invalid JWT Signature."],
    [41, 401, { error: "invalid_client" }, "invalid_client"],
  ])("%i: a refused exchange of the key says why", async (type, status, answered, words) => {
    const model = type === 15 ? `ERNIE-${Math.random()}` : "gemini-2.5-flash";
    const { problem, seen } = await ask(
      type,
      "chat",
      model,
      { body: "{}" },
      { status, body: JSON.stringify(answered) },
    );
    expect(seen).toEqual([]);
    expect(problem).toMatchObject({ message: `HTTP 401: ${words}`, refusal: { status: 401 } });
  });
});

describe("a routine test", () => {
  test.each([
    [["gpt-image-1", "sora-2", "gpt-4o"], "", "gpt-4o"],
    [["gpt-image-1", "sora-2"], "", null],
    [["gpt-image-1", "sora-2"], "gpt-image-1", "gpt-image-1"],
    [["whisper-1"], "", "whisper-1"],
  ])("of %p with the test model %p asks %p: nothing costly unless somebody chose it", (models, testModel, expected) => {
    expect(modelOfRoutineTest(channelEntry({ type: 1, models, testModel }))).toBe(expected);
  });
});
