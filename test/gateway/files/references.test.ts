/** Nobody refers to what is another user's, by no member of any format; what nobody stored here is left to the provider. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { users } from "../../../db/schema/accounts/users.ts";
import { createObjectStore } from "../../../src/gateway/state/objects/store.ts";
import { createResponseStore } from "../../../src/gateway/state/responses/store.ts";
import { createLogger } from "../../../src/lib/runtime/log.ts";
import { createVault } from "../../../src/lib/security/crypto.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { until } from "../../support/lib/until.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const vault = createVault({ encryptionKey: "a key of this test, long enough" });
const OPENAI = 1;
const ANTHROPIC = 14;
const GEMINI = 24;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  for (const id of [1, 2]) {
    await database.db.insert(users).values({ id, username: `user${id}`, affCode: `aff${id}`, createdAt: 0 });
  }
});
afterAll(() => database.close());
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

let count = 0;
/** An upstream that answers in every format with ids of what it stores. */
function startUpstream() {
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      bodies.push(body);
      count += 1;
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const streams = /"stream":\s*true/.test(body);
      if (pathname.endsWith("/responses")) {
        const item = { type: "message", role: "assistant", id: `msg_${count}`, status: "completed" };
        const output = [{ ...item, content: [{ type: "output_text", text: "hi", annotations: [] }] }];
        const response = { id: `resp_${count}`, object: "response", status: "completed", model: "m", output, usage };
        if (!streams) return Response.json(response);
        const events = [
          { type: "response.created", response: { ...response, output: [], status: "in_progress" } },
          { type: "response.completed", response },
        ];
        return new Response(
          events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
          { headers: { "content-type": "text/event-stream" } },
        );
      }
      if (pathname.endsWith("/messages")) {
        const container = { id: `container_${count}`, expires_at: "2030-01-01T00:00:00Z" };
        const made = { type: "bash_code_execution_output", file_id: `file_${count}` };
        const content = [
          { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: {} },
          {
            type: "bash_code_execution_tool_result",
            tool_use_id: "srvtoolu_1",
            content: { type: "bash_code_execution_result", stdout: "", stderr: "", return_code: 0, content: [made] },
          },
          { type: "text", text: "hi" },
        ];
        const ending = { stop_reason: "end_turn", stop_sequence: null, container, usage };
        return Response.json({ id: "msg_a", type: "message", role: "assistant", model: "m", content, ...ending });
      }
      if (pathname.endsWith("/chat/completions")) {
        const audio = { id: `audio_${count}`, data: "AAAA", expires_at: 1, transcript: "hi" };
        const message = { role: "assistant", content: null, audio };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        const spent = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
        return Response.json({ id: "chatcmpl-1", object: "chat.completion", model: "m", choices, usage: spent });
      }
      if (pathname.includes(":generateContent")) {
        const candidates = [{ content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" }];
        return Response.json({ candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } });
      }
      if (pathname.includes("/images/")) return Response.json({ created: 1, data: [{ b64_json: "AAAA" }], usage });
      return Response.json({ id: "x", object: "list", data: [] });
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, bodies };
}

function start(userId: number, baseUrl: string, type: number) {
  const relay = startRelay({
    channels: [{ type, baseUrl, models: ["m", "gpt-image-1"], groups: ["default"] }],
    options: { ModelRatio: '{"m": 1, "gpt-image-1": 1}' },
    objects: createObjectStore(database.db),
    responses: createResponseStore(database.db, log, vault),
    user: { id: userId },
    tokens: { test: { userId } },
  });
  stops.push(relay.stop);
  return async (path: string, body: object) => {
    const response = await relay.post(path, body, { headers: { "anthropic-version": "2023-06-01" } });
    return { status: response.status, text: await response.text() };
  };
}

/** Stores an object of the first user. */
async function keep(kind: "file" | "container" | "conversation" | "vector_store", id: string) {
  await createObjectStore(database.db).keep({
    ...{ id, kind, userId: 1, tokenId: 1, channelId: 1, keyHash: "", body: { id }, createdAt: 1, settledAt: 1 },
    payer: { username: "user1", tokenName: "", tokenLimited: false, group: "default" },
  });
}

/** Parts are stored after the answer. */
const isStored = (id: string) =>
  until(
    () => createResponseStore(database.db, log, vault).placesOfParts([id], 1),
    ({ size }) => size > 0,
  );

const text = (content: unknown) => [{ role: "user", content }];
const EDIT = { model: "gpt-image-1", prompt: "a cat" };
const CHAT = { model: "m", messages: text("hi") };
const MESSAGE = { ...CHAT, max_tokens: 10 };

/** Requests with an id of each kind, in each place of each format. */
const PLACES: readonly (readonly [
  place: string,
  type: number,
  path: string,
  kind: Parameters<typeof keep>[0] | "part",
  body: (id: string) => object,
])[] = [
  ["an image to edit", OPENAI, "/v1/images/edits", "file", (id) => ({ ...EDIT, images: [{ file_id: id }] })],
  ["a mask", OPENAI, "/v1/images/edits", "file", (id) => ({ ...EDIT, images: [], mask: { file_id: id } })],
  ["an image's reference", OPENAI, "/v1/images/generations", "file", (id) => ({ ...EDIT, reference: { file_id: id } })],
  [
    "a file of a chat",
    OPENAI,
    "/v1/chat/completions",
    "file",
    (id) => ({ model: "m", messages: text([{ type: "file", file: { file_id: id } }]) }),
  ],
  [
    "audio of a chat",
    OPENAI,
    "/v1/chat/completions",
    "part",
    (id) => ({ model: "m", messages: [...text("hi"), { role: "assistant", audio: { id } }, ...text("go on")] }),
  ],
  [
    "a file of a response",
    OPENAI,
    "/v1/responses",
    "file",
    (id) => ({ model: "m", input: text([{ type: "input_file", file_id: id }]) }),
  ],
  [
    "an image of a response",
    OPENAI,
    "/v1/responses",
    "file",
    (id) => ({ model: "m", input: text([{ type: "input_image", file_id: id }]) }),
  ],
  [
    "an item",
    OPENAI,
    "/v1/responses",
    "part",
    (id) => ({
      model: "m",
      input: [
        { type: "item_reference", id },
        { role: "user", content: "hi" },
      ],
    }),
  ],
  ["a conversation", OPENAI, "/v1/responses", "conversation", (id) => ({ model: "m", input: "hi", conversation: id })],
  [
    "a container",
    OPENAI,
    "/v1/responses",
    "container",
    (id) => ({ model: "m", input: "hi", tools: [{ type: "code_interpreter", container: id }] }),
  ],
  [
    "files of a container",
    OPENAI,
    "/v1/responses",
    "file",
    (id) => ({
      model: "m",
      input: "hi",
      tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: [id] } }],
    }),
  ],
  [
    "a vector store",
    OPENAI,
    "/v1/responses",
    "vector_store",
    (id) => ({ model: "m", input: "hi", tools: [{ type: "file_search", vector_store_ids: [id] }] }),
  ],
  ["a container of Anthropic", ANTHROPIC, "/v1/messages", "part", (id) => ({ ...MESSAGE, container: id })],
  ["the same with skills", ANTHROPIC, "/v1/messages", "part", (id) => ({ ...MESSAGE, container: { id, skills: [] } })],
  [
    "a file of Anthropic",
    ANTHROPIC,
    "/v1/messages",
    "part",
    (id) => ({ ...MESSAGE, messages: text([{ type: "document", source: { type: "file", file_id: id } }]) }),
  ],
  [
    "a file in a container of Anthropic",
    ANTHROPIC,
    "/v1/messages",
    "file",
    (id) => ({ ...MESSAGE, messages: text([{ type: "container_upload", file_id: id }]) }),
  ],
  [
    "a cache of Gemini",
    GEMINI,
    "/v1beta/models/m:generateContent",
    "part",
    (id) => ({ contents: [{ role: "user", parts: [{ text: "hi" }] }], cachedContent: id }),
  ],
  ["what no format has yet", OPENAI, "/v1/chat/completions", "part", (id) => ({ ...CHAT, brain_id: id })],
];

describe.each(PLACES)("%s", (_, type, path, kind, body) => {
  test("of another user is unknown, and does not reach the provider", async () => {
    const upstream = startUpstream();
    const id = `${kind}_${Bun.randomUUIDv7()}`;
    const times = { createdAt: 1, expiresAt: 4_000_000_000 };
    if (kind === "part") {
      createResponseStore(database.db, log, vault).keepParts([id], { userId: 1, channelId: 1, keyHash: "" }, times);
      await isStored(id);
    } else await keep(kind, id);
    const other = start(2, upstream.url, type);
    const refused = await other(path, body(id));
    expect([refused.status, refused.text.includes(id)]).toEqual([404, true]);
    expect(upstream.bodies).toEqual([]);
  });

  test("that nobody stored here is left to the provider", async () => {
    const upstream = startUpstream();
    const id = `${kind}_${Bun.randomUUIDv7()}`;
    const any = start(2, upstream.url, type);
    expect((await any(path, body(id))).status).toBe(200);
    expect(upstream.bodies.join()).toContain(id);
  });
});

/** What one user gets by an answer, another one can't refer to: [makes it, finds its id, refers to it]. */
const ISSUED = [
  [
    "an item of a response",
    OPENAI,
    ["/v1/responses", { model: "m", input: "hi" }],
    /"(msg_\d+)"/,
    ["/v1/responses", (id: string) => ({ model: "m", input: [{ type: "item_reference", id }] })],
  ],
  [
    "an item of a streamed response",
    OPENAI,
    ["/v1/responses", { model: "m", input: "hi", stream: true }],
    /"(msg_\d+)"/,
    ["/v1/responses", (id: string) => ({ model: "m", input: [{ type: "item_reference", id }] })],
  ],
  [
    "audio of a chat",
    OPENAI,
    ["/v1/chat/completions", { ...CHAT, modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }],
    /"(audio_\d+)"/,
    [
      "/v1/chat/completions",
      (id: string) => ({ model: "m", messages: [{ role: "assistant", audio: { id } }, ...text("go on")] }),
    ],
  ],
  [
    "a container of Anthropic",
    ANTHROPIC,
    ["/v1/messages", MESSAGE],
    /"(container_\d+)"/,
    ["/v1/messages", (id: string) => ({ ...MESSAGE, container: id })],
  ],
  [
    "a file that Anthropic's code made",
    ANTHROPIC,
    ["/v1/messages", MESSAGE],
    /"(file_\d+)"/,
    ["/v1/messages", (id: string) => ({ ...MESSAGE, messages: text([{ type: "container_upload", file_id: id }]) })],
  ],
] as const;

describe.each(ISSUED)("%s", (_, type, [makes, made], pattern, [refers, body]) => {
  test("is its user's, and nobody else's", async () => {
    const upstream = startUpstream();
    const own = start(1, upstream.url, type);
    const other = start(2, upstream.url, type);
    const answer = await own(makes, made);
    const id = pattern.exec(answer.text)?.[1] ?? "";
    expect([answer.status, id]).toEqual([200, expect.stringMatching(/\d/)]);
    await isStored(id);
    const before = upstream.bodies.length;
    expect(await other(refers, body(id))).toMatchObject({ status: 404 });
    expect(upstream.bodies).toHaveLength(before);
    expect(await own(refers, body(id))).toMatchObject({ status: 200 });
    expect(upstream.bodies.at(-1)).toContain(id);
  });
});
