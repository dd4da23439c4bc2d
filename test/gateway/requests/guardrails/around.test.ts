/** Ways around a guardrail: what the log's view of a request leaves out, and answers that are read later or come from elsewhere. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { users } from "../../../../db/schema/accounts/users.ts";
import { createObjectStore } from "../../../../src/gateway/state/objects/store.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { startCollections } from "../../../support/gateway/files/fake-collections.ts";
import { line, startKeeper } from "../../../support/gateway/files/fake-file-provider.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.db.insert(users).values({ id: 1, username: "user1", affCode: "aff1", createdAt: 0 });
});
afterAll(() => database.close());
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MAIL = "ann@example.org";
const MODELS = ["gpt-4o", "whisper-1", "claude-3"];

function start(guardrails: object, url: string, options: Record<string, string> = {}) {
  const relay = startRelay({
    channels: [{ baseUrl: url, models: MODELS }],
    objects: createObjectStore(database.db),
    options: { Guardrails: JSON.stringify(guardrails), ModelRatio: '{"gpt-4o": 2, "whisper-1": 1}', ...options },
  });
  stops.push(relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
  return { relay, client, anthropic };
}

const upstreamOf = (answer: Parameters<typeof startUpstream>[0]) => {
  const upstream = startUpstream(answer);
  stops.push(upstream.stop);
  return upstream;
};
const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as { status?: number; code?: string },
  );
const BLOCKS = { g: { kind: "words", words: ["forbidden"], phases: ["request"] } };
const MASKS = { g: { kind: "personal_data", action: "mask", phases: ["answer"] } };

describe("a word that a request has only", () => {
  const messages = [{ role: "user", content: "hi" }];
  test.each<[string, object]>([
    [
      "in the input of a free-text tool",
      {
        messages: [
          ...messages,
          {
            role: "assistant",
            tool_calls: [{ id: "c", type: "custom", custom: { name: "run", input: "do forbidden things" } }],
          },
          { role: "tool", tool_call_id: "c", content: "done" },
        ],
      },
    ],
    ["in a prediction", { messages, prediction: { type: "content", content: "forbidden" } }],
    ["in a legacy function", { messages, functions: [{ name: "f", description: "forbidden", parameters: {} }] }],
    [
      "in a schema of the answer",
      {
        messages,
        response_format: {
          type: "json_schema",
          json_schema: { name: "s", schema: { type: "object", description: "forbidden" } },
        },
      },
    ],
    ["with unseen characters", { messages: [{ role: "user", content: "for\u200bbid\u00adden" }] }],
    ["with escapes of JSON", { messages: [{ role: "user", content: `print('f\\u006f${"forbidden".slice(2)}')` }] }],
    ["with escapes of HTML", { messages: [{ role: "user", content: `f&#111;rb&#x69;${"forbidden".slice(5)}` }] }],
    ["with letters that look alike", { messages: [{ role: "user", content: "f\u043erbidd\u0435n" }] }],
  ])("%s is found", async (_, fields) => {
    const upstream = upstreamOf(() => Response.json(chatReply()));
    const { relay } = start(BLOCKS, upstream.url);
    expect((await relay.post("/v1/chat/completions", { model: "gpt-4o", ...fields })).status).toBe(400);
    // The site's word filter takes a shorter way to most calls.
    const words = { SensitiveWords: "forbidden", CheckSensitiveEnabled: "true", CheckSensitiveOnPromptEnabled: "true" };
    const site = start({}, upstream.url, words);
    expect((await site.relay.post("/v1/chat/completions", { model: "gpt-4o", ...fields })).status).toBe(400);
    expect(upstream.received).toEqual([]);
  });

  test("in two parts of a message is found, and masked where it begins", async () => {
    const upstream = upstreamOf(() => Response.json(chatReply()));
    const partsOf = (...texts: string[]) => ({
      model: "gpt-4o",
      messages: [{ role: "user", content: texts.map((text) => ({ type: "text", text })) }],
    });
    const blocked = await start(BLOCKS, upstream.url).relay.post("/v1/chat/completions", partsOf("so for", "bidden!"));
    expect([blocked.status, upstream.received.length]).toEqual([400, 0]);
    const masks = start({ g: { ...MASKS.g, phases: ["request"] } }, upstream.url);
    await masks.relay.post("/v1/chat/completions", partsOf("to ann@exam", "ple.org now"));
    expect(upstream.received[0]?.text).toMatch(/to \[EMAIL_\w{8}\]/);
    expect(upstream.received[0]?.text).not.toMatch(/ann@exam|ple\.org/);
    expect((await masks.relay.billing.nextRecord()).other.guardrails?.verdicts).toMatchObject([{ name: "g" }]);
  });

  test("in a document of the Messages API is found", async () => {
    const upstream = upstreamOf(() => Response.json(chatReply()));
    const { anthropic } = start(BLOCKS, upstream.url);
    const source = { type: "text", media_type: "text/plain", data: "all forbidden" } as const;
    const content = [{ type: "document", source } as const, { type: "text", text: "hi" } as const];
    const requested = anthropic.messages.create({
      model: "gpt-4o",
      max_tokens: 9,
      messages: [{ role: "user", content }],
    });
    expect(await failureOf(requested)).toMatchObject({ status: 400 });
    expect(upstream.received).toEqual([]);
  });
});

describe("an answer that its provider stores", () => {
  const stored = {
    ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-4o" },
    output: [
      {
        ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
        content: [{ type: "output_text", text: `Write to ${MAIL}`, annotations: [] }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  };
  const provider = () =>
    upstreamOf(({ path }) => Response.json(path.includes("input_items") ? { data: stored.output } : stored));

  test("is masked when it is read later, too", async () => {
    const { client } = start(MASKS, provider().url);
    const made = await client.responses.create({ model: "gpt-4o", input: "hi" });
    expect(made.output_text).toMatch(/^Write to \[EMAIL_\w{8}\]$/);
    const later = await client.responses.retrieve(made.id);
    expect(JSON.stringify(later)).not.toContain(MAIL);
    expect(JSON.stringify(later)).toContain("Write to [EMAIL]");
    expect(JSON.stringify(await client.responses.inputItems.list(made.id))).not.toContain(MAIL);
    expect(await failureOf(client.responses.retrieve(made.id, { stream: true }))).toMatchObject({
      code: "guardrail_unsupported",
    });
  });

  test("is refused when it is read later, if it was", async () => {
    const block = { g: { kind: "personal_data", phases: ["answer"], models: ["gpt-*"] } };
    const { client } = start(block, provider().url);
    const made = await client.responses.create({ model: "gpt-4o", input: "hi" });
    expect(JSON.stringify(made)).not.toContain(MAIL);
    expect(await failureOf(client.responses.retrieve(made.id))).toMatchObject({ code: "guardrail_blocked" });
  });

  test("stays as it is in shadow mode", async () => {
    const { client } = start({ g: { ...MASKS.g, shadow: true } }, provider().url);
    const made = await client.responses.create({ model: "gpt-4o", input: "hi" });
    expect((await client.responses.retrieve(made.id)).output_text).toBe(`Write to ${MAIL}`);
  });
});

describe("items of a conversation", () => {
  const items = (text: string) => [{ type: "message" as const, role: "user" as const, content: text }];

  test("pass the guardrails of every model that may read them", async () => {
    const upstream = startCollections("gw");
    stops.push(upstream.stop);
    const { client } = start({ g: { ...BLOCKS.g, models: ["gpt-*"] } }, upstream.url);
    expect(await failureOf(client.conversations.create({ items: items("forbidden") }))).toMatchObject({ status: 400 });
    const { id } = await client.conversations.create({ items: items("fine") });
    expect(await failureOf(client.conversations.items.create(id, { items: items("forbidden") }))).toMatchObject({
      status: 400,
    });
  });

  test("are masked when they are listed", async () => {
    const upstream = startCollections("gx");
    stops.push(upstream.stop);
    const { client } = start(MASKS, upstream.url);
    const { id } = await client.conversations.create({ items: items(`From ${MAIL}`) });
    const listed = JSON.stringify((await client.conversations.items.list(id)).data);
    expect(listed).toContain("From [EMAIL]");
    expect(listed).not.toContain(MAIL);
  });
});

test("a batch whose answers no guardrail would see is refused, and holds nothing", async () => {
  const upstream = startKeeper("gb");
  stops.push(upstream.stop);
  const begin = async ({ client }: ReturnType<typeof start>) => {
    const call = line("a", { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 10 });
    const file = await client.files.create({ file: await toFile(Buffer.from(call), "a.jsonl"), purpose: "batch" });
    const endpoint = "/v1/chat/completions" as const;
    return client.batches.create({ input_file_id: file.id, endpoint, completion_window: "24h" });
  };
  const refused = start(MASKS, upstream.url);
  expect(await failureOf(begin(refused))).toMatchObject({ code: "guardrail_unsupported" });
  expect(refused.relay.billing.openHolds).toBe(0);
  expect(await failureOf(begin(start({ g: { ...MASKS.g, shadow: true } }, upstream.url)))).toBeNull();
});

describe("a transcript", () => {
  const segments = [{ id: 0, text: `Write to ${MAIL}` }];
  const transcript = { text: `Write to ${MAIL}`, duration: 60, segments };
  const provider = (answer: object | string) =>
    upstreamOf(() => (typeof answer === "string" ? new Response(answer) : Response.json(answer)));
  const file = () => new File([new Uint8Array(10)], "a.wav");

  test.each([
    [MASKS, transcript, "Write to [EMAIL_"],
    [MASKS, `Write to ${MAIL}\n`, "Write to [EMAIL_"],
    [{ g: { kind: "personal_data", phases: ["answer"] } }, transcript, '"text":""'],
    [{ g: { ...MASKS.g, action: "flag" } }, transcript, `Write to ${MAIL}`],
  ])("passes the guardrail %j, and is charged in full", async (guardrails, answer, expected) => {
    const { relay } = start(guardrails, provider(answer).url);
    const body = new FormData();
    body.set("model", "whisper-1");
    body.set("file", file());
    if (typeof answer === "string") body.set("response_format", "text");
    const response = await fetch(`${relay.url}/v1/audio/transcriptions`, {
      ...{ method: "POST", body, headers: { authorization: "Bearer sk-test" } },
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(expected);
    if (!expected.includes(MAIL)) expect(text).not.toContain(MAIL);
    const record = await relay.billing.nextRecord();
    expect(record.other.guardrails?.verdicts).toMatchObject([{ name: "g", phase: "answer" }]);
    if (typeof answer !== "string") expect(record.quota).toBe(1_000);
  });

  test.each([
    [MASKS, { stream: "true" }],
    [{ g: { kind: "json" } }, {}],
  ])("that the guardrail %j could not read is refused before it is made", async (guardrails, fields) => {
    const upstream = provider(transcript);
    const { client } = start(guardrails, upstream.url);
    const stream = "stream" in fields;
    const requested = client.audio.transcriptions.create({ model: "whisper-1", file: file(), stream });
    expect(await failureOf(requested)).toMatchObject({ code: "guardrail_unsupported" });
    expect(upstream.received).toEqual([]);
  });
});

test("what is refused is not logged as it came where it was to be masked", async () => {
  const upstream = upstreamOf(() => Response.json(chatReply()));
  const rules = { pii: { kind: "personal_data", action: "mask" }, ...BLOCKS };
  const { relay } = start(rules, upstream.url, { LogChatContentEnabled: "true" });
  const content = `${MAIL} is forbidden`;
  const body = { model: "gpt-4o", messages: [{ role: "user", content }] };
  expect((await relay.post("/v1/chat/completions", body)).status).toBe(400);
  expect(JSON.stringify(await relay.billing.nextRecord())).not.toContain(MAIL);
});

test("a client's tags stay, however many guardrails find something", async () => {
  const upstream = upstreamOf(() => Response.json(chatReply()));
  const rule = { kind: "words", words: ["hi"], action: "flag", shadow: true, phases: ["request"] };
  const names = Array.from({ length: 12 }, (_, at) => `rule ${at}`);
  const { relay } = start(Object.fromEntries(names.map((name) => [name, rule])), upstream.url);
  const tags = Array.from({ length: 10 }, (_, at) => `own ${at}`);
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], metadata: { tags: tags.join(",") } };
  expect((await relay.post("/v1/chat/completions", body)).status).toBe(200);
  const { tags: logged } = (await relay.billing.nextRecord()).other;
  expect(logged).toEqual(["guardrail:shadow", ...names.map((name) => `guardrail:${name}`), ...tags]);
});

test("a text nested deeper than data is answered, whatever looks into it", async () => {
  const upstream = upstreamOf(() => Response.json(chatReply()));
  const { relay } = start({ pii: { kind: "personal_data", action: "mask" } }, upstream.url);
  const content = `${"[".repeat(200_000)}"${MAIL}"${"]".repeat(200_000)}`;
  const body = { model: "gpt-4o", messages: [{ role: "user", content }] };
  expect((await relay.post("/v1/chat/completions", body)).status).toBe(200);
  expect(upstream.received[0]?.text).not.toContain(MAIL);
});

test("a word that is blocked ends an answer within what another guardrail only masks, too", async () => {
  const message = { role: "assistant", content: `Write to ${MAIL}` };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const upstream = upstreamOf(() => Response.json(chatReply({ choices })));
  const { client } = start({ ...MASKS, b: { kind: "words", words: ["example"], phases: ["answer"] } }, upstream.url);
  const made = await client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content: "hi" }] });
  expect(made.choices[0]).toMatchObject({ finish_reason: "content_filter", message: { content: "Write to " } });
});
