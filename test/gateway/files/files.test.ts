import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { users } from "../../../db/schema/accounts/users.ts";
import { createObjectStore } from "../../../src/gateway/state/objects/store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { answer, line, startKeeper } from "../../support/gateway/files/fake-file-provider.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

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

const MODELS = ["gpt-4o", "gpt-4o-mini"];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function startUpstream(prefix: string) {
  const upstream = startKeeper(prefix);
  stops.push(upstream.stop);
  return upstream;
}

function start(
  channels: Parameters<typeof startRelay>[0]["channels"],
  options: Partial<Parameters<typeof startRelay>[0]> = {},
) {
  const relay = startRelay({
    channels: channels.map((channel) => ({ models: MODELS, ...channel })),
    objects: createObjectStore(database.db),
    options: {
      ModelRatio: '{"gpt-4o": 2, "gpt-4o-mini": 1, "gpt-4o-mini-training": 3}',
      CompletionRatio: '{"gpt-4o": 4, "gpt-4o-mini": 4}',
      CacheRatio: "{}",
      GroupRatio: '{"default": 2}',
    },
    ...options,
  });
  stops.push(relay.stop);
  return { relay, client: new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

const batchFile = (...lines: string[]) => toFile(Buffer.from(lines.join("\n")), "calls.jsonl");
/** The client's promises do nothing before somebody waits for them. */
const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as { status?: number; code?: string },
  );

const CALL = line("a", { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 10 });

test("a file lives at the channel and key that took it; its owner alone sees it", async () => {
  const upstream = startUpstream("a");
  const { relay, client } = start([{ baseUrl: upstream.url, keys: ["key-1", "key-2"] }]);
  const made = await client.files.create({ file: await batchFile(CALL), purpose: "batch" });
  const second = await client.files.create({ file: await batchFile("two"), purpose: "batch" });
  // Two keys take turns; each object is asked of its own.
  for (const { id } of [made, second, made]) expect((await client.files.retrieve(id)).id).toBe(id);
  expect(await (await client.files.content(made.id)).text()).toBe(CALL);
  const first = await client.files.list({ limit: 1 });
  expect(first.data.map(({ id }) => id)).toEqual([second.id]);
  expect(first.hasNextPage()).toBe(true);
  expect((await first.getNextPage()).data.map(({ id }) => id)).toEqual([made.id]);

  const other = start([{ baseUrl: upstream.url, keys: ["key-1", "key-2"] }], {
    user: { id: 2 },
    tokens: { test: { userId: 2 } },
  });
  expect(await failureOf(other.client.files.retrieve(made.id))).toMatchObject({ status: 404 });
  expect(await failureOf(other.client.files.content(made.id))).toMatchObject({ status: 404 });
  expect(await failureOf(other.client.files.delete(made.id))).toMatchObject({ status: 404 });
  expect((await other.client.files.list()).data).toEqual([]);

  expect(await client.files.delete(made.id)).toMatchObject({ deleted: true });
  expect(await failureOf(client.files.retrieve(made.id))).toMatchObject({ status: 404 });
  expect(relay.billing.records).toEqual([]);
});

test("a batch is charged once when it is over, by the requested models, at half price; its owner gets the results", async () => {
  const upstream = startUpstream("b");
  const { relay, client } = start([{ baseUrl: upstream.url }], {
    options: {
      // The name that answers carry has a price too: it is not what was asked for.
      ModelRatio: '{"gpt-4o": 2, "gpt-4o-2024-08-06": 50, "gpt-4o-mini": 1}',
      CompletionRatio: '{"gpt-4o": 4, "gpt-4o-mini": 4}',
      CacheRatio: "{}",
      GroupRatio: '{"default": 2}',
    },
  });
  const mini = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };
  const file = await client.files.create({
    file: await batchFile(CALL, line("b", mini), line("c", mini)),
    purpose: "batch",
  });
  const batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  expect((await client.batches.retrieve(batch.id)).status).toBe("in_progress");
  expect(relay.billing.records).toEqual([]);
  expect(relay.billing.retained.get(batch.id)).toBeGreaterThan(0);
  upstream.finish(
    batch.id,
    [
      answer("a", "gpt-4o-2024-08-06", 100, 10),
      answer("b", "gpt-4o-mini", 10, 5),
      answer("c", "gpt-4o-mini", 10, 5),
    ].join("\n"),
  );
  const [listed] = await Promise.all([client.batches.list(), client.batches.retrieve(batch.id), client.batches.list()]);
  expect(listed.data[0]?.status).toBe("completed");
  // gpt-4o: (100 + 10 × 4) × 2 × group 2 ÷ 2; mini: (20 + 10 × 4) × 1 × group 2 ÷ 2
  expect(relay.billing.records.map(({ modelName, quota, promptTokens }) => [modelName, promptTokens, quota])).toEqual([
    ["gpt-4o", 100, 280],
    ["gpt-4o-mini", 20, 60],
  ]);
  expect(relay.billing.records[0]?.other.receipt).toMatchObject({ groupRatio: "2", serviceTier: "batch" });
  expect(relay.billing.retained.size).toBe(0);
  const again = await client.batches.retrieve(batch.id);
  await client.batches.retrieve(batch.id);
  expect(relay.billing.records).toHaveLength(2);
  expect(await (await client.files.content(again.output_file_id ?? "")).text()).toContain("gpt-4o-mini");
});

test("a batch whose input was deleted is charged by what its answers say", async () => {
  const upstream = startUpstream("g");
  const { relay, client } = start([{ baseUrl: upstream.url }]);
  const file = await client.files.create({ file: await batchFile(CALL), purpose: "batch" });
  const batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  upstream.finish(batch.id, answer("a", "gpt-4o-2024-08-06", 100, 10));
  await client.files.delete(file.id);
  await client.batches.retrieve(batch.id);
  expect(relay.billing.records.map(({ modelName, quota }) => [modelName, quota])).toEqual([["gpt-4o-2024-08-06", 280]]);
});

test("who accepts models without a price pays for them in a batch what the site asks", async () => {
  const upstream = startUpstream("h");
  const { relay, client } = start([{ baseUrl: upstream.url, models: ["new-model"] }], {
    user: { acceptUnsetPrice: true },
  });
  const call = line("a", { model: "new-model", messages: [{ role: "user", content: "hi" }] });
  const file = await client.files.create({ file: await batchFile(call), purpose: "batch" });
  const batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  upstream.finish(batch.id, answer("a", "new-model-2026-01-01", 100, 0));
  await client.batches.retrieve(batch.id);
  // 100 × 37.5 × group 2 ÷ 2
  expect(relay.billing.records.map(({ modelName, quota }) => [modelName, quota])).toEqual([["new-model", 3750]]);
});

test("a batch that the caller may not make, or cannot pay, does not begin", async () => {
  const upstream = startUpstream("c");
  const { relay, client } = start([{ baseUrl: upstream.url }]);
  const begin = async (...lines: string[]) => {
    const file = await client.files.create({ file: await batchFile(...lines), purpose: "batch" });
    return client.batches.create({
      input_file_id: file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
  };
  expect(await failureOf(begin(line("a", { model: "unknown", messages: [] })))).toMatchObject({ status: 400 });
  expect(await failureOf(begin(""))).toMatchObject({ status: 400 });
  relay.billing.available = 50;
  expect(await failureOf(begin(CALL))).toMatchObject({ status: 429, code: "insufficient_quota" });
  expect(
    await failureOf(
      client.batches.create({
        input_file_id: "file-other",
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      }),
    ),
  ).toMatchObject({ status: 404 });
  expect(upstream.requests.filter((ask) => ask.startsWith("POST /v1/batches"))).toEqual([]);
  expect(relay.billing.openHolds).toBe(0);
});

test("a fine-tuning job is charged by the tokens it trained on", async () => {
  const upstream = startUpstream("d");
  const { relay, client } = start([{ baseUrl: upstream.url }]);
  const file = await client.files.create({ file: await batchFile("{}"), purpose: "fine-tune" });
  const job = await client.fineTuning.jobs.create({ model: "gpt-4o-mini", training_file: file.id });
  expect((await client.fineTuning.jobs.retrieve(job.id)).status).toBe("succeeded");
  expect(relay.billing.records.map(({ modelName, quota }) => [modelName, quota])).toEqual([
    ["gpt-4o-mini-training", 30_000],
  ]);
  expect(await failureOf(client.fineTuning.jobs.create({ model: "gpt-4o", training_file: file.id }))).toMatchObject({
    status: 500,
    code: "model_price_error",
  });
});

test("Azure is called at its own addresses", async () => {
  const upstream = startUpstream("e");
  const { client } = start([{ type: 3, baseUrl: upstream.url, other: "2025-03-01-preview" }]);
  await client.files.create({ file: await batchFile("{}"), purpose: "batch" });
  expect(upstream.requests).toEqual(["POST /openai/files?api-version=2025-03-01-preview"]);
});

test("where no channel keeps files, and where an API is not offered, the answer is 501", async () => {
  const { relay, client } = start([{ type: 14, baseUrl: "http://127.0.0.1:1" }]);
  expect(await failureOf(client.files.create({ file: await batchFile("{}"), purpose: "batch" }))).toMatchObject({
    status: 501,
    code: "api_not_implemented",
  });
  const families = [
    "edits",
    "fine-tunes",
    "assistants",
    "threads",
    "skills",
    "chatkit",
    "audio/voices",
    "audio/voice_consents",
    "fine_tuning/alpha",
    "videos/characters",
  ];
  const paths = families.flatMap((name) => [`/v1/${name}`, `/v1/${name}/a1`, `/hf/v1/${name}/a1/files/b2`]);
  const calls = paths.flatMap((path) => METHODS.map((method) => [path, method] as const));
  const singles = [
    ["/v1/chat/completions", "GET"],
    ["/v1/chat/completions/c1", "GET"],
    ["/v1/chat/completions/c1", "POST"],
    ["/v1/chat/completions/c1", "DELETE"],
    ["/v1/chat/completions/c1/messages", "GET"],
  ] as const;
  for (const [path, method] of [...calls, ...singles]) {
    const refused = await fetch(relay.url + path, { method, headers: { authorization: "Bearer sk-test" } });
    expect([path, method, refused.status]).toEqual([path, method, 501]);
    expect(await refused.json()).toMatchObject({ error: { code: "api_not_implemented" } });
  }
});
