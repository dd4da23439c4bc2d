/** OpenAI's own client at every address that is offered, and what each call is charged. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import type { ObjectStore, StoredObject } from "../../../src/gateway/state/objects/store.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

const USAGE = { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 };
const IO_USAGE = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
const VECTOR = [0.5, 0.25];

/** What OpenAI's API answers, by its path. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  "/v1/chat/completions": {
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: USAGE,
  },
  "/v1/completions": { id: "c", object: "text_completion", choices: [{ index: 0, text: "Hi" }], usage: USAGE },
  "/v1/responses": {
    id: "resp_1",
    object: "response",
    status: "completed",
    model: "m",
    output: [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
    usage: IO_USAGE,
  },
  "/v1/embeddings": {
    object: "list",
    data: [
      { object: "embedding", index: 0, embedding: Buffer.from(new Float32Array(VECTOR).buffer).toString("base64") },
    ],
    usage: { prompt_tokens: 100, total_tokens: 100 },
  },
  "/v1/moderations": { id: "modr-1", model: "m", results: [{ flagged: false }] },
  "/v1/images/generations": { created: 1, data: [{ b64_json: "AAAA" }] },
  "/v1/images/edits": { created: 1, data: [{ b64_json: "AAAA" }] },
  "/v1/images/variations": { created: 1, data: [{ b64_json: "AAAA" }] },
  "/v1/audio/transcriptions": { text: "hi", usage: { type: "duration", seconds: 90 } },
  "/v1/audio/translations": { text: "hi", duration: 30 },
  "/v1/files": { id: "file-1", object: "file", filename: "a.jsonl", purpose: "batch" },
  "/v1/files/file-1": { id: "file-1", object: "file", filename: "a.jsonl", purpose: "batch" },
  "/v1/uploads": { id: "upload_1", object: "upload", status: "pending" },
  "/v1/uploads/upload_1/parts": { id: "part_1", object: "upload.part", upload_id: "upload_1" },
  "/v1/uploads/upload_1/complete": {
    id: "upload_1",
    object: "upload",
    status: "completed",
    file: { id: "file-2", object: "file", filename: "b.jsonl" },
  },
  "/v1/batches": { id: "batch_1", object: "batch", status: "in_progress", input_file_id: "file-1" },
  "/v1/batches/batch_1/cancel": { id: "batch_1", object: "batch", status: "cancelling" },
  "/v1/fine_tuning/jobs": { id: "ftjob-1", object: "fine_tuning.job", status: "running", model: "m" },
  "/v1/fine_tuning/jobs/ftjob-1/cancel": { id: "ftjob-1", object: "fine_tuning.job", status: "cancelled", model: "m" },
  "/v1/fine_tuning/jobs/ftjob-1/events": { object: "list", data: [{ id: "ftevent-1" }], has_more: false },
};

const upstream = Bun.serve<unknown>({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request, server) {
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/realtime") return server.upgrade(request, { data: null }) ? undefined : new Response(null);
    await request.arrayBuffer();
    if (pathname === "/v1/audio/speech") {
      return new Response(new Uint8Array([1, 2, 3]), { headers: { "content-type": "audio/mpeg" } });
    }
    if (pathname.endsWith("/content")) return new Response('{"body":{"model":"m","messages":[]}}');
    const answer = ANSWERS[pathname];
    return answer ? Response.json(answer) : Response.json({ error: { message: "unknown" } }, { status: 404 });
  },
  websocket: {
    message: (peer) =>
      void peer.send(
        JSON.stringify({ type: "response.done", response: { id: "r", status: "completed", usage: IO_USAGE } }),
      ),
  },
});

const storedObjects = new Map<string, StoredObject>();
const objects: ObjectStore = {
  keep: async (object) => void storedObjects.set(object.id, { ...storedObjects.get(object.id), ...object }),
  find: async (kind, id) => (storedObjects.get(id)?.kind === kind ? (storedObjects.get(id) ?? null) : null),
  keepPaid: async () => true,
  findAll: async (ids) => [...storedObjects.values()].filter(({ id }) => ids.includes(id)),
  list: async ({ kind }) => [...storedObjects.values()].filter((object) => object.kind === kind),
  remove: async (id) => void storedObjects.delete(id),
  unsettled: async () => [],
  settled: async () => {},
};

const MODELS = ["m", "dall-e-3", "tts-1", "whisper-1"];
const relay = startRelay({
  channels: [{ baseUrl: `http://127.0.0.1:${upstream.port}`, models: MODELS }],
  objects,
  options: {
    ModelRatio: '{"m": 1, "tts-1": 7.5, "whisper-1": 15, "m-training": 1}',
    CompletionRatio: '{"m": 2}',
    ModelPrice: '{"dall-e-3": 0.04}',
  },
});
afterAll(() => {
  relay.stop();
  upstream.stop(true);
});
beforeEach(() => void relay.billing.records.splice(0));

const messages = [{ role: "user" as const, content: "hi" }];
const imageFile = () => toFile(new Uint8Array([1, 2, 3]), "a.png", { type: "image/png" });
const lines = () => toFile(Buffer.from("{}"), "a.jsonl");

/** Name → what the client does, and the quota units that it costs; null: nothing is charged at all. */
const CALLS: readonly (readonly [string, (client: OpenAI) => PromiseLike<unknown>, number | null])[] = [
  ["chat", (client) => client.chat.completions.create({ model: "m", messages }), 140],
  ["completions", (client) => client.completions.create({ model: "m", prompt: "hi" }), 140],
  ["responses", (client) => client.responses.create({ model: "m", input: "hi" }), 140],
  ["embeddings", (client) => client.embeddings.create({ model: "m", input: "hi" }), 100],
  ["moderations", (client) => client.moderations.create({ model: "m", input: "hello there" }), 2],
  ["images", (client) => client.images.generate({ model: "dall-e-3", prompt: "a gate", size: "1792x1024" }), 40_000],
  [
    "image edits",
    async (client) => client.images.edit({ model: "dall-e-3", prompt: "a", image: await imageFile() }),
    20_000,
  ],
  [
    "image variations",
    async (client) => client.images.createVariation({ model: "dall-e-3", image: await imageFile() }),
    20_000,
  ],
  // 8 characters × 7.5
  ["speech", (client) => client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Hi there" }), 60],
  // 90 s are 1,500 tokens × 15; 30 s are 500
  [
    "transcriptions",
    async (client) => client.audio.transcriptions.create({ model: "whisper-1", file: await lines() }),
    22_500,
  ],
  [
    "translations",
    async (client) => client.audio.translations.create({ model: "whisper-1", file: await lines() }),
    7_500,
  ],
  ["files: create", async (client) => client.files.create({ file: await lines(), purpose: "batch" }), null],
  ["files: retrieve", (client) => client.files.retrieve("file-1"), null],
  ["files: list", (client) => client.files.list(), null],
  ["files: content", (client) => client.files.content("file-1"), null],
  [
    "uploads: create",
    (client) => client.uploads.create({ filename: "b", bytes: 2, mime_type: "a/b", purpose: "batch" }),
    null,
  ],
  ["uploads: part", async (client) => client.uploads.parts.create("upload_1", { data: await lines() }), null],
  ["uploads: complete", (client) => client.uploads.complete("upload_1", { part_ids: ["part_1"] }), null],
  ["the upload's file", async () => storedObjects.get("file-2") ?? Promise.reject(new Error("not kept")), null],
  [
    "batches: create",
    (client) =>
      client.batches.create({ input_file_id: "file-1", endpoint: "/v1/chat/completions", completion_window: "24h" }),
    null,
  ],
  ["batches: list", (client) => client.batches.list(), null],
  ["batches: cancel", (client) => client.batches.cancel("batch_1"), null],
  ["jobs: create", (client) => client.fineTuning.jobs.create({ model: "m", training_file: "file-1" }), null],
  ["jobs: events", (client) => client.fineTuning.jobs.listEvents("ftjob-1"), null],
  ["jobs: cancel", (client) => client.fineTuning.jobs.cancel("ftjob-1"), null],
  ["models", (client) => client.models.list(), null],
];

test.each(CALLS)("%s", async (_name, ask, quota) => {
  for (const base of ["/v1", "/hf/v1"]) {
    const client = new OpenAI({ apiKey: "sk-test", baseURL: relay.url + base, maxRetries: 0 });
    expect(await ask(client)).toBeDefined();
  }
  expect(relay.billing.records.map((record) => record.quota)).toEqual(quota === null ? [] : [quota, quota]);
  expect(relay.billing.openHolds).toBe(0);
});

/** The client knows encrypted connections alone; the server of this test has none. */
const Encrypted = globalThis.WebSocket;
class Unencrypted extends Encrypted {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(String(url).replace(/^wss:/, "ws:"), protocols);
  }
}

test("realtime", async () => {
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, dangerouslyAllowBrowser: true });
  globalThis.WebSocket = Unencrypted;
  const realtime = new OpenAIRealtimeWebSocket({ model: "m", dangerouslyAllowBrowser: true }, client);
  globalThis.WebSocket = Encrypted;
  const done = Promise.withResolvers<unknown>();
  realtime.on("error", (error) => done.reject(error));
  realtime.on("response.done", (event) => done.resolve(event));
  realtime.socket.addEventListener("open", () => realtime.send({ type: "response.create" }));
  expect(await done.promise).toMatchObject({ type: "response.done" });
  expect((await relay.billing.nextRecord()).quota).toBe(140);
  realtime.close();
});

test("what is not offered answers 501 in OpenAI's form", async () => {
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const failureOf = (work: PromiseLike<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    );
  const notOffered = { status: 501, code: "api_not_implemented", type: "sluice_error" };
  expect(await failureOf(client.get("/threads/thread_1"))).toMatchObject(notOffered);
});
